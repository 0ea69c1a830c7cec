// The frame of every page: head, navigation, main.
import type { Child } from "hono/jsx";
import { SCRIPT_PATH, STYLE_PATH } from "../assets.ts";
import { showDirectionMarks } from "../json-text.ts";
import { SECTIONS, type SectionId } from "../page.ts";
import type { Session } from "../session.ts";

function Head({ title }: { title: string }) {
	return (
		<head>
			<meta charset="utf-8" />
			<meta name="viewport" content="width=device-width, initial-scale=1" />
			<meta name="color-scheme" content="light dark" />
			<title>{showDirectionMarks(title)} · svc</title>
			<link rel="icon" href="data:," />
			<link rel="stylesheet" href={STYLE_PATH} />
			<script src={SCRIPT_PATH} defer />
		</head>
	);
}

interface LayoutProps {
	title: string;
	section: SectionId;
	session: Session;
	children?: Child;
}

/** A page for a signed-in browser. */
export function Layout({ title, section, session, children }: LayoutProps) {
	return (
		<html lang="en">
			<Head title={title} />
			<body>
				<a class="skip" href="#main">
					Skip to content
				</a>
				<header class="bar">
					<a class="brand" href="/console">
						svc
					</a>
					<form class="session" method="post" action="/console/sign-out">
						<span>
							{session.role} key <code>…{session.key.slice(-4)}</code>
						</span>
						<button type="submit" class="quiet">
							Sign out
						</button>
					</form>
					<nav aria-label="Console">
						<ul>
							{Object.entries(SECTIONS).map(([id, { path, label }]) => (
								<li>
									<a href={path} aria-current={id === section ? "page" : undefined}>
										{label}
									</a>
								</li>
							))}
						</ul>
					</nav>
				</header>
				<main id="main" tabindex={-1}>
					<h1>
						<bdi>{showDirectionMarks(title)}</bdi>
					</h1>
					{children}
				</main>
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
