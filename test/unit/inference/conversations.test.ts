// Which calls are one conversation: by the client's own name, else by how it begins; never across users.
import { describe, expect, it } from "vitest";
import { Conversations, findConversationKey, toConversationKey } from "../../../src/inference/conversations.ts";
import type { Message } from "../../../src/providers/model-call.ts";

const said = (role: "user" | "assistant", text: string): Message => ({ role, content: [{ type: "text", text }] });
const opening = [said("user", "hi")];
const later = [...opening, said("assistant", "hello"), said("user", "and now?")];

/** The model that a call finds after another was served. */
function recalled(
	served: Parameters<typeof toConversationKey>[0],
	call: Parameters<typeof findConversationKey>[0],
): string | null {
	const conversations = new Conversations();
	conversations.remember(toConversationKey(served), "zenith-frontier");
	return conversations.recall(findConversationKey(call));
}

describe("a conversation that the client has named", () => {
	it("finds its model from the first request on, whatever the messages are", () => {
		const served = { userId: "usr_1", conversation: "thread-1", messages: opening };
		expect(recalled(served, { ...served, messages: [said("user", "something else")] })).toBe("zenith-frontier");
		expect(recalled(served, { ...served, messages: later })).toBe("zenith-frontier");
	});

	it("is not found under another name, without one, or by another user", () => {
		const served = { userId: "usr_1", conversation: "thread-1", messages: opening };
		expect(recalled(served, { ...served, conversation: "thread-2", messages: later })).toBeNull();
		expect(recalled(served, { userId: "usr_1", messages: later })).toBeNull();
		expect(recalled(served, { ...served, userId: "usr_2" })).toBeNull();
	});
});

describe("a conversation without a name", () => {
	it("is told by how it begins, from its second request on", () => {
		const served = { userId: "usr_1", messages: opening };
		expect(recalled(served, { userId: "usr_1", messages: later })).toBe("zenith-frontier");
		expect(recalled(served, served)).toBeNull();
		expect(recalled(served, { userId: "usr_2", messages: later })).toBeNull();
	});

	it("is told by the ends and the length of a long text", () => {
		const long = "x".repeat(5_000_000);
		const opened = (text: string) => ({ userId: "usr_1", messages: [said("user", text)] });
		const goesOn = (text: string) => ({ userId: "usr_1", messages: [...opened(text).messages, ...later.slice(1)] });
		expect(recalled(opened(`${long}a`), goesOn(`${long}a`))).toBe("zenith-frontier");
		for (const other of [`${long}b`, `b${long}`, `${long}aa`])
			expect(recalled(opened(`${long}a`), goesOn(other))).toBeNull();
	});
});
