// A job for an agent with tools: made of seeded data, with the script of a competent model, and a check that works the answer out by
// itself.

/** Draws what jobs are made of: the same for the same seed. Mulberry32. */
export class Draw {
	#state: number;

	constructor(seed: number) {
		this.#state = seed >>> 0;
	}

	/** From 0 to below 1. */
	next(): number {
		this.#state = (this.#state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	}

	/** A whole number, both ends included. */
	int(least: number, most: number): number {
		return least + Math.floor(this.next() * (most - least + 1));
	}

	pick<T>(items: readonly T[]): T {
		const item = items[this.int(0, items.length - 1)];
		if (item === undefined) throw new Error("nothing to pick from");
		return item;
	}

	shuffle<T>(items: readonly T[]): T[] {
		return items
			.map((item) => ({ item, key: this.next() }))
			.sort((a, b) => a.key - b.key)
			.map(({ item }) => item);
	}

	/** A day of a year. */
	day(year: number): string {
		return new Date(Date.UTC(year, 0, this.int(1, 365))).toISOString().slice(0, 10);
	}
}

export type Json = Record<string, unknown>;

/** A tool of the job's client. */
export interface JobTool {
	name: string;
	description: string;
	/** JSON Schemas of the arguments, which are all required. */
	properties: Record<string, Json>;
	/** Further members of the tool in the request, such as `effects`. */
	more?: Json;
	/** Throws where it fails: the message is the error result. */
	run(args: Json): unknown;
}

/** A call that the model makes. */
export interface ScriptedCall {
	name: string;
	args: Json;
}

/** What the model says at the end: words, and JSON where it is asked for the output's form. */
export interface JobAnswer {
	words?: string;
	json?: unknown;
}

/** The model's part: it gives the calls of a turn, and gets their results as the model reads them. */
export type JobScript = Generator<ScriptedCall[], JobAnswer, string[]>;

export interface Job {
	name: string;
	goal: string;
	tools: JobTool[];
	/** Built-in tools that are listed. */
	builtIn?: ("compute" | "ask_user")[];
	outputSchema?: Json;
	maxTokens?: number;
	/** Rules of the manifest; by default all tools are allowed by name. */
	toolRules?: Json;
	/** Decides on an approval. */
	decide?(pending: { tool: string; arguments: Json }): Json;
	/** Answers a question. */
	answer?(question: Json): unknown;
	script(): JobScript;
	/** What is wrong with the output and with what the tools did; null where nothing is. */
	check(output: string): string | null;
}

export const call = (name: string, args: Json = {}): ScriptedCall => ({ name, args });
export const compute = (expression: string, tables?: Json[]): ScriptedCall =>
	call("compute", { expression, ...(tables ? { tables } : {}) });

/** The result of a call of compute. */
export function resultIn(text: string | undefined): unknown {
	const parsed = JSON.parse(text ?? "") as { result: unknown };
	return parsed.result;
}

/** Cents as an amount. */
export function euros(cents: number): string {
	const digits = String(Math.abs(cents)).padStart(3, "0");
	return `${cents < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Compares as JSON, with numbers by value and lists in their order. */
export function differs(found: unknown, wanted: unknown): string | null {
	const [left, right] = [JSON.stringify(found), JSON.stringify(wanted)];
	return left === right ? null : `got ${left?.slice(0, 300)}, wanted ${right?.slice(0, 300)}`;
}

export function parseOutput(output: string): Json {
	try {
		return JSON.parse(output) as Json;
	} catch {
		return { unreadable: output.slice(0, 200) };
	}
}

/** A JSON Schema of an object whose members are all required. */
export const objectSchema = (properties: Record<string, Json>): Json => ({
	type: "object",
	properties,
	required: Object.keys(properties),
	additionalProperties: false,
});
export const STRING = { type: "string" };
export const NUMBER = { type: "number" };
export const INTEGER = { type: "integer" };
export const listOf = (items: Json): Json => ({ type: "array", items });
