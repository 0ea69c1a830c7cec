// Puts the content blocks of a whole answer together, and seals what only this service can read again. Pure.
import type { AnswerSource, SealParts } from "../inference/sealed-reasoning.edge.ts";
import { toStreamParts } from "../providers/accumulate.ts";
import { type AssistantPart, type ModelAnswer, partsOfType } from "../providers/model-call.ts";
import {
	AnswerBlocks,
	type BlockDelta,
	type BlockForm,
	type BlockStep,
	type ContentBlock,
	isUnsayable,
} from "./answer-blocks.ts";
import { toToolUseInput } from "./tool-use-input.ts";

/** The block of sealed parts; null where they are too long to travel. */
export async function toSealedBlock(
	parts: readonly AssistantPart[],
	source: AnswerSource,
	seal: SealParts,
): Promise<ContentBlock | null> {
	const data = await seal(parts, source);
	return data === null ? null : { type: "redacted_thinking", data };
}

/** Puts the steps of one answer together. */
class BlockCollector {
	readonly content: ContentBlock[] = [];
	/** The block that has begun and not ended. */
	#block: ContentBlock = { type: "" };
	/** The input of the call that is the open block; null for any other block. */
	#input: string | null = null;

	add(step: Exclude<BlockStep, { type: "seal" }>): void {
		if (step.type === "delta") this.#addDelta(step.delta);
		else if (step.type === "start") {
			this.#block = { ...step.block };
			this.#input = null;
			this.content.push(this.#block);
		} else if (this.#input !== null) this.#block["input"] = toToolUseInput(this.#input);
	}

	#append(member: string, text: string): void {
		this.#block[member] = `${this.#block[member]}${text}`;
	}

	#addDelta(delta: BlockDelta): void {
		switch (delta.type) {
			case "text_delta":
				this.#append("text", delta.text);
				break;
			case "thinking_delta":
				this.#append("thinking", delta.thinking);
				break;
			case "signature_delta":
				this.#append("signature", delta.signature);
				break;
			case "input_json_delta":
				this.#input = (this.#input ?? "") + delta.partial_json;
		}
	}
}

/** The content blocks of a whole answer, in the model's order. @param account of the provider that it was made with. */
export async function toContent(
	answer: ModelAnswer,
	form: BlockForm,
	seal: SealParts,
	account = "",
): Promise<ContentBlock[]> {
	const blocks = new AnswerBlocks(form);
	const steps = [...toStreamParts(answer).flatMap((part) => blocks.pass(part)), ...blocks.end()];
	const collector = new BlockCollector();
	for (const step of steps) {
		if (step.type !== "seal") collector.add(step);
		else {
			const sealed = await toSealedBlock(step.parts, { modelId: form.modelId, account }, seal);
			if (sealed) collector.content.push(sealed);
		}
	}
	return collector.content;
}

/**
 * What an answer has that no block can say, by name: blocks of other providers, and sources beside the text. Marks of a
 * provider's build (plain values) are not missed.
 */
export function findUnsayable({ content, extra, bodyFields }: ModelAnswer): string[] {
	const blocks = partsOfType(content, "provider").filter(isUnsayable);
	const names = blocks.map(({ wire, block }) => `${wire}.${Object.keys(block)[0] ?? "block"}`);
	const members = Object.entries({ ...bodyFields, ...extra }).filter(([, value]) => typeof value === "object");
	return [...new Set([...names, ...members.map(([name]) => name)])];
}
