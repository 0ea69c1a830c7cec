// Keeps the first rows of a list up to date while it is looked at. A button pauses it.

/** Fewer than the pages that a user may open in a minute leave. */
const PAUSE_MS = 4_000;
const LONGEST_PAUSE_MS = 60_000;

function part(): HTMLElement | null {
	return document.querySelector<HTMLElement>("[data-refresh]");
}

/** Whether somebody reads or uses the rows right now, who would lose the place. */
function isInUse(rows: HTMLElement): boolean {
	const hasSelection = getSelection()?.isCollapsed === false;
	return hasSelection || rows.contains(document.activeElement) || rows.querySelector("details[open]") !== null;
}

class LiveList {
	#button: HTMLButtonElement;
	#isOn = true;
	#timer: ReturnType<typeof setTimeout> | undefined;
	#pauseMs = PAUSE_MS;

	constructor(button: HTMLButtonElement) {
		this.#button = button;
		button.addEventListener("click", () => this.#turn(!this.#isOn));
		document.addEventListener("visibilitychange", () => this.#plan());
		button.hidden = false;
		this.#plan();
	}

	#turn(isOn: boolean): void {
		this.#isOn = isOn;
		this.#button.ariaPressed = String(isOn);
		this.#plan();
	}

	#plan(): void {
		clearTimeout(this.#timer);
		if (!this.#isOn || document.hidden) return;
		this.#timer = setTimeout(() => void this.#refresh(), this.#pauseMs);
	}

	async #refresh(): Promise<void> {
		const rows = part();
		const path = rows?.dataset["refresh"];
		if (!rows || path === undefined) return;
		if (!isInUse(rows)) await this.#take(path);
		this.#plan();
	}

	/** The service's own HTML, in which everything that anybody wrote is text. */
	async #take(path: string): Promise<void> {
		const response = await fetch(path).catch(() => null);
		if (response?.ok && !response.redirected) {
			const html = await response.text();
			this.#pauseMs = PAUSE_MS;
			const rows = part();
			if (rows && !isInUse(rows)) rows.outerHTML = html;
			return;
		}
		// The session is over: the page says so.
		if (response?.redirected || response?.status === 401) return location.reload();
		this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2);
	}
}

/** Follows the list, if the page has one. */
export function keepListLive(): void {
	const button = document.querySelector<HTMLButtonElement>("#live-button");
	if (button && part()) new LiveList(button);
}
