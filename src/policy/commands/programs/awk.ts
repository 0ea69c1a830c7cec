// Programs of awk: the commands that they run and pipe to, and the files that they read and write, by the texts in the program.
// One that the program puts together asks. Which words are a program is in grammar/text.json.
import { UNKNOWN } from "../../placeholders.ts";
import {
	type Effect,
	fillEffect,
	forbiddenEffect,
	guessedScriptEffect,
	raiseEffect,
	readEffect,
	riskyEffect,
	writeEffect,
} from "../effects.ts";
import { isStandardStream } from "../locations.ts";
import { TokenCursor } from "./code-cursor.ts";
import { type CodeToken, openCodeTokens } from "./code-tokens.ts";

/** Words that are no value. */
const AWK_WORDS = /^(?:if|while|for|do|else|return|in|function|func|delete|BEGIN|END|exit|next|print|printf|getline)$/;

/** Follows a program from its first token to its last. A value is a text with `UNKNOWN` where it is computed. */
class AwkReader {
	readonly #tokens: TokenCursor;
	readonly #effects: Effect[] = [];
	/** The value that was read last: neighbouring texts and names are joined. */
	#value = "";
	/** What the open statement prints, whose `>` and `|` say where to. Null where none is open. */
	#printed: string | null = null;
	#depth = 0;

	constructor(text: string) {
		this.#tokens = new TokenCursor(openCodeTokens(text, "awk"));
	}

	read(): readonly Effect[] {
		for (let token = this.#tokens.next(); token; token = this.#tokens.next()) {
			if (token.kind === "string" && token.value.startsWith("/inet"))
				this.#effects.push(forbiddenEffect("awk opens a connection"));
			if (token.kind === "name" && token.value === "system" && this.#tokens.take("(")) this.#run(this.#next());
			else if (token.kind === "name" && token.value === "getline") this.#getline();
			else if (token.kind === "mark" || token.kind === "newline") this.#mark(token.value);
			else this.#join(token);
		}
		return this.#effects;
	}

	#join({ kind, value }: CodeToken): void {
		if (kind === "name" && AWK_WORDS.test(value)) {
			this.#value = "";
			if (value === "print" || value === "printf") this.#printed = "";
			return;
		}
		const text = kind === "name" ? UNKNOWN : value;
		this.#value += text;
		if (this.#printed !== null) this.#printed += text;
	}

	/** The value that comes next, and whether it begins with a field of the input, `$1`, or with its name. */
	#next(): { readonly value: string; readonly isField: boolean } {
		const isField = this.#tokens.is("$") || this.#tokens.peek()?.value === "FILENAME";
		let value = "";
		for (let token = this.#tokens.peek(); token; token = this.#tokens.peek()) {
			if (token.kind === "newline" || (token.kind === "mark" && token.value !== "$" && token.value !== "(")) break;
			this.#tokens.next();
			if (token.value === "$" || token.value === "(") continue;
			value += token.kind === "name" || isField ? UNKNOWN : token.value;
		}
		return { value, isField };
	}

	#mark(mark: string): void {
		if (mark === "(") this.#depth++;
		else if (mark === ")") this.#depth--;
		else if (mark === "|") this.#pipe();
		else if (mark === ">" && this.#printed !== null && this.#depth === 0) this.#write(this.#printed);
		else if (mark === "," && this.#printed !== null) this.#printed += " ";
		else if (/^[{};\n]$/.test(mark)) {
			this.#printed = null;
			this.#depth = 0;
		}
		if (mark !== "$" && mark !== "(" && mark !== ")") this.#value = "";
	}

	/** `"command" | getline` runs what stands before the bar, `print | "command"` what stands behind it. */
	#pipe(): void {
		this.#tokens.take("&");
		const before = this.#value;
		if (this.#tokens.peek()?.value === "getline") this.#run({ value: before });
		else {
			const { value } = this.#next();
			if (value.startsWith(UNKNOWN)) this.#run({ value });
			else this.#effects.push(guessedScriptEffect(`awk 1 | ${value}`));
		}
	}

	#run({ value }: { readonly value: string }): void {
		if (value === "" || value.startsWith(UNKNOWN))
			this.#effects.push(raiseEffect("exec_action", "awk runs a command that it puts together"));
		else this.#effects.push(guessedScriptEffect(value));
	}

	/** `print > "file"`. Files that are named after fields, `print > $1`, lie in the folder that awk runs in. */
	#write(printed: string): void {
		this.#tokens.take(">");
		const { value, isField } = this.#next();
		if (isField || isStandardStream(value)) return;
		if (value === "" || value.startsWith(UNKNOWN))
			this.#effects.push(riskyEffect("awk writes a file whose name it puts together"));
		else {
			this.#effects.push(writeEffect(value));
			if (printed !== "" && !printed.includes(UNKNOWN)) this.#effects.push(fillEffect(value, `${printed}\n`));
		}
	}

	/** `getline line < "file"`. */
	#getline(): void {
		while (this.#tokens.peek()?.kind === "name") this.#tokens.next();
		const { value } = this.#tokens.take("<") ? this.#next() : { value: "" };
		if (value !== "" && !value.startsWith(UNKNOWN)) this.#effects.push(readEffect(value));
	}
}

/** Finds what a program of awk does. */
export function findAwkEffects(text: string): readonly Effect[] {
	return new AwkReader(text).read();
}
