// Keeps the changing part of a page up to date while it says where to ask.

const PAUSE_MS = 2_000;
/** After this many asks the pause doubles, up to half a minute: each ask counts towards the key's limits. */
const ASKS_BEFORE_SLOWING = 30;
const MAX_PAUSE_MS = 30_000;

function pauseFor(asks: number): number {
	return asks < ASKS_BEFORE_SLOWING
		? PAUSE_MS
		: Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** (asks - ASKS_BEFORE_SLOWING + 1));
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
	else setTimeout(() => void ask(asks + 1), Math.max(pauseFor(asks), retryAfterMs));
}

/** Begins to ask, if the page has such a part. */
export function followLivePart(): void {
	if (document.querySelector("[data-live]")) setTimeout(() => void ask(0), PAUSE_MS);
}
