// Prompts that all differ: a load's body may hold one mark, in whose place each request sends a text of its own, of the mark's length.
// So no cache of prompts or answers flatters a target, and all requests are equally long.

/** Harmless words of five letters: none of them makes a prompt look like code, mathematics or a question of another kind. */
const WORDS = [
	"river",
	"cloud",
	"stone",
	"plant",
	"bread",
	"chair",
	"house",
	"beach",
	"music",
	"shirt",
	"green",
	"tower",
];
const WORDS_IN_TEXT = 4;
const DIGITS = 9;

/** A Lehmer generator (Park and Miller). Its products fit a double, so wrk's Lua computes the same numbers. */
const MODULUS = 2_147_483_647;
const MULTIPLIER = 48_271;

/** The text of a number: the number, and words drawn from a generator that it seeds. Other numbers below 10^9 have other texts. */
function toVariedText(number: number): string {
	let state = (number % (MODULUS - 1)) + 1;
	const words = Array.from({ length: WORDS_IN_TEXT }, () => {
		state = (state * MULTIPLIER) % MODULUS;
		return WORDS[state % WORDS.length];
	});
	return [String(number).padStart(DIGITS, "0"), ...words].join(" ");
}

/** {@link toVariedText} in Lua, as a function of that name. */
export const VARIED_TEXT_LUA = `
local words = { ${WORDS.map((word) => `"${word}"`).join(", ")} }
local function toVariedText(number)
	local state = number % ${MODULUS - 1} + 1
	local text = string.format("%0${DIGITS}d", number)
	for _ = 1, ${WORDS_IN_TEXT} do
		state = state * ${MULTIPLIER} % ${MODULUS}
		text = text .. " " .. words[state % #words + 1]
	end
	return text
end
`;

/** What a load's text holds where its requests differ. It is no request's own text. */
export const VARIED = toVariedText(0).replace(/^0+/, "9".repeat(DIGITS));

/** A body in two pieces, between which each request has a text of its own. */
export interface VariedBody {
	before: Buffer;
	/** null in a body without the mark: all requests are alike. */
	after: Buffer | null;
	/** Of every request's body. */
	byteLength: number;
}

/** Splits a body at its first mark. */
export function splitAtVaried(body: string): VariedBody {
	const at = body.indexOf(VARIED);
	const byteLength = Buffer.byteLength(body);
	if (at === -1) return { before: Buffer.from(body), after: null, byteLength };
	return { before: Buffer.from(body.slice(0, at)), after: Buffer.from(body.slice(at + VARIED.length)), byteLength };
}

let taken = 0;

/** Takes the numbers of so many requests; returns the first of them. */
export function takeNumbers(requests: number): number {
	const first = taken;
	taken += requests;
	return first;
}

/** The body of the next request. */
export function nextBody({ before, after }: VariedBody): Buffer {
	return after === null ? before : Buffer.concat([before, Buffer.from(toVariedText(takeNumbers(1))), after]);
}
