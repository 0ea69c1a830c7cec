// What the sandbox says to the prompts of orchestration, so that every strategy shows its real behaviour offline.
import { describe, expect, it } from "vitest";
import { renderMaterial } from "../../../src/inference/material.ts";
import { decomposeAndRoute } from "../../../src/orchestration/decompose-and-route.ts";
import { rankFuse } from "../../../src/orchestration/rank-fuse.ts";
import { selfConsistency } from "../../../src/orchestration/self-consistency.ts";
import { type Question, userMessage } from "../../../src/orchestration/strategy.ts";
import { STRATEGY_REPLIES } from "../../../src/sandbox/orchestration-reply.ts";
import { replyFrom } from "../../../src/sandbox/stage-reply.ts";
import { fakeEngine, task, toPanel } from "../../support/fake-engine.ts";
import { NONCE } from "../../support/nonce.ts";

/** The sandbox in place of models: what it says to a question. */
function sandboxReply({ messages, member: [model], stage, role, asksFor }: Question): string {
	const textOf = (role: string) =>
		messages
			.filter((message) => message.role === role)
			.map(({ content }) => content.map((part) => (part.type === "text" ? part.text : "")).join(""));
	const texts = { systemText: textOf("system").join("\n"), userText: textOf("user").at(-1) ?? "" };
	return (
		replyFrom(STRATEGY_REPLIES, { model, ...texts, stage: { stage, role, asksFor } }) ??
		`${model} answers, and it answers at length enough to be told apart from others: ${model}.`
	);
}

function asked(prompt: string) {
	return task({ messages: [userMessage(prompt)], prompt });
}

describe("the sandbox under orchestration", () => {
	it("judges a pair the same in both positions", async () => {
		const engine = fakeEngine(sandboxReply);
		await rankFuse.run(asked("Write about the sea."), toPanel(["a", "bb", "ccc"]), engine);
		expect(engine.details["rank"]).toMatchObject({
			contradictions: 0,
			unreadable: 0,
			rankings: [{ model: "ccc" }, { model: "bb" }, { model: "a" }],
		});
	});

	it("plans the parts of a prompt, and what depends on what", async () => {
		const engine = fakeEngine(sandboxReply);
		await decomposeAndRoute.run(asked("1. Name a river.\n2. Then name its source."), toPanel(["a"]), engine);
		expect(engine.details["subtasks"]).toMatchObject({
			plan: "split",
			tree: [{ depends_on: [] }, { depends_on: ["1"] }],
		});
	});

	it("works out a sum, and disagrees where it is told to", async () => {
		const engine = fakeEngine(sandboxReply);
		await selfConsistency.run(asked("What is 17 + 25?"), toPanel(["a", "b"]), engine);
		expect(engine.details["vote"]).toMatchObject({ votes: [{ answer: "42", votes: 2 }] });
		await selfConsistency.run(asked("[[disagree]] What is 17 + 25?"), toPanel(["m1", "m2"]), engine);
		expect(engine.details["vote"]).toMatchObject({ votes: [{ votes: 1 }, { votes: 1 }] });
	});

	it("compares answers by their texts, without the names of models, and parts with what was made of them", async () => {
		const reply = (texts: string, asksFor: string) => {
			const stage = { stage: "agree:1", role: "judge", asksFor };
			return JSON.parse(replyFrom(STRATEGY_REPLIES, { model: "m", systemText: "", userText: texts, stage }) ?? "");
		};
		const answers = [
			"The sandbox answers for m1: hi.",
			"Final answer: 4",
			"The sandbox answers for m2.5: hi.",
			"Final answer: 5",
		];
		expect(reply(renderMaterial(NONCE, "Answer", answers), "groups")).toMatchObject({
			groups: [[1, 3], [2], [4]],
			contradictions: [[2, 4]],
		});
		const made = `${renderMaterial(NONCE, "Part", ["one", "two"])}\n\n${renderMaterial(NONCE, "Text", ["The sandbox puts the parts together: two"])}`;
		expect(reply(made, "parts")).toMatchObject({ kept: [2], contradicted: [] });
	});

	it("has nothing of its own to say to other stages", () => {
		const stage = { stage: "propose", role: "proposer" };
		expect(replyFrom(STRATEGY_REPLIES, { model: "m", systemText: "Be brief.", userText: "hi", stage })).toBeNull();
	});
});
