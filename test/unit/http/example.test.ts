// The example of an endpoint: what it states, and what it takes from the examples of others.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Endpoint, IdSource } from "../../../src/http/endpoint.ts";
import { argumentIn, fillExample, idInAnswer, toTarget, withArgument } from "../../../src/http/example.ts";

const THING: IdSource = { answerOf: "make_thing" };

function made(more: Partial<Endpoint>): Endpoint {
	const base = { id: "made", method: "POST", path: "/v1/made", access: "key", toolGroup: null, ids: "none" };
	return {
		...base,
		summary: "Made.",
		result: z.unknown(),
		handle: async () => ({ ok: true, value: "" }),
		...more,
	} as Endpoint;
}

const find = async (source: IdSource, argument: string) => `${argument} of ${Object.values(source)[0]}`;

describe("an example", () => {
	it("is filled with the ids without which the endpoint refuses it, each in its place, and with no other", async () => {
		const endpoint = made({
			path: "/v1/made/{thing_id}",
			query: z.object({ page_id: z.string(), cursor: z.string().optional() }),
			body: z.object({ part_id: z.string(), word: z.string(), whole_id: z.string().optional() }),
			ids: { thing_id: THING, page_id: THING, part_id: THING, whole_id: THING, cursor: { pageAfter: "make_thing" } },
			example: { body: { word: "hi" } },
		});
		expect(await fillExample(endpoint, find)).toEqual({
			params: { thing_id: "thing_id of make_thing" },
			query: { page_id: "page_id of make_thing" },
			body: { part_id: "part_id of make_thing", word: "hi" },
		});
	});

	it("keeps what it states itself", async () => {
		const body = z.object({ thing_id: z.string() });
		const endpoint = made({ body, ids: { thing_id: THING }, example: { body: { thing_id: "own" } } });
		expect(await fillExample(endpoint, find)).toEqual({ body: { thing_id: "own" } });
	});

	it("is filled for a body of several forms, and for one that is an answer as a whole", async () => {
		const body = z.discriminatedUnion("step", [
			z.object({ step: z.literal("check"), thing_id: z.string() }),
			z.object({ step: z.literal("end") }),
		]);
		const example = { body: { step: "check" } };
		expect(await fillExample(made({ body, ids: { thing_id: THING }, example }), find)).toEqual({
			body: { thing_id: "thing_id of make_thing", step: "check" },
		});
		expect(await fillExample(made({ body, example: { bodyFrom: THING } }), find)).toEqual({
			body: "body of make_thing",
		});
	});

	it("names another thing where it is told to", () => {
		const endpoint = made({ path: "/v1/made/{thing_id}", body: z.object({ word: z.string() }) });
		const request = withArgument(endpoint, { params: { thing_id: "one" }, body: { word: "hi" } }, "thing_id", "a/b c");
		expect(toTarget(endpoint, { ...request, query: { deep: "1 2" } })).toBe("/v1/made/a%2Fb%20c?deep=1+2");
		expect(withArgument(endpoint, request, "word", "ho").body).toEqual({ word: "ho" });
	});
});

describe("what an example takes from another", () => {
	it("is a member of its answer, all of the answer, or an argument of its request", () => {
		expect(idInAnswer({ thing_id: "t1" }, { answerOf: "make_thing" }, "thing_id")).toBe("t1");
		expect(idInAnswer({ id: "t1" }, { answerOf: "make_thing", member: "id" }, "thing_id")).toBe("t1");
		expect(idInAnswer({ id: "t1" }, { answerOf: "make_thing", member: null }, "header")).toEqual({ id: "t1" });
		expect(argumentIn({ body: { name: "n" } }, { chosenIn: "make_thing" }, "name")).toBe("n");
		expect(argumentIn({ params: { name: "n" } }, { chosenIn: "make_thing", argument: "name" }, "workspace")).toBe("n");
	});

	it("is an error when it is not there", () => {
		expect(() => idInAnswer({}, { answerOf: "make_thing" }, "thing_id")).toThrow("make_thing has no thing_id");
		expect(() => argumentIn({}, { chosenIn: "make_thing" }, "name")).toThrow("make_thing states no name");
	});
});
