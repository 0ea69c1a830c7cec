// Reads the text that a model writes for a custom tool. Inside, a custom call has the arguments `{"input":"…"}`; clients get the
// text alone, piece by piece. Pure.
import { isJsonObject, parseJson } from "../json.ts";
import { HIGH_SURROGATE_AT_END } from "../providers/well-formed.ts";

/** What stands before the text. White space may stand before its tokens, which begin at these positions. */
const OPENING = '{"input":"';
const TOKEN_STARTS: ReadonlySet<number> = new Set([0, 1, 8, 9]);

/** The characters that JSON escapes stand for (RFC 8259, section 7), `\u` apart. */
const JSON_ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** The text of arguments of any other form: their member `input`, nothing for none, else all that the model wrote. */
function readOtherForm(written: string): string {
	const parsed = parseJson(written);
	if (isJsonObject(parsed)) {
		const { input } = parsed;
		if (typeof input === "string") return input.toWellFormed();
		if (Object.keys(parsed).length === 0) return "";
	}
	return written;
}

/** Decodes the arguments of one custom call. The pieces may be cut anywhere, in an escape or a surrogate pair, too. */
export class CustomInputDecoder {
	#written = "";
	#state: "opening" | "text" | "ended" | "other" = "opening";
	#matched = 0;
	/** An escape that has begun: from its backslash on. */
	#escape = "";
	/** A high surrogate whose partner may follow. */
	#half = "";

	/** The text that a piece of the arguments adds. */
	add(piece: string): string {
		this.#written += piece;
		let text = "";
		for (const unit of piece.split("")) text += this.#read(unit);
		return this.#withoutHalf(text);
	}

	/** The text that only the end makes certain. */
	end(): string {
		if (this.#state === "opening" || this.#state === "other") return readOtherForm(this.#written);
		const rest = this.#half === "" ? "" : "\ufffd";
		this.#half = "";
		return rest;
	}

	#read(unit: string): string {
		if (this.#state === "text") return this.#readText(unit);
		if (this.#state === "opening") this.#readOpening(unit);
		return "";
	}

	#readOpening(unit: string): void {
		if (unit === OPENING[this.#matched]) this.#matched++;
		else if (!(TOKEN_STARTS.has(this.#matched) && /[ \t\r\n]/.test(unit))) this.#state = "other";
		if (this.#matched === OPENING.length) this.#state = "text";
	}

	#readText(unit: string): string {
		if (this.#escape !== "") return this.#readEscape(unit);
		if (unit === '"') this.#state = "ended";
		else if (unit === "\\") this.#escape = unit;
		else return unit;
		return "";
	}

	#readEscape(unit: string): string {
		const written = this.#escape + unit;
		const isUnicode = written[1] === "u";
		this.#escape = isUnicode && written.length < 6 ? written : "";
		if (this.#escape !== "") return "";
		if (isUnicode) return String.fromCharCode(Number.parseInt(written.slice(2), 16) || 0);
		return JSON_ESCAPES[unit] ?? unit;
	}

	/** Holds back a high surrogate at the end. */
	#withoutHalf(text: string): string {
		const whole = this.#half + text;
		this.#half = this.#state === "text" ? (HIGH_SURROGATE_AT_END.exec(whole)?.[0] ?? "") : "";
		return whole.slice(0, whole.length - this.#half.length).toWellFormed();
	}
}

/** The text of a custom call whose arguments are complete. */
export function readCustomInput(written: string): string {
	const decoder = new CustomInputDecoder();
	return decoder.add(written) + decoder.end();
}
