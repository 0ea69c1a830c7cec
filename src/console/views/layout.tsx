// The frame of every page: head, side navigation, the page's own head, main.
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import {
	CHARTS_PATH,
	CONVERSATION_PATH,
	FONT_PATH,
	MARK_PATH,
	RECEIPT_PATH,
	SCRIPT_PATH,
	STYLE_PATH,
} from "../assets.ts";
import { showDirectionMarks } from "../json-text.ts";
import { navGroupsFor, SECTIONS, type SectionId, type ShownPage } from "../page.ts";
import type { Session } from "../session.ts";
import { Icon } from "./icons.tsx";

/** The element that ends a page. */
const END_ID = "end";

/**
 * Lets the browser paint the page at once, where it can: columns take their widths from all rows, so a table painted row by row moves.
 * As text: Hono leaves the attribute `blocking` out of elements.
 */
const PAINT_WHOLE = raw(`<link rel="expect" href="#${END_ID}" blocking="render">`);

interface HeadProps {
	title: string;
	/** Whether the page ends with the element that `PAINT_WHOLE` waits for. */
	isPaintedWhole?: boolean;
	/** Scripts that the page needs besides the one of all pages. */
	scripts?: readonly string[];
}

function Head({ title, isPaintedWhole = false, scripts = [] }: HeadProps) {
	return (
		<head>
			<meta charset="utf-8" />
			<meta name="viewport" content="width=device-width, initial-scale=1" />
			<meta name="color-scheme" content="light dark" />
			<title>{showDirectionMarks(title)} · svc</title>
			<link rel="icon" type="image/svg+xml" href={MARK_PATH} />
			<link rel="preload" as="font" type="font/woff2" href={FONT_PATH} crossorigin="anonymous" />
			<link rel="stylesheet" href={STYLE_PATH} />
			{isPaintedWhole ? PAINT_WHOLE : null}
			<script src={SCRIPT_PATH} defer />
			{scripts.map((path) => (
				<script src={path} defer />
			))}
		</head>
	);
}

/** The service's mark; the text beside it names it. */
export function Mark() {
	return <img class="mark" src={MARK_PATH} alt="" width={24} height={24} />;
}

/** How much waits for people, beside the name of its section. */
function WaitingCount({ count }: { count: string | null }) {
	if (count === null || count === "0") return null;
	return (
		<span class="nav-count">
			{count}
			<span class="unseen"> to answer</span>
		</span>
	);
}

interface NavigationProps {
	section: SectionId;
	session: Session;
	waiting: string | null;
}

function Navigation({ section, session, waiting }: NavigationProps) {
	return (
		<nav aria-label="Console">
			{navGroupsFor(session).map(({ label, sections }) => (
				<>
					{label === null ? null : <p class="nav-group">{label}</p>}
					<ul>
						{sections.map((id) => (
							<li>
								<a
									href={SECTIONS[id].path}
									aria-current={id === section ? "page" : undefined}
									data-takes-zone={"hasZone" in SECTIONS[id] ? "" : undefined}
								>
									<Icon name={id} />
									{SECTIONS[id].label}
									{id === "waiting" ? <WaitingCount count={waiting} /> : null}
								</a>
							</li>
						))}
					</ul>
				</>
			))}
		</nav>
	);
}

/** Whose session it is, and its end. */
function SessionForm({ session }: { session: Session }) {
	return (
		<form class="session" method="post" action="/console/sign-out">
			<span>
				{session.role} key <code>…{session.key.slice(-4)}</code>
			</span>
			<button type="submit" class="quiet">
				<Icon name="signOut" />
				Sign out
			</button>
		</form>
	);
}

function pageScripts({ hasCharts, hasReceipt, hasConversation }: ShownPage): string[] {
	return [
		hasCharts ? CHARTS_PATH : [],
		hasReceipt ? RECEIPT_PATH : [],
		hasConversation ? CONVERSATION_PATH : [],
	].flat();
}

interface LayoutProps {
	page: ShownPage;
	session: Session;
	/** How much waits for people; null where nobody can tell now. */
	waiting: string | null;
}

/** A page for a signed-in browser. */
export function Layout({ page, session, waiting }: LayoutProps) {
	const { title, section, lead, actions, content } = page;
	return (
		<html lang="en">
			<Head title={title} isPaintedWhole={true} scripts={pageScripts(page)} />
			<body>
				<a class="skip" href="#main">
					Skip to content
				</a>
				<div class="shell">
					<header class="side">
						<div class="side-body">
							<a class="brand" href="/console" data-takes-zone="">
								<Mark />
								svc
							</a>
							<button type="button" class="quiet menu-button" popovertarget="menu">
								<Icon name="menu" />
								Menu
							</button>
							<div class="menu" id="menu" popover="auto">
								<Navigation section={section} session={session} waiting={waiting} />
								<SessionForm session={session} />
							</div>
						</div>
					</header>
					<main id="main" tabindex={-1}>
						<div class="page-head">
							<div>
								<h1>
									<bdi>{showDirectionMarks(title)}</bdi>
								</h1>
								{lead ? <div class="lead">{lead}</div> : null}
							</div>
							{actions ? <div class="actions">{actions}</div> : null}
						</div>
						{content}
					</main>
				</div>
				<div id={END_ID} />
			</body>
		</html>
	);
}

/** A page for a browser without a session. */
export function Plain({ title, children }: { title: string; children?: Child }) {
	return (
		<html lang="en">
			<Head title={title} />
			<body>
				<main id="main" class="plain">
					{children}
				</main>
			</body>
		</html>
	);
}
