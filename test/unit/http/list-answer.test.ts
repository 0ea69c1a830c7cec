import { describe, expect, it } from "vitest";
import * as z from "zod";
import { cursorParam, listSchema, searchedBackToMember, toNextPage } from "../../../src/http/list-answer.ts";

describe("an answer that lists page by page", () => {
	const schema = listSchema(z.string());

	it("says whether there is more, and by which cursor", () => {
		expect(toNextPage("after-b")).toEqual({ has_more: true, next_cursor: "after-b" });
		expect(toNextPage(null)).toEqual({ has_more: false, next_cursor: null });
	});

	it("is described by the schema that it is made for", () => {
		const answer = { object: "list", ...toNextPage("after-b"), data: ["a", "b"] };
		expect(schema.parse(answer)).toEqual(answer);
		expect(schema.safeParse({ ...answer, next_cursor: undefined }).success).toBe(false);
	});

	it("may say how far a search went", () => {
		const searched = schema.extend(searchedBackToMember());
		const answer = { object: "list", ...toNextPage(null), searched_back_to: null, data: [] };
		expect(searched.safeParse(answer).success).toBe(true);
	});

	it("begins where no cursor is named", () => {
		expect(cursorParam().parse(undefined)).toBeUndefined();
	});
});
