// Replaces the values of a request by placeholders, and puts them back into answers. Which values, is up to plan.ts. Pure.
import { findClass } from "../detection/kinds.ts";
import { escapeJson, isJson, type JsonToken, jsonTokens, toJsonValue, unescapeJson } from "./json-tokens.ts";
import { findPlaceholders, likePlaceholders, renderPlaceholder, toPlaceholderLabel } from "./placeholder.ts";
import { ValueFinder } from "./value-finder.ts";

/** What a text is: prose, where values stand as they are, or JSON, where they are escaped. */
export type TextForm = "text" | "json";

/** A value that is masked. */
interface MaskedValue {
	readonly placeholder: string;
	readonly label: string;
	/** Of the data; null for a text of the client's that is written like a placeholder. */
	readonly kind: string | null;
}

export class Mask {
	readonly #finder = new ValueFinder();
	readonly #byValue = new Map<string, MaskedValue>();
	readonly #byPlaceholder = new Map<string, string>();
	/** Kinds of values that have no number yet. They get one where they stand alone. */
	readonly #unnumbered = new Map<string, string>();
	/** What the client wrote like a placeholder. It stays as it is, and no value gets its number. */
	readonly #reserved = new Set<string>();
	readonly #lastNumbers = new Map<string, number>();
	/** Texts that were masked when the mask was planned. */
	readonly #prepared = { text: new Map<string, string>(), json: new Map<string, string>() };

	/** Whether nothing is masked. */
	get isEmpty(): boolean {
		return this.#byValue.size === 0 && this.#unnumbered.size === 0;
	}

	/** How many different values of each kind are masked, by kind, sorted. */
	get counts(): Record<string, number> {
		const counts = new Map<string, number>();
		for (const { kind } of this.#byValue.values()) if (kind !== null) counts.set(kind, (counts.get(kind) ?? 0) + 1);
		return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
	}

	/** The label of every placeholder in use. */
	get labels(): ReadonlySet<string> {
		return new Set(Array.from(this.#byValue.values(), ({ label }) => label));
	}

	/** The longest placeholder in use, in UTF-16 units. */
	get longestPlaceholder(): number {
		let longest = 0;
		for (const placeholder of this.#byPlaceholder.keys()) longest = Math.max(longest, placeholder.length);
		return longest;
	}

	/** The value of a placeholder; undefined if it stands for none. */
	findValue(placeholder: string): string | undefined {
		return this.#byPlaceholder.get(placeholder);
	}

	/** Keeps what a text holds like a placeholder as it is. Where its number is taken, it is masked itself. */
	reservePlaceholders(text: string): void {
		for (const { written, label } of findPlaceholders(text)) {
			if (this.#byPlaceholder.has(written)) this.#number(written, label, null);
			else this.#reserved.add(written);
		}
	}

	/** Numbers a value, if it has no number yet. @param isAnywhere it is replaced within words, too. */
	addValue(value: string, kind: string, isAnywhere: boolean): void {
		if (value === "") return;
		this.#finder.add(value, isAnywhere);
		this.#unnumbered.delete(value);
		this.#number(value, toPlaceholderLabel(kind), kind);
	}

	/** Adds a value that gets a number where it is found alone. */
	addPart(value: string, kind: string, isAnywhere: boolean): void {
		if (value === "") return;
		this.#finder.add(value, isAnywhere);
		if (!this.#byValue.has(value)) this.#unnumbered.set(value, kind);
	}

	/** Whether some value has no number yet. */
	get hasParts(): boolean {
		return this.#unnumbered.size > 0;
	}

	#number(value: string, label: string, kind: string | null): MaskedValue {
		const known = this.#byValue.get(value);
		if (known) return known;
		let number = this.#lastNumbers.get(label) ?? 0;
		let placeholder: string;
		do placeholder = renderPlaceholder({ label, number: ++number });
		while (this.#reserved.has(placeholder));
		this.#lastNumbers.set(label, number);
		const masked = { placeholder, label, kind };
		this.#byValue.set(value, masked);
		this.#byPlaceholder.set(placeholder, value);
		if (kind === null) this.#finder.add(value, true);
		this.#prepared.text.clear();
		this.#prepared.json.clear();
		return masked;
	}

	/**
	 * The placeholder of what was found in a text. Values that overlap there are one value.
	 * @param first the first of them.
	 */
	#placeholderFor(found: string, first: string): string {
		const known = this.#byValue.get(found);
		if (known) return known.placeholder;
		const part = this.#unnumbered.get(found);
		const kind = part ?? this.#unnumbered.get(first) ?? this.#byValue.get(first)?.kind;
		this.#unnumbered.delete(found);
		// A part is found where it is a word of its own; what overlaps is found as it overlaps.
		if (part === undefined) this.#finder.add(found, true);
		return this.#number(found, toPlaceholderLabel(kind ?? "value"), kind ?? "value").placeholder;
	}

	/** A text with placeholders for its values. */
	maskText(text: string): string {
		if (this.isEmpty) return text;
		const known = this.#prepared.text.get(text);
		if (known !== undefined) return known;
		let masked = "";
		let copied = 0;
		for (const { start, end, firstEnd } of this.#finder.find(text)) {
			masked += text.slice(copied, start) + this.#placeholderFor(text.slice(start, end), text.slice(start, firstEnd));
			copied = end;
		}
		if (copied === 0) return text;
		return masked + text.slice(copied);
	}

	/** A name with placeholders for its values, without their brackets: providers allow letters, digits and `_` in names. */
	maskName(name: string): string {
		const masked = this.maskText(name);
		if (masked === name) return name;
		return masked.replace(/\[([A-Z0-9_]{1,60})\]/g, (placeholder, inside) =>
			this.#byPlaceholder.has(placeholder) ? inside : placeholder,
		);
	}

	/** Masks a text once, and keeps the result. */
	prepare(text: string, form: TextForm): void {
		const masked = form === "json" ? this.maskJson(text) : this.maskText(text);
		this.#prepared[form].set(text, masked);
	}

	#maskToken(json: string, { start, end, isString }: JsonToken): string | null {
		const written = json.slice(start, end);
		const value = isString ? unescapeJson(written.slice(1, -1)) : written;
		if (isString) {
			const masked = this.maskText(value);
			return masked === value ? null : JSON.stringify(masked);
		}
		// A number in which a value stands is replaced as a whole: what is left of it would be no number.
		const [span] = this.#finder.find(value);
		return span ? JSON.stringify(this.#placeholderFor(value, value.slice(span.start, span.firstEnd))) : null;
	}

	/** A JSON text with placeholders for the values in its strings and numbers. It stays JSON. If it is none, it is a text. */
	maskJson(json: string): string {
		if (this.isEmpty) return json;
		const known = this.#prepared.json.get(json);
		if (known !== undefined) return known;
		if (!isJson(json)) return this.maskText(json);
		let masked = "";
		let copied = 0;
		for (const token of jsonTokens(json)) {
			const replaced = this.#maskToken(json, token);
			if (replaced === null) continue;
			masked += json.slice(copied, token.start) + replaced;
			copied = token.end;
		}
		return copied === 0 ? json : masked + json.slice(copied);
	}

	/** Begins to restore an answer that comes in pieces. */
	restorer(form: TextForm): Restorer {
		return new Restorer(this, form);
	}

	/** A text with the values that its placeholders stand for. */
	restore(text: string, form: TextForm = "text"): string {
		if (this.isEmpty || !text.includes("[")) return text;
		const restorer = this.restorer(form);
		return restorer.add(text) + restorer.end();
	}

	/** What a model made of placeholders and cannot be restored: changed ones, and ones that stand for nothing. Each once. */
	findStrays(text: string): string[] {
		if (this.isEmpty) return [];
		const like = likePlaceholders(this.labels).flatMap((pattern) =>
			Array.from(text.matchAll(pattern), ([found]) => found),
		);
		const invented = Array.from(findPlaceholders(text)).filter(({ label }) => findClass(label.toLowerCase()) !== null);
		const all = new Set([...like, ...invented.map(({ written }) => written)]);
		return [...all].filter((written) => !this.#byPlaceholder.has(written) && !this.#reserved.has(written));
	}
}

const STRING_QUOTE = '"';

/** Follows where strings of a JSON text begin and end. A text that does not begin like JSON is none. */
class JsonPosition {
	isJson = false;
	isInString = false;
	#hasBegun = false;
	#isEscaped = false;

	pass(text: string): void {
		if (!this.#hasBegun) {
			const opening = text.trimStart().charAt(0);
			this.#hasBegun = opening !== "";
			this.isJson = opening === "{" || opening === "[" || opening === STRING_QUOTE;
		}
		for (let at = 0; at < text.length; at++) {
			const unit = text.charAt(at);
			if (this.#isEscaped) this.#isEscaped = false;
			else if (unit === "\\") this.#isEscaped = this.isInString;
			else if (unit === STRING_QUOTE) this.isInString = !this.isInString;
		}
	}
}

/** Restores a text that comes in pieces. A piece that may be the beginning of a placeholder waits for the next. */
export class Restorer {
	readonly #mask: Mask;
	readonly #labels: readonly string[];
	readonly #longest: number;
	readonly #json: JsonPosition | null;
	#waiting = "";

	constructor(mask: Mask, form: TextForm) {
		this.#mask = mask;
		this.#labels = [...mask.labels];
		this.#longest = mask.longestPlaceholder;
		this.#json = form === "json" ? new JsonPosition() : null;
	}

	#mayBegin(piece: string): boolean {
		if (piece.length >= this.#longest) return false;
		return this.#labels.some((label) => {
			const opening = `[${label}_`;
			if (piece.length <= opening.length) return opening.startsWith(piece);
			return piece.startsWith(opening) && /^\d+$/.test(piece.slice(opening.length));
		});
	}

	#pass(text: string): string {
		this.#json?.pass(text);
		return text;
	}

	#render(value: string): string {
		if (!this.#json?.isJson) return value;
		return this.#json.isInString ? escapeJson(value) : toJsonValue(value);
	}

	/** The next piece, as far as it may be delivered. */
	add(piece: string): string {
		const text = this.#waiting + piece;
		this.#waiting = "";
		let restored = "";
		let copied = 0;
		for (let at = text.indexOf("["); at >= 0; at = text.indexOf("[", at + 1)) {
			const ahead = text.slice(at, at + this.#longest);
			const length = ahead.indexOf("]") + 1;
			const value = length > 0 ? this.#mask.findValue(ahead.slice(0, length)) : undefined;
			if (value !== undefined) {
				restored += this.#pass(text.slice(copied, at)) + this.#render(value);
				copied = at + length;
				at = copied - 1;
			} else if (length === 0 && this.#mayBegin(ahead)) {
				this.#waiting = text.slice(at);
				return restored + this.#pass(text.slice(copied, at));
			}
		}
		return restored + this.#pass(text.slice(copied));
	}

	/** What waited for more. */
	end(): string {
		const rest = this.#waiting;
		this.#waiting = "";
		return this.#pass(rest);
	}
}
