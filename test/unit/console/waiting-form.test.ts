// The inbox's forms: what they say is sent, and what says nothing is not.
import { describe, expect, it } from "vitest";
import { readWaitingForm } from "../../../src/console/waiting-form.ts";

const read = (members: Record<string, string>) => readWaitingForm("pnd_1", new URLSearchParams(members));

describe("a decision", () => {
	it.each([
		[{ decision: "approve" }, { id: "pnd_1", decision: "approve" }],
		[
			{ decision: "approve", arguments: '{"to":"b"}' },
			{ id: "pnd_1", decision: "approve" },
		],
		[
			{ decision: "reject", reason: " not now " },
			{ id: "pnd_1", decision: "reject", reason: "not now" },
		],
		[
			{ decision: "reject", reason: " " },
			{ id: "pnd_1", decision: "reject" },
		],
		[
			{ decision: "edit", arguments: '{"to":"b"}' },
			{ id: "pnd_1", decision: "edit", arguments: { to: "b" } },
		],
	])("%j is sent as it stands", (form, resolution) => {
		expect(read(form)).toEqual({ ok: true, value: resolution });
	});

	it.each([
		['{"to":}', "line 1, column 7: a value is missing"],
		["[1]", "the arguments are one JSON object"],
		["", "line 1, column 1: a value is missing"],
	])("an edit %j is told where it is wrong", (text, fault) => {
		expect(read({ decision: "edit", arguments: text })).toEqual({
			ok: false,
			fault: { field: "arguments", faults: expect.arrayContaining([fault]) },
		});
	});
});

describe("an answer", () => {
	it.each([
		[{ decision: "answer", answer: "blue" }, "blue"],
		[{ decision: "answer", choice: "red", answer: "" }, "red"],
		[{ decision: "answer", choice: "red", answer: "neither" }, "neither"],
	])("%j", (form, payload) => {
		expect(read(form)).toEqual({ ok: true, value: { id: "pnd_1", payload } });
	});

	it.each<Record<string, string>>([{}, { decision: "Approve" }, { decision: "answer", answer: "  " }])(
		"%j is none",
		(form) => {
			expect(read(form)).toEqual({ ok: false, fault: { field: "answer", faults: ["an answer is missing"] } });
		},
	);
});
