// Sealed reasoning: opened for its own user only, and only as it was sealed.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import {
	isSealedReasoning,
	MAX_SEALED_REASONING_CHARS,
	openSealedTexts,
	reasoningSealer,
} from "../../src/inference/sealed-reasoning.edge.ts";
import type { AssistantPart } from "../../src/providers/model-call.ts";
import { canBeSilent, modelOnWire } from "../support/models.ts";

const settings = { catalog: CATALOG };
const owner = { userId: "usr_1" };
const { id: modelId, provider } = modelOnWire("anthropic", canBeSilent);
const parts: AssistantPart[] = [
	{ type: "reasoning", text: "Über 😀" },
	{ type: "provider", wire: "anthropic", block: { type: "thinking", thinking: "Über", signature: "c2ln" } },
	{ type: "tool_call", id: "call_1", name: "", arguments: "", signature: "Z2Vt" },
];

const sealParts = (some: readonly AssistantPart[]) =>
	reasoningSealer(owner, settings, env)(some, { modelId, account: "" });

async function seal(some: readonly AssistantPart[] = parts): Promise<string> {
	const sealed = await sealParts(some);
	if (sealed === null) throw new Error("it was not sealed");
	return sealed;
}

async function open(text: string, by = owner) {
	return (await openSealedTexts([text], by, env)).get(text);
}

/** The text with another base64 digit at a position. */
function changedAt(text: string, position: number): string {
	const digit = text[position] === "A" ? "B" : "A";
	return text.slice(0, position) + digit + text.slice(position + 1);
}

describe("sealed reasoning", () => {
	it("opens as it was sealed, with its provider and model", async () => {
		const opened = { provider, modelId, parts };
		expect(await open(await seal())).toEqual(opened);
		const ofAccount = await reasoningSealer(owner, settings, env)(parts, { modelId, account: "team" });
		expect(await open(ofAccount ?? "")).toEqual({ ...opened, account: "team" });
	});

	it("is base64 without a readable word, and another text each time", async () => {
		const [one, other] = [await seal(), await seal()];
		expect(one).toMatch(/^svc1[A-Za-z0-9+/]+=*$/);
		expect(atob(one)).not.toContain("thinking");
		expect(one).not.toBe(other);
		expect([isSealedReasoning(one), isSealedReasoning("gAAAAABn")]).toEqual([true, false]);
	});

	it("does not open for another user, or changed anywhere", async () => {
		const sealed = await seal();
		expect(await open(sealed, { userId: "usr_2" })).toBeNull();
		for (let position = 0; position < sealed.length - 4; position += 7)
			expect(await open(changedAt(sealed, position)), `${position}`).toBeNull();
		for (const cut of [0, 3, 4, 8, 20, sealed.length - 4])
			expect(await open(sealed.slice(0, cut)), `${cut}`).toBeNull();
	});

	it("does not open what was never sealed", async () => {
		for (const text of ["", "svc1", "svc1!!!!", "svc1 a sentence", "gAAAAABnZm9v", `svc1${"A".repeat(400_000)}`])
			expect(await open(text), text.slice(0, 20)).toBeNull();
	});

	it("is at most 256 KiB long", async () => {
		const reasoning = (chars: number): AssistantPart[] => [{ type: "reasoning", text: "a".repeat(chars) }];
		const longest = await seal(reasoning(196_000));
		expect(longest.length).toBeLessThanOrEqual(MAX_SEALED_REASONING_CHARS);
		expect(await open(longest)).not.toBeNull();
		expect(await sealParts(reasoning(197_000))).toBeNull();
		expect(await sealParts(reasoning(500_000))).toBeNull();
	});
});
