// Ids, age, items and pages of stored responses.
import { ulid } from "ulid";
import { describe, expect, it } from "vitest";
import { inputItemSchema } from "../../../src/responses/items.ts";
import {
	expiryBoundary,
	isResponseId,
	RESPONSE_RETENTION_MS,
	responseExpiresAtMs,
	selectItemPage,
	toItemPlace,
	toListedItem,
	toShownOutput,
	withItemIds,
} from "../../../src/responses/stored-response.ts";

const ULID = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const RESPONSE = `resp_${ULID}`;

describe("an id", () => {
	it("is a response's with a ULID behind its prefix, and nothing else", () => {
		expect(isResponseId(RESPONSE)).toBe(true);
		for (const text of [
			"",
			"resp_",
			`svc-${ULID}`,
			`msg_${ULID}`,
			RESPONSE.toLowerCase(),
			`${RESPONSE}0`,
			`${RESPONSE}\n`,
		])
			expect(isResponseId(text), text).toBe(false);
	});

	it("expires thirty days after its time, to the millisecond", () => {
		const atMs = 1_700_000_000_000;
		const id = `resp_${ulid(atMs)}`;
		expect(responseExpiresAtMs(id)).toBe(atMs + RESPONSE_RETENTION_MS);
		expect(id >= expiryBoundary(atMs + RESPONSE_RETENTION_MS - 1)).toBe(true);
		expect(id >= expiryBoundary(atMs + RESPONSE_RETENTION_MS)).toBe(false);
		// Whatever its random digits are.
		const [least, most] = ["0", "Z"].map((digit) => `${id.slice(0, 15)}${digit.repeat(16)}`);
		expect(least && least >= expiryBoundary(atMs + RESPONSE_RETENTION_MS - 1)).toBe(true);
		expect(most && most < expiryBoundary(atMs + RESPONSE_RETENTION_MS)).toBe(true);
	});
});

describe("items", () => {
	it("keep the ids that clients gave them, and get others by which they are found again", () => {
		const named = withItemIds(
			[
				{ role: "user", content: "hi" },
				{ type: "function_call", id: "fc_mine" },
				{ type: "function_call_output", id: "" },
				{ type: "reasoning", id: null },
				{ type: "additional_tools" },
			],
			RESPONSE,
		);
		expect(named.map(({ id }) => id)).toEqual([
			`msg_${ULID}i0`,
			"fc_mine",
			`fco_${ULID}i2`,
			`rs_${ULID}i3`,
			`item_${ULID}i4`,
		]);
		for (const { id } of named.filter(({ id: one }) => one !== "fc_mine"))
			expect(toItemPlace(id)).toEqual({ responseId: RESPONSE, list: "input" });
	});

	it("of an answer are found by their ids, whatever follows the ULID", () => {
		for (const id of [`msg_${ULID}`, `msg_${ULID}0`, `fc_${ULID}_12`, `rs_${ULID}-a`])
			expect(toItemPlace(id), id).toEqual({ responseId: RESPONSE, list: "output" });
	});

	it("with ids of a client's own are looked for nowhere", () => {
		for (const id of ["", "msg_1", "fc_68d1e4a0c9d08193a", ULID, `_${ULID}`, `MSG_${ULID}`, `call_${ULID.slice(1)}`])
			expect(toItemPlace(id), id).toBeNull();
	});

	it("are valid input as they are stored", () => {
		const [item] = withItemIds([inputItemSchema.parse({ role: "user", content: "hi" })], RESPONSE);
		expect(inputItemSchema.parse(item)).toEqual(item);
	});
});

describe("a listed item", () => {
	it("has its type, its status, and a message's content as parts", () => {
		expect(toListedItem({ id: "a", role: "user", content: "hi" })).toEqual({
			id: "a",
			type: "message",
			status: "completed",
			role: "user",
			content: [{ type: "input_text", text: "hi" }],
		});
		expect(toListedItem({ id: "b", type: "message", role: "assistant", content: "ho", status: "incomplete" })).toEqual({
			id: "b",
			type: "message",
			status: "incomplete",
			role: "assistant",
			content: [{ type: "output_text", text: "ho", annotations: [] }],
		});
		const parts = [{ type: "input_text", text: "hi" }];
		expect(toListedItem({ id: "c", role: "user", content: parts })).toMatchObject({ content: parts });
		const output = { id: "d", type: "function_call_output", call_id: "e", output: "7" };
		expect(toListedItem(output)).toEqual({ ...output, status: "completed" });
	});
});

describe("the output that a read shows", () => {
	const output = [
		{ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" },
		{ type: "message", id: "msg_1", encrypted_content: "not sealed" },
	];

	it("has what is sealed in reasoning only where the request includes it", () => {
		expect(toShownOutput(output, ["file_search_call.results"])).toEqual([
			{ type: "reasoning", id: "rs_1", summary: [] },
			output[1],
		]);
		expect(toShownOutput(output, ["reasoning.encrypted_content"])).toEqual(output);
	});
});

describe("pages of items", () => {
	const items = ["a", "b", "c", "d", "e"].map((id) => ({ id }));
	const page = (limit: number, order: "asc" | "desc", after?: string) => {
		const selected = selectItemPage(items, { limit, order, after });
		return selected && [selected.items.map(({ id }) => id).join(""), selected.hasMore];
	};

	it("go through all of them once, in either order", () => {
		expect(page(2, "asc")).toEqual(["ab", true]);
		expect(page(2, "asc", "b")).toEqual(["cd", true]);
		expect(page(2, "asc", "d")).toEqual(["e", false]);
		expect(page(5, "desc")).toEqual(["edcba", false]);
		expect(page(2, "desc", "d")).toEqual(["cb", true]);
		expect(page(2, "desc", "a")).toEqual(["", false]);
	});

	it("do not begin behind an item that is not there", () => {
		expect(page(2, "asc", "nope")).toBeNull();
	});
});
