import { describe, expect, it } from "vitest";
import { type ApiAnswer, type ApiFailure, joinAnswers, withQuery } from "../../../src/console/api.ts";

const answered = (value: string): ApiAnswer<string> => ({ ok: true, value });

function refused(status: number): ApiAnswer<string> {
	const failure: ApiFailure = {
		status,
		code: "refused",
		message: "no",
		requestId: "",
		retryAfterSeconds: null,
		issues: [],
	};
	return { ok: false, failure };
}

describe("joined answers", () => {
	it("are the values in their order", () => {
		expect(joinAnswers(answered("a"), answered("b"), answered("c"))).toEqual({ ok: true, value: ["a", "b", "c"] });
	});

	it("are the first failure, if there is one", () => {
		expect(joinAnswers(answered("a"), refused(404), refused(503))).toEqual(refused(404));
		expect(joinAnswers(answered("a"), answered("b"), refused(503))).toEqual(refused(503));
		expect(joinAnswers(refused(429), answered("b"), refused(503))).toEqual(refused(429));
	});
});

describe("a path with a query", () => {
	it("has no members that are empty, and each other one encoded", () => {
		expect(withQuery("/v1/x", { a: "", b: null, c: undefined })).toBe("/v1/x");
		expect(withQuery("/v1/x", { a: "", b: "k&=ü", limit: 0 })).toBe("/v1/x?b=k%26%3D%C3%BC&limit=0");
	});
});
