// Keeps the changing part of a page up to date while it says where to ask.

/** Each ask counts towards the key's limits, so the pauses grow: nine asks in the first minute. */
const FIRST_PAUSE_MS = 2_000;
const PAUSE_GROWTH = 1.25;
const MAX_PAUSE_MS = 15_000;

function pauseAfter(asks: number): number {
	return Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * PAUSE_GROWTH ** asks);
}

/** The service's own HTML, in which everything that anybody wrote is text. */
function replacePart(html: string): void {
	const part = document.getElementById("live");
	if (part) part.outerHTML = html;
}

async function ask(asks: number): Promise<void> {
	const path = document.getElementById("live")?.dataset["live"];
	if (path === undefined) return;
	const response = await fetch(path).catch(() => null);
	if (response === null) {
		setTimeout(() => void ask(asks + 1), MAX_PAUSE_MS);
		return;
	}
	if (response.ok) replacePart(await response.text());
	else if (response.status !== 429 && response.status < 500) return;
	const retryAfterMs = Number(response.headers.get("retry-after") ?? "0") * 1_000;
	const isOver = document.getElementById("live")?.dataset["live"] === undefined;
	// Forms and the verification of what has ended stand outside the part.
	if (isOver) location.reload();
	else setTimeout(() => void ask(asks + 1), Math.max(pauseAfter(asks), retryAfterMs));
}

/** Begins to ask, if the page has such a part. */
export function followLivePart(): void {
	if (document.querySelector("[data-live]")) setTimeout(() => void ask(0), FIRST_PAUSE_MS);
}
