// `truncation: "auto"`: which of the oldest items are left out of a conversation that is too long. Pure.
import type { InputItem } from "./items.ts";

/** Items that hold for the whole conversation and stay: instructions, and tools. */
function isLasting(item: InputItem): boolean {
	return "role" in item && (item.role === "system" || item.role === "developer");
}

function callIdOf(item: InputItem): string | null {
	return "call_id" in item && typeof item.call_id === "string" ? item.call_id : null;
}

function isUserMessage(item: InputItem): boolean {
	return "role" in item && item.role === "user";
}

/** The items after a cut. A call and its outputs go together, on whichever side of the cut they are. */
function cutBefore(items: readonly InputItem[], cut: number): InputItem[] {
	const isKept = (item: InputItem, index: number) => index >= cut || isLasting(item);
	const dropped = new Set(items.flatMap((item, index) => (isKept(item, index) ? [] : (callIdOf(item) ?? []))));
	return items.filter((item, index) => isKept(item, index) && !dropped.has(callIdOf(item) ?? ""));
}

/**
 * The items with as few of the oldest left out as it takes to fit. What is left out are whole turns: a message of the user's and
 * all that follows it up to the next. The last message of the user's and what follows it stay, even where they do not fit.
 */
export function truncateItems(
	items: readonly InputItem[],
	fits: (items: readonly InputItem[]) => boolean,
): readonly InputItem[] {
	if (fits(items)) return items;
	const cuts = items.flatMap((item, index) => (index > 0 && isUserMessage(item) ? [index] : []));
	// The longest that fits, by bisection: each look at a conversation reads all of it.
	let low = 0;
	let high = cuts.length - 1;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (fits(cutBefore(items, cuts[middle] ?? 0))) high = middle;
		else low = middle + 1;
	}
	const cut = cuts[low];
	return cut === undefined ? items : cutBefore(items, cut);
}
