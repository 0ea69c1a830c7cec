// Finds the seed phrases of wallets: 12, 15, 18, 21 or 24 plain words in a row, beside a word for one or alone.
import { verbose } from "./verbose.ts";

/** A word of the lists of BIP-39, perhaps with its number before it. */
const SEED_WORD = "(?:\\d{1,2}[.):]? ?)?\\p{Ll}[\\p{Ll}\\p{M}]{2,11}";
const RUN = new RegExp(`(?<![\\p{L}\\d])${SEED_WORD}(?:[ ,;\\n|/·-]{1,3}${SEED_WORD}){11,27}(?![\\p{L}\\d])`, "gu");
/** Chinese, Japanese and Korean lists. */
const RUN_CJK =
	/(?<![\p{L}])(?:\p{Script=Han}(?:[ ,、　]{1,2}\p{Script=Han}){11,23}|[\p{Script=Hiragana}]{2,8}(?:[ ,、　]{1,2}[\p{Script=Hiragana}]{2,8}){11,23}|[가-힣]{2,4}(?:[ ,]{1,2}[가-힣]{2,4}){11,23})(?!\p{L})/gu;

/** Words that no list of BIP-39 has and hardly a sentence goes without. */
const FUNCTION_WORDS = new RegExp(
	verbose`
		(?<!\p{L})(?:
			the|and|for|was|were|are|his|her|has|had|have|not|but|from|our|their|who|its|which|been|would|could|should|und|der
			|die|das|den|dem|ist|nicht|mit|ein|eine|für|auf|les|des|une|est|dans|que|pour|par|los|las|una|por|para|con|del|gli
			|che|una|della|het|een|van|niet|met|oraz|jest|nie|się
		)(?!\p{L})
	`,
	"gu",
);
/** These are said of other things, too: a word for a wallet must stand beside them. */
const AMBIGUOUS_CUE =
	/^(?:\d|twelve|twenty|zwölf|douze|doce|doze|dodici|twaalf|dwanaście|tolv|on iki|ledger|exodus|phantom|the seed|electrum|merkw)/;
const WALLET =
	/wallet|ledger|trezor|metamask|seed|recover|restor|crypto|bitcoin|\bbtc\b|ethereum|кошел|крипт|钱包|錢包|ウォレット|지갑|محفظ|کیف پول|ארנק|वॉलेट|cüzdan|portfel|portefeuille|cartera|monedero|carteira|portafoglio|billetera/i;

const LENGTHS: readonly number[] = [12, 15, 18, 21, 24];

const CHARS_BEFORE_CUE = 260;
const CHARS_AFTER_CUE = 400;

/** The part of a run behind its last function word: "the words are", "recovery words" belong to no phrase. */
function trimRun(run: string): number {
	let start = 0;
	for (const { index, 0: word } of run.matchAll(FUNCTION_WORDS)) start = index + word.length + 1;
	return start;
}

function countWords(text: string): number {
	return text.match(/\p{L}+/gu)?.length ?? 0;
}

function findRun(text: string, from: number, to: number): readonly [start: number, end: number] | null {
	const window = text.slice(from, to);
	for (const run of [RUN, RUN_CJK])
		for (const match of window.matchAll(run)) {
			const start = trimRun(match[0]);
			const end = from + match.index + match[0].length;
			if (countWords(match[0].slice(start)) >= (LENGTHS[0] ?? 0)) return [from + match.index + start, end];
		}
	return null;
}

function isWholeText(text: string, start: number, end: number): boolean {
	return (
		LENGTHS.includes(countWords(text.slice(start, end))) &&
		text.slice(0, start).trim() === "" &&
		text.slice(end).trim() === ""
	);
}

/** Finds the seed phrases of one text. Each character is searched a bounded number of times. */
export class SeedFinder {
	readonly #text: string;
	readonly #report: (start: number, end: number) => void;
	#searchedTo = 0;

	constructor(text: string, report: (start: number, end: number) => void) {
		this.#text = text;
		this.#report = report;
	}

	/** Searches around a word for a seed phrase. Words come in order. */
	searchAround(start: number, end: number): void {
		if (end + CHARS_AFTER_CUE / 2 < this.#searchedTo) return;
		const from = Math.max(this.#searchedTo, start - CHARS_BEFORE_CUE);
		const to = Math.min(this.#text.length, end + CHARS_AFTER_CUE);
		if (from >= to) return;
		const rest = this.#text.slice(from, start) + this.#text.slice(end, to);
		if (AMBIGUOUS_CUE.test(this.#text.slice(start, end).toLowerCase()) && !WALLET.test(rest)) return;
		const run = findRun(this.#text, from, to);
		this.#searchedTo = run === null ? Math.max(this.#searchedTo, to - CHARS_BEFORE_CUE) : run[1];
		if (run !== null) this.#report(run[0], run[1]);
	}

	/** Reports a text that is a seed phrase and nothing else. */
	searchWhole(): void {
		const text = this.#text;
		if (this.#searchedTo > 0 || text.length > CHARS_AFTER_CUE) return;
		const run = findRun(text, 0, text.length);
		if (run !== null && isWholeText(text, run[0], run[1])) this.#report(run[0], run[1]);
	}
}
