// Finds arrays that are longer than a body's schema allows, before validation, which would look at every entry first and report
// each that is wrong. Pure.
import * as z from "zod";
import type { Issue } from "../failure.ts";
import { isJsonObject } from "../json.ts";
import { pathText } from "./json-shape.ts";

/** The part of JSON Schema that limits the length of arrays. */
interface ArrayLengths {
	type?: string | string[];
	const?: unknown;
	maxItems?: number;
	items?: ArrayLengths;
	properties?: Record<string, ArrayLengths>;
	anyOf?: ArrayLengths[];
	oneOf?: ArrayLengths[];
}

/** More issues would tell a client no more. */
export const MAX_REPORTED_ISSUES = 20;

/** Whether a value was meant as this alternative, by its type and the members that name its kind. */
function isMeantAs({ type, properties = {} }: ArrayLengths, value: unknown): boolean {
	if (Array.isArray(value)) return type === "array";
	if (!isJsonObject(value)) return false;
	const kinds = Object.entries(properties).filter(([, property]) => property.const !== undefined);
	return type === "object" && kinds.every(([name, property]) => value[name] === property.const);
}

function collectOverlong(schema: ArrayLengths, value: unknown, steps: (string | number)[], issues: Issue[]): void {
	if (issues.length === MAX_REPORTED_ISSUES) return;
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
	if (!isJsonObject(value)) return;
	for (const [name, property] of Object.entries(schema.properties ?? {}))
		if (Object.hasOwn(value, name)) collectOverlong(property, value[name], [...steps, name], issues);
}

/**
 * Compiles the check of one schema.
 * @returns a function that finds the arrays of a body that are too long. What else is wrong is left to validation.
 */
export function arrayLimitCheck(schema: z.ZodType): (body: unknown) => Issue[] {
	const lengths = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as ArrayLengths;
	return (body) => {
		const issues: Issue[] = [];
		collectOverlong(lengths, body, [], issues);
		return issues;
	};
}
