// Keeps the changing part of a page up to date: by a stream while there is one, else by asking again.
import { readData } from "./events.ts";

/** Each ask counts as a page of the console, so the pauses grow: nine asks in the first minute. */
const FIRST_PAUSE_MS = 2_000;
const PAUSE_GROWTH = 1.25;
const MAX_PAUSE_MS = 15_000;

function pauseAfter(asks: number): number {
	return Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * PAUSE_GROWTH ** asks);
}

function livePart(): HTMLElement | null {
	return document.getElementById("live");
}

/** The service's own HTML, in which everything that anybody wrote is text. Who stands on a link of the part stays there. */
function replacePart(html: string): void {
	const part = livePart();
	if (!part) return;
	const focused = part.contains(document.activeElement) ? document.activeElement : null;
	const href = focused?.getAttribute("href");
	const label = focused?.getAttribute("aria-label");
	part.outerHTML = html;
	const places = [...(livePart()?.querySelectorAll<HTMLElement>("a[href], [tabindex][aria-label]") ?? [])];
	const place = places.find((element) =>
		href ? element.getAttribute("href") === href : label && element.getAttribute("aria-label") === label,
	);
	if (focused) place?.focus({ preventScroll: true });
}

/** Whether the part says where to ask for the next one. */
function goesOn(): boolean {
	return livePart()?.dataset["live"] !== undefined;
}

async function ask(asks: number): Promise<void> {
	const path = livePart()?.dataset["live"];
	if (path === undefined) return;
	const response = await fetch(path).catch(() => null);
	if (response === null) {
		setTimeout(() => void ask(asks + 1), MAX_PAUSE_MS);
		return;
	}
	// The session is over: the page says so.
	if (response.redirected || response.status === 401) return location.reload();
	if (response.ok) replacePart(await response.text());
	else if (response.status !== 429 && response.status < 500) return replacePart(await response.text());
	const retryAfterMs = Number(response.headers.get("retry-after") ?? "0") * 1_000;
	// Forms and the verification of what has ended stand outside the part.
	if (!goesOn()) location.reload();
	else setTimeout(() => void ask(asks + 1), Math.max(pauseAfter(asks), retryAfterMs));
}

/** Shows the parts of a stream until it ends. After null, which says that the session is over, there is nothing to ask for. */
async function showStream(path: string, signal: AbortSignal): Promise<void> {
	const response = await fetch(path, { signal });
	if (!response.ok || response.redirected || !response.body) return;
	for await (const text of readData(response.body)) {
		const part = JSON.parse(text) as string | null;
		if (part === null) livePart()?.removeAttribute("data-live");
		else replacePart(part);
	}
}

/** Follows the part, if the page has one that changes. */
export function followLivePart(): void {
	const path = document.querySelector<HTMLElement>("[data-live]")?.dataset["stream"];
	if (path === undefined) return;
	const left = new AbortController();
	addEventListener("pagehide", () => left.abort(), { once: true });
	void showStream(path, left.signal)
		.catch(() => undefined)
		.then(() => {
			if (left.signal.aborted) return;
			if (goesOn()) setTimeout(() => void ask(0), FIRST_PAUSE_MS);
			else location.reload();
		});
}
