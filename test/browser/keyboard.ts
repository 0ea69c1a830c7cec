// A visitor without a mouse: where the keyboard leads, what it stands on, and whether that can be seen.
import type { Page } from "playwright-core";
import { z } from "zod";

/** More stops than any page has. */
const MOST_STOPS = 400;

/** Each part of the page that can be used, as the document has them, numbered in `data-part`. Their words name them. */
const NUMBER_PARTS = `[...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
	.filter((part) => part.checkVisibility() && !part.disabled && part.type !== "hidden")
	.map((part, index) => {
		part.dataset.part = index;
		return index + " " + part.tagName + " " + (part.getAttribute("aria-label") || part.name || part.textContent).trim().slice(0, 60);
	})`;

/** The part that has the focus; null where none has. Of a date, its day, month, year and calendar are stops of one part. */
const FOCUSED = `(() => {
	const part = document.activeElement;
	if (!part || part === document.body) return null;
	// A link that goes on in the next line has a rectangle in each.
	const { top, bottom, left, right, width, height } = part.getClientRects()[0];
	const { outlineStyle, outlineWidth } = getComputedStyle(part);
	const shown = document.elementFromPoint(
		Math.min(Math.max(left + Math.min(width / 2, 20), 0), innerWidth - 1),
		Math.min(Math.max(top + Math.min(height / 2, 10), 0), innerHeight - 1));
	return {
		part: Number(part.dataset.part ?? -1),
		top: top + scrollY,
		bottom: bottom + scrollY,
		left: left + scrollX,
		right: right + scrollX,
		isSeen: outlineStyle !== "none" && parseFloat(outlineWidth) >= 2
			&& bottom > 0 && top < innerHeight && right > 0 && left < innerWidth && part.contains(shown),
	};
})()`;

const DESCRIPTION = `(document.activeElement.getAttribute("aria-describedby") ?? "").split(" ")
	.map((id) => document.getElementById(id)?.textContent ?? "").join(" ")`;

const partsSchema = z.array(z.string());
const stopSchema = z
	.object({
		part: z.number(),
		top: z.number(),
		bottom: z.number(),
		left: z.number(),
		right: z.number(),
		isSeen: z.boolean(),
	})
	.nullable();
type Stop = NonNullable<z.output<typeof stopSchema>>;

/** Whether a stop lies above the one before it. The head of the next column does not: it is read after the foot of this one. */
function isAbove(stop: Stop, before: Stop | undefined): boolean {
	return before !== undefined && stop.bottom <= before.top && stop.left < before.right;
}

export class Keyboard {
	#page: Page;

	constructor(page: Page) {
		this.#page = page;
	}

	async press(key: "Tab" | "Shift+Tab" | "Enter" | "Space" | "Escape"): Promise<void> {
		await this.#page.keyboard.press(key);
	}

	async type(text: string): Promise<void> {
		await this.#page.keyboard.type(text);
	}

	/** What a screen reader calls the part that has the focus. */
	async focusedName(): Promise<string> {
		const focused = this.#page.locator(":focus");
		if ((await focused.count()) === 0) return "";
		const [, name] = /^- [\w ]+?(?: "((?:[^"\\]|\\.)*)")/.exec(await focused.ariaSnapshot()) ?? [];
		return name ?? ((await focused.textContent()) ?? "").trim();
	}

	/** What is said about the part that has the focus, besides its name. */
	async focusedDescription(): Promise<string> {
		return z.string().parse(await this.#page.evaluate(DESCRIPTION));
	}

	/** Presses Tab until the part of this name has the focus, from wherever it is. */
	async tabTo(name: string): Promise<void> {
		for (let count = 0; count < MOST_STOPS; count++) {
			await this.press("Tab");
			if ((await this.focusedName()) === name) return;
		}
		throw new Error(`Tab does not lead to ${name}`);
	}

	/**
	 * Goes once through a page that has just been opened. @returns what is wrong, in words: a part that is no stop, or out of turn;
	 * a stop that lies above the one before, in the same column; one whose focus is not to be seen.
	 */
	async findObstacles(): Promise<string[]> {
		const parts = partsSchema.parse(await this.#page.evaluate(NUMBER_PARTS));
		const stops = await this.#tabThrough();
		const order = stops.map(({ part }) => part);
		return [
			...parts.filter((_, index) => !order.includes(index)).map((part) => `no stop: ${part}`),
			...order.filter((part, index) => part < (order[index - 1] ?? 0)).map((part) => `out of turn: ${parts[part]}`),
			...stops
				.filter((stop, index) => isAbove(stop, stops[index - 1]))
				.map(({ part }) => `above the stop before: ${parts[part]}`),
			...stops.filter(({ isSeen }) => !isSeen).map(({ part }) => `not seen: ${parts[part]}`),
		];
	}

	async #tabThrough(): Promise<Stop[]> {
		const stops: Stop[] = [];
		for (let count = 0; count < MOST_STOPS; count++) {
			await this.press("Tab");
			const stop = stopSchema.parse(await this.#page.evaluate(FOCUSED));
			if (stop === null || (stop.part === stops[0]?.part && stops.length > 1)) return stops;
			if (stop.part !== stops.at(-1)?.part) stops.push(stop);
		}
		throw new Error("Tab does not leave the page");
	}
}
