// One conversation through the three entrances: the same request to the same model, byte for byte.
import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { ask, ENTRANCES } from "../support/entrances.ts";
import { conversationsWith } from "../support/generate-conversation.ts";
import { canBeSilent, modelOnWire } from "../support/models.ts";
import { useBedrock, useService } from "../support/per-test.ts";

const CONVERSATIONS = 25;

const { upstream, key } = useService("corporate");
useBedrock();

/** What went upstream: address, headers without the key, and bytes. */
type Sent = [url: string, headers: [string, string][], body: string];

/** Every upstream request from here on. */
function recordRequests(): Sent[] {
	const sent: Sent[] = [];
	upstream.replace(async (request) => {
		// A signature has its second in it.
		const headers = [...request.headers].filter(([name]) => !["authorization", "x-amz-date"].includes(name));
		sent.push([request.url, headers, await request.text()]);
		return Response.json({}, { status: 400 });
	});
	return sent;
}

/**
 * Not in the comparison, for some form cannot say it: `stop` (no Responses member), `strict` of a schema and of tools (Messages has
 * none for a schema), names of an answer's schema (Messages has none), cache marks (Messages alone), `verbosity` and custom
 * tools (Responses alone), penalties, seed and logit_bias (chat alone), calls one by one without a choice of tools (not Messages).
 */
describe("a conversation", () => {
	it.each([
		modelOnWire("openai", canBeSilent),
		modelOnWire("anthropic", canBeSilent),
		modelOnWire("google", canBeSilent),
		modelOnWire("bedrock", canBeSilent),
	])("goes to $id as the same request through every entrance", async ({ id, reasoning }) => {
		const sent = recordRequests();
		await fc.assert(
			fc.asyncProperty(conversationsWith(id, reasoning?.efforts ?? []), async (conversation) => {
				sent.length = 0;
				for (const entrance of ENTRANCES) await ask(entrance, key.key, conversation);
				expect(sent).toHaveLength(ENTRANCES.length);
				const [chat, ...others] = sent;
				for (const other of others) expect(other).toEqual(chat);
			}),
			{ numRuns: CONVERSATIONS, seed: inject("seed") },
		);
	});
});
