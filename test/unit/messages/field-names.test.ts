// What the engine says of fields, under the names of Anthropic's body.
import { expect, it } from "vitest";
import type { Failure } from "../../../src/failure.ts";
import { findLostThread } from "../../../src/messages/create-message.edge.ts";
import { toMessagesWarning, withMessagesFields } from "../../../src/messages/field-names.ts";

it("warnings name the members of a Messages body", () => {
	const toParam = (param: string | null) => toMessagesWarning({ code: "parameter_dropped", param, message: "" }).param;
	expect(
		["output", "effort", "user", "parallel_tool_calls", "top_p", "tools[3]", "constructor", null].map(toParam),
	).toEqual([
		"output_config.format",
		"output_config.effort",
		"metadata.user_id",
		"tool_choice.disable_parallel_tool_use",
		"top_p",
		"tools[3]",
		"constructor",
		null,
	]);
});

it("places of what is blocked are the client's own messages", () => {
	const place = (path: string, message: number | null) => ({
		path,
		message,
		place: "text",
		kinds: ["email"],
		count: 1,
	});
	const places = [place("messages[0]", 0), place("messages[2]", 2), place("stop", null), place("tools", null)];
	const notice = { policies: [], classes: [], kinds: {}, counts: {}, places };
	const failure: Failure = { reason: "compliance_blocked", message: "", excluded: {}, notice };
	expect(withMessagesFields(failure, [null, 0, 0])).toMatchObject({
		notice: {
			places: [place("system", null), place("messages[0]", 0), place("stop_sequences", null), place("tools", null)],
		},
	});
});

it("a prompt that is too long is named so", () => {
	const overflow = { tokens: 9, maximum: 5 };
	const failure: Failure = { reason: "invalid_request", issues: [{ path: "messages", message: "too long" }], overflow };
	expect(withMessagesFields(failure, [])).toMatchObject({ reason: "context_length_exceeded", ...overflow });
	expect(
		withMessagesFields({ reason: "invalid_request", issues: [{ path: "effort", message: "no" }] }, []),
	).toMatchObject({
		issues: [{ path: "output_config.effort", message: "no" }],
	});
});

it("a body that goes on with a thread is lost, one that begins it is not", () => {
	expect(findLostThread({ thread: { type: "continue", previous_message_id: "msg_1" } })?.reason).toBe(
		"thread_not_found",
	);
	for (const thread of [undefined, null, "continue", { type: "create" }]) expect(findLostThread({ thread })).toBeNull();
});
