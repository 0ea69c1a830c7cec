// Values for a JSON Schema: ones that fit it, and ones with exactly one fault, wherever in it that may be.
import fc from "fast-check";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { odd } from "./generate-odd.ts";

/** As much of JSON Schema 2020-12 as the OpenAPI document uses. */
export interface JsonSchema {
	$ref?: string;
	$defs?: Record<string, JsonSchema>;
	type?: string | string[];
	const?: unknown;
	enum?: unknown[];
	anyOf?: JsonSchema[];
	oneOf?: JsonSchema[];
	allOf?: JsonSchema[];
	properties?: Record<string, JsonSchema>;
	required?: string[];
	additionalProperties?: JsonSchema | boolean;
	items?: JsonSchema;
	prefixItems?: JsonSchema[];
	minItems?: number;
	maxItems?: number;
	minLength?: number;
	maxLength?: number;
	pattern?: string;
	format?: string;
	minimum?: number;
	maximum?: number;
	exclusiveMinimum?: number;
	exclusiveMaximum?: number;
}

type Values = fc.Arbitrary<unknown>;

/** Schemas that refer to themselves end here. */
const MAX_DEPTH = 12;
/** Longest list that is made only to be one too long. */
const MAX_OVERLONG = 5_000;
const MAX_OVERLONG_TEXT = 300_000;

const PLAIN_TEXTS = [
	"hi",
	"Say hello",
	"What is the weather in Oslo?",
	"Write a function in Rust",
	"x",
	...CATALOG.models.slice(0, 1).map(({ id }) => id),
];

function alternatives(schema: JsonSchema): JsonSchema[] | null {
	if (schema.anyOf ?? schema.oneOf) return schema.anyOf ?? schema.oneOf ?? null;
	return Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : null;
}

/** How many places for a fault a schema has. */
function size(schema: JsonSchema, depth = 0): number {
	if (depth > MAX_DEPTH) return 1;
	const parts = [
		...(schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []),
		...Object.values(schema.properties ?? {}),
		...(schema.items ? [schema.items] : []),
	];
	return parts.reduce((sum, part) => sum + size(part, depth + 1), 1);
}

/** Length of a text as JSON Schema counts it and as JavaScript does: fits both. */
function clipped(text: string, { minLength = 0, maxLength }: JsonSchema): string {
	const long = text.padEnd(minLength, "x");
	return maxLength === undefined ? long : long.slice(0, maxLength);
}

function matching(pattern: string): fc.Arbitrary<string> | null {
	try {
		return fc.stringMatching(new RegExp(pattern));
	} catch {
		return null;
	}
}

function fittingText(schema: JsonSchema): fc.Arbitrary<string> {
	if (schema.format === "date-time") return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
	const free = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...PLAIN_TEXTS) }, { weight: 2, arbitrary: odd.text });
	return ((schema.pattern && matching(schema.pattern)) || free).map((text) => clipped(text, schema));
}

function faultyText({ minLength, maxLength, pattern }: JsonSchema): Values {
	const lengths = [minLength === undefined ? null : minLength - 1, maxLength === undefined ? null : maxLength + 1];
	const wrong = lengths.filter((length) => length !== null && length >= 0 && length <= MAX_OVERLONG_TEXT);
	const texts = wrong.map((length) => "x".repeat(length ?? 0));
	if (pattern || texts.length === 0) return odd.text;
	return fc.constantFrom(...texts);
}

interface Range {
	min: number;
	max: number;
}

function rangeOf(schema: JsonSchema): Range {
	const whole = schema.type === "integer";
	const beyond = (bound: number | undefined, step: number) =>
		bound === undefined ? undefined : bound + (whole ? step : step * 1e-6);
	const widest = whole ? Number.MAX_SAFE_INTEGER : 1e308;
	return {
		min: schema.minimum ?? beyond(schema.exclusiveMinimum, 1) ?? -widest,
		max: schema.maximum ?? beyond(schema.exclusiveMaximum, -1) ?? widest,
	};
}

function fittingNumber(schema: JsonSchema): Values {
	const { min, max } = rangeOf(schema);
	const small = { min: Math.max(min, Math.min(max, -100)), max: Math.min(max, Math.max(min, 100)) };
	const inside =
		schema.type === "integer"
			? fc.integer({ min: Math.ceil(small.min), max: Math.floor(small.max) })
			: fc.double({ ...small, noNaN: true });
	return fc.oneof({ weight: 3, arbitrary: inside }, { weight: 1, arbitrary: fc.constantFrom(min, max) });
}

function faultyNumber(schema: JsonSchema): Values {
	const { min, max } = rangeOf(schema);
	return fc.oneof(fc.constantFrom(min - 1, max + 1, min - 1e-9, max + 1e-9), odd.number);
}

/** An optional member is left out most of the time, so that requests stay small enough to be served. */
function maybe(values: Values): Values {
	return fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: values });
}

function withMember(object: unknown, key: string, value: unknown): Record<string, unknown> {
	return Object.fromEntries([...Object.entries(object as object).filter(([name]) => name !== key), [key, value]]);
}

/** Generators for one schema of the document. */
export class SchemaValues {
	#root: JsonSchema;
	#hints: Readonly<Record<string, Values>>;

	/**
	 * @param root what `$ref` is relative to.
	 * @param hints values by the name of the member, besides those of its schema.
	 */
	constructor(root: JsonSchema, hints: Readonly<Record<string, Values>> = {}) {
		this.#root = root;
		this.#hints = hints;
	}

	#resolved(schema: JsonSchema): JsonSchema {
		if (schema.$ref === undefined) return schema;
		const steps = schema.$ref.split("/").slice(1);
		let at: unknown = this.#root;
		for (const step of steps) at = (at as Record<string, unknown> | undefined)?.[step];
		return (at ?? {}) as JsonSchema;
	}

	/** Values that the schema allows. */
	fitting(given: JsonSchema, name = "", depth = 0): Values {
		const own = this.#fittingBySchema(this.#resolved(given), depth);
		const hint = Object.hasOwn(this.#hints, name) ? this.#hints[name] : undefined;
		return hint ? fc.oneof({ weight: 3, arbitrary: hint }, { weight: 1, arbitrary: own }) : own;
	}

	#fittingBySchema(schema: JsonSchema, depth: number): Values {
		if (depth > MAX_DEPTH) return fc.constant(null);
		if ("const" in schema) return fc.constant(schema.const);
		if (schema.enum) return fc.constantFrom(...schema.enum);
		const choices = alternatives(schema);
		if (choices) {
			// A null stands for absence, which optional members have enough of.
			const weight = (choice: JsonSchema) => (choice.type === "null" ? 1 : 5);
			return fc.oneof(
				...choices.map((choice) => ({ weight: weight(choice), arbitrary: this.fitting(choice, "", depth + 1) })),
			);
		}
		switch (schema.type) {
			case "object":
				return this.#fittingObject(schema, depth);
			case "array":
				return this.#fittingArray(schema, depth);
			case "string":
				return fittingText(schema);
			case "integer":
			case "number":
				return fittingNumber(schema);
			case "boolean":
				return fc.boolean();
			case "null":
				return fc.constant(null);
			default:
				return odd.json;
		}
	}

	#fittingObject({ properties = {}, required = [], additionalProperties }: JsonSchema, depth: number): Values {
		const members = Object.entries(properties).map(([key, property]): [string, Values] => {
			const values = this.fitting(property, key, depth + 1);
			return [key, required.includes(key) ? values : maybe(values)];
		});
		const open = typeof additionalProperties === "object" && Object.keys(properties).length === 0;
		const others = open
			? fc.array(fc.tuple(odd.key, this.fitting(additionalProperties, "", depth + 1)), { maxLength: 3 })
			: fc.constant([]);
		return fc
			.tuple(fc.record(Object.fromEntries(members)), others)
			.map(([known, more]) =>
				Object.fromEntries([...Object.entries(known).filter(([, value]) => value !== undefined), ...more]),
			);
	}

	#fittingArray({ items = {}, prefixItems, minItems = 0, maxItems = 3 }: JsonSchema, depth: number): Values {
		if (prefixItems) return fc.tuple(...prefixItems.map((item) => this.fitting(item, "", depth + 1)));
		const lengths = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, minItems + 3)) };
		return fc.array(this.fitting(items, "", depth + 1), lengths);
	}

	/** Values with one fault: a wrong type, a bound overstepped, a member missing or too many. */
	faulty(given: JsonSchema, depth = 0): Values {
		const schema = this.#resolved(given);
		if (depth > MAX_DEPTH) return odd.json;
		const inside = this.#faultInside(schema, depth);
		return inside ? fc.oneof({ weight: 1, arbitrary: odd.json }, { weight: 4, arbitrary: inside }) : odd.json;
	}

	#faultInside(schema: JsonSchema, depth: number): Values | null {
		const choices = alternatives(schema);
		if (choices) {
			return fc.oneof(
				...choices.map((choice) => ({ weight: size(choice), arbitrary: this.faulty(choice, depth + 1) })),
			);
		}
		switch (schema.type) {
			case "object":
				return this.#faultyObject(schema, depth);
			case "array":
				return this.#faultyArray(schema, depth);
			case "string":
				return faultyText(schema);
			case "integer":
			case "number":
				return faultyNumber(schema);
			default:
				return null;
		}
	}

	#faultyObject(schema: JsonSchema, depth: number): Values {
		const whole = this.#fittingObject(schema, depth);
		const inMember = Object.entries(schema.properties ?? {}).map(([key, property]) => ({
			weight: Math.min(20, size(property)),
			arbitrary: fc
				.tuple(whole, this.faulty(property, depth + 1))
				.map(([object, fault]) => withMember(object, key, fault)),
		}));
		const missing = (schema.required ?? []).map((key) => ({
			weight: 1,
			arbitrary: whole.map((object) => {
				const { [key]: _, ...rest } = object as Record<string, unknown>;
				return rest;
			}),
		}));
		const added = fc.tuple(whole, odd.key, odd.json).map(([object, key, value]) => withMember(object, key, value));
		return fc.oneof(...inMember, ...missing, { weight: 2, arbitrary: added });
	}

	#faultyArray({ items = {}, minItems = 0, maxItems }: JsonSchema, depth: number): Values {
		const item = this.fitting(items, "", depth + 1);
		const repeated = (length: number) => item.map((one) => new Array(length).fill(one));
		const lengths = [minItems - 1, (maxItems ?? Number.POSITIVE_INFINITY) + 1];
		const wrong = lengths.filter((length) => length >= 0 && length <= MAX_OVERLONG).map(repeated);
		const holding = fc
			.tuple(fc.array(item, { maxLength: 2 }), this.faulty(items, depth + 1))
			.map(([some, fault]) => [...some, fault]);
		return fc.oneof({ weight: 6, arbitrary: holding }, ...wrong.map((arbitrary) => ({ weight: 1, arbitrary })));
	}
}
