// What a run without tools sends upstream, to the byte, as it was before runs could have tools. A change of a prompt or of the catalog
// changes these hashes: pin what is sent then.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { hashText } from "../../src/proof/hash.ts";
import { health } from "../../src/providers/isolate-health.edge.ts";
import { runAgent } from "../support/agents.ts";
import { useService } from "../support/per-test.ts";

const { upstream, key } = useService("pro");

// On a busy machine the sandbox is slow, and a model that is seen to be slow gives way to another.
beforeEach(() => void vi.spyOn(health, "isUneventful", "get").mockReturnValue(true));
afterEach(() => void vi.restoreAllMocks());

/** Without what differs from run to run: nonces, codes, dates. */
function toSteady(body: unknown): string {
	return JSON.stringify(body)
		.replace(/\b[0-9a-f]{16}\b/g, "NONCE")
		.replace(/\b[0-9a-f]{8}\b/g, "CODE")
		.replace(/Today is [^.]+\./g, "Today is DATE.");
}

it.each([
	["efficiency", {}, "sha256:77f62416363de5694ceaf317454faa09108574c10f39978653f35c54b842b5f9"],
	["balanced", {}, "sha256:77f62416363de5694ceaf317454faa09108574c10f39978653f35c54b842b5f9"],
	["depth", {}, "sha256:ac918ae45274144d81d779ece23c38648e7e8e7d2a30d014cc8c9ab0cf8f0725"],
	["balanced", { goal: "hey" }, "sha256:1e31f8b7c46a1af4a5089752724d8e8457b3de8be4d01c4718602bcf198f275d"],
	["balanced", { max_steps: 3 }, "sha256:32be25a8bc1cda197029213268f8846ba194f8a9d5352a37bd9a3b280f69fe72"],
])("a run under %s %j sends what it has always sent", async (policy, body, hash) => {
	await runAgent(key, { policy, ...body });
	const sent = upstream.requests.map((request) => toSteady(request.body)).toSorted();
	expect(sent.length).toBeGreaterThan(0);
	const models = upstream.requests.map(({ url, status, body }) => `${url} ${status} ${String(body["model"])}`);
	expect(hashText(sent.join("\n")), models.join("\n")).toBe(hash);
});
