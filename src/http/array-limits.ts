// Arrays that are longer than a body's schema allows, told before validation: it would look at every entry first, and make an
// issue of each that is wrong. Pure.
import * as z from "zod";
import type { Issue } from "../failure.ts";
import { pathText } from "./json-shape.ts";

/** As much of JSON Schema as says how long an array may be. */
interface ArrayLengths {
	type?: string | string[];
	const?: unknown;
	maxItems?: number;
	items?: ArrayLengths;
	properties?: Record<string, ArrayLengths>;
	anyOf?: ArrayLengths[];
	oneOf?: ArrayLengths[];
}

/** More would tell a client no more. */
const MAX_REPORTED_ISSUES = 20;

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether an alternative is the one that a value was meant as: by its type and the members that name its kind. */
function isMeantAs({ type, properties = {} }: ArrayLengths, value: unknown): boolean {
	if (Array.isArray(value)) return type === "array";
	if (!isObject(value)) return false;
	const kinds = Object.entries(properties).filter(([, property]) => property.const !== undefined);
	return type === "object" && kinds.every(([name, property]) => value[name] === property.const);
}

function collectOverlong(schema: ArrayLengths, value: unknown, steps: (string | number)[], issues: Issue[]): void {
	if (issues.length === MAX_REPORTED_ISSUES || typeof value !== "object" || value === null) return;
	const alternatives = schema.anyOf ?? schema.oneOf;
	if (alternatives) {
		const meant = alternatives.filter((alternative) => isMeantAs(alternative, value));
		if (meant.length === 1 && meant[0]) collectOverlong(meant[0], value, steps, issues);
		return;
	}
	if (Array.isArray(value)) {
		const { maxItems = Number.POSITIVE_INFINITY, items } = schema;
		if (value.length > maxItems)
			issues.push({ path: pathText(steps), message: `must have at most ${maxItems} entries` });
		else if (items)
			for (const [index, entry] of value.entries()) collectOverlong(items, entry, [...steps, index], issues);
		return;
	}
	for (const [name, property] of Object.entries(schema.properties ?? {}))
		if (Object.hasOwn(value, name))
			collectOverlong(property, (value as Record<string, unknown>)[name], [...steps, name], issues);
}

/**
 * Makes the check of one schema.
 * @returns what is wrong with a body's array lengths, with the places; what else is wrong is left to validation.
 */
export function arrayLimitCheck(schema: z.ZodType): (body: unknown) => Issue[] {
	const lengths = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as ArrayLengths;
	return (body) => {
		const issues: Issue[] = [];
		collectOverlong(lengths, body, [], issues);
		return issues;
	};
}
