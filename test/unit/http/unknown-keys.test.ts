// What is suggested for a member that a request's schema does not have.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { suggestMembers } from "../../../src/http/unknown-keys.ts";

const TOOL = z.discriminatedUnion("type", [
	z.strictObject({ type: z.literal("ask") }),
	z.strictObject({
		type: z.literal("function"),
		name: z.string().optional(),
		effects: z.string().nullish(),
		max_calls: z.int().nullish(),
		description: z.string().optional(),
		id: z.string().optional(),
	}),
]);
const BODY = z.lazy(() =>
	z.strictObject({
		tools: z.array(z.lazy(() => TOOL)).nullish(),
		message: z.strictObject({ text: z.string().optional() }).optional(),
		byName: z.record(z.string(), z.strictObject({ weight: z.number().optional() })).optional(),
		budget: z.number().default(1),
	}),
);

/** The suggestions for a body, one for each issue. */
function suggestions(body: unknown): string[] {
	const issues = BODY.safeParse(body).error?.issues ?? [];
	return issues.flatMap((issue) => (issue.code === "unrecognized_keys" ? suggestMembers(BODY, issue, body) : []));
}

const tool = (members: object) => ({ tools: [{ type: "ask" }, { type: "function", ...members }] });

describe("the suggestion for an unknown member", () => {
	it.each([
		[tool({ efects: "read" }), '; did you mean "effects"?'],
		[tool({ effect: "read" }), '; did you mean "effects"?'],
		[tool({ maxCalls: 2 }), '; did you mean "max_calls"?'],
		[tool({ descritpoin: "x" }), '; did you mean "description"?'],
		[tool({ efects: 1, nmae: 2, other: 3 }), '; did you mean "effects", "name"?'],
		[{ message: { txet: "x" } }, '; did you mean "text"?'],
		[{ byName: { any: { wieght: 1 } } }, '; did you mean "weight"?'],
		[{ Budget: 1 }, '; did you mean "budget"?'],
	])("of %j is the member that is a slip away", (body, suggestion) => {
		expect(suggestions(body)).toEqual([suggestion]);
	});

	it.each([
		["another word", tool({ timeout: 5 })],
		["a short one", tool({ ip: "x" })],
		["what the object has already", tool({ effects: "read", efects: "read" })],
		["a member of another form", { tools: [{ type: "ask", efects: "read" }] }],
		["a member of another object", { efects: "read" }],
		["a name without end", tool({ [`effects${"s".repeat(10_000)}`]: 1 })],
		["a name of every object", tool({ constructo: 1 })],
	])("of %s is none", (_, body) => {
		expect(suggestions(body)).toEqual([""]);
	});
});
