// Mistyped rules: what is taken for one, and what never is.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ENDPOINTS } from "../../../src/endpoints.ts";
import type { Endpoint } from "../../../src/http/endpoint.ts";
import { findNearMisses, RULE_NAMES, requestNames } from "../../../src/http/near-misses.ts";
import { PROVIDER_REQUESTS } from "../../../src/http/provider-fields.ts";

const intended = (name: string, value: unknown = {}) =>
	findNearMisses({ [name]: value }, ENDPOINTS).map(({ message }) => message.split("did you mean ")[1]);

describe("a mistyped rule", () => {
	it.each([
		["complience", "compliance"],
		["compliances", "compliance"],
		["compilance", "compliance"],
		["cmplience", "compliance"],
		["Compliance", "compliance"],
		["brain_confg", "brain_config"],
		["brainConfig", "brain_config"],
		["brian-config", "brain_config"],
		["max_cost_ud", "max_cost_usd"],
		["maxCostUsd", "max_cost_usd"],
		["max_costs_usd", "max_cost_usd"],
		["maxCostPerStep", "max_cost_per_step"],
		["max_cost_per_steps", "max_cost_per_step"],
		["MaxCostPerStp", "max_cost_per_step"],
		["routing_mod", "routing_mode"],
		["routingMode", "routing_mode"],
		["rooting_model", "routing_mode"],
		["command", "commands"],
		["Commands", "commands"],
		["file_affected", "files_affected"],
		["filesAffected", "files_affected"],
		["action_kinds", "action_kind"],
		["forbidden_command", "forbidden_commands"],
		["protectedPath", "protected_paths"],
	])("%s is refused, and %s suggested", (name, rule) => {
		expect(findNearMisses({ [name]: {} }, ENDPOINTS)).toEqual([
			{ path: name, message: `is no member of any request; did you mean ${rule}?` },
		]);
	});

	it("is not what is null, three slips away, or something else", () => {
		expect(intended("complience", null)).toEqual([]);
		for (const name of [
			"complies",
			"brain",
			"max_cost",
			"max_cost_eur",
			"mode",
			"routing",
			"compilations",
			"comments",
			"files",
			"",
		])
			expect(intended(name), name).toEqual([]);
		for (const body of [null, "complience", 1, [{ complience: {} }]])
			expect(findNearMisses(body, ENDPOINTS)).toEqual([]);
	});

	it("is reported at most twenty times", () => {
		const names = Array.from({ length: 26 }, (_, index) => `complianc${String.fromCharCode(97 + index)}`);
		expect(findNearMisses(Object.fromEntries(names.map((name) => [name, {}])), ENDPOINTS)).toHaveLength(20);
	});
});

describe("a name of a request", () => {
	const names = [...requestNames(ENDPOINTS)];

	it("is known for every endpoint, and for OpenAI and Anthropic", () => {
		expect(names).toEqual(expect.arrayContaining(["messages", "goal", "brain_md", "workspace_id", "overlap_seconds"]));
		expect(names).toEqual(expect.arrayContaining(PROVIDER_REQUESTS.flatMap(({ fields }) => [...fields])));
		expect(names).toEqual(expect.arrayContaining([...RULE_NAMES]));
	});

	it("is never refused, whatever it stands beside", () => {
		fc.assert(
			fc.property(fc.subarray(names), fc.jsonValue(), (some, value) => {
				expect(findNearMisses(Object.fromEntries(some.map((name) => [name, value])), ENDPOINTS)).toEqual([]);
			}),
			{ numRuns: 50 },
		);
		for (const name of names) expect(intended(name), name).toEqual([]);
	});

	it("is not mistyped where another endpoint has it, however near it is to a rule", () => {
		const body = z.object({ complianced: z.string() });
		const other = { ...ENDPOINTS.find(({ id }) => id === "health"), body } as Endpoint;
		expect(intended("complianced")).toEqual(["compliance?"]);
		expect(findNearMisses({ complianced: "" }, [...ENDPOINTS, other])).toEqual([]);
	});
});

it("the lists of OpenAI's and Anthropic's fields are sorted and without duplicates", () => {
	for (const { fields, request } of PROVIDER_REQUESTS)
		expect([...new Set(fields)].toSorted(), request).toEqual([...fields]);
});
