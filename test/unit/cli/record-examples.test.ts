// Which recorded examples stay when all are recorded anew.
import { expect, it } from "vitest";
import { abridge, keepRecorded } from "../../../src/cli/record-examples.ts";
import { ENDPOINTS } from "../../../src/endpoints.ts";

const chat = ENDPOINTS.filter(({ id }) => id === "create_chat_completion");
const body = chat[0]?.example?.body;
const recorded = { create_chat_completion: { body, answer: { id: "svc-1", cost: 1, stored_at: null } } };

const keep = (answer: unknown, given: unknown = body) =>
	keepRecorded(chat, { create_chat_completion: { body: given, answer } }, recorded);

it("a recorded example stays while only ids and figures differ", () => {
	expect(keep({ id: "svc-2", cost: 2, stored_at: "2026-01-01" })).toEqual(recorded);
});

it("a recorded example is replaced when its answer has another form, or its request says something else", () => {
	expect(keep({ id: "svc-2" })["create_chat_completion"]?.answer).toEqual({ id: "svc-2" });
	const before = { create_chat_completion: { body: { ...Object(body), model: "other" }, answer: {} } };
	const now = { create_chat_completion: { body, answer: {} } };
	expect(keepRecorded(chat, now, before)).toEqual(now);
});

it("what is shown of an answer is cut, and holds no key", () => {
	expect(abridge([1, 2, 3])).toEqual([1, 2]);
	expect(abridge({ key: `svc_sk_${"a".repeat(46)}` })).toEqual({ key: "svc_sk_…" });
});
