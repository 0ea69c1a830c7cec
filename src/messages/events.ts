// The Server-Sent Events of a streamed message: Anthropic's, with the `svc` block on `message_delta`. Pure.
import { errorType } from "../http/dialects.ts";
import type { StreamError, StreamForm, StreamHead } from "../inference/answer-form.ts";
import type { SettledAnswer, SettledRequest } from "../inference/infer.edge.ts";
import type { AnswerSource } from "../inference/sealed-reasoning.edge.ts";
import type { StreamPart } from "../providers/wire.ts";
import { AnswerBlocks, type BlockDelta, type BlockStep, type ContentBlock } from "./answer-blocks.ts";
import { toSealedBlock } from "./answer-content.ts";
import { type MessageWording, toMessageEnding, toMessageHead, toMessageUsage } from "./message.ts";

function renderMessageEvent(event: { type: string } & Record<string, unknown>): string {
	return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

const PING = renderMessageEvent({ type: "ping" });

/** Counts are known at the end: `message_delta` has those of the whole message, which replace these. */
const USAGE_AT_START = {
	input_tokens: 0,
	cache_read_input_tokens: 0,
	cache_creation_input_tokens: 0,
	cache_creation: null,
	output_tokens: 0,
	output_tokens_details: null,
	server_tool_use: null,
	service_tier: null,
	inference_geo: null,
	speed: null,
};

const ENDING_AT_START = { stop_reason: null, stop_sequence: null, stop_details: null };

/** A stream has begun, and its blocks. */
interface BegunStream {
	requestId: string;
	source: AnswerSource;
	blocks: AnswerBlocks;
}

/** The events of one stream. */
export class MessageEvents implements StreamForm {
	readonly keepAlive = PING;
	readonly #wording: MessageWording;
	#begun: BegunStream | null = null;
	/** Index of the block that is open, or that begins next. */
	#index = 0;

	constructor(wording: MessageWording) {
		this.#wording = wording;
	}

	begin({ requestId, modelId, account }: StreamHead): string {
		this.#begun = {
			requestId,
			source: { modelId, account },
			blocks: new AnswerBlocks(this.#wording.toBlockForm(modelId)),
		};
		const message = {
			...toMessageHead(requestId, modelId),
			content: [],
			...ENDING_AT_START,
			usage: USAGE_AT_START,
		};
		return renderMessageEvent({ type: "message_start", message }) + PING;
	}

	part(part: StreamPart): string | Promise<string> {
		return this.#renderSteps(this.#begun?.blocks.pass(part) ?? []);
	}

	async end(settled: SettledAnswer): Promise<string> {
		const { answer, billed } = settled;
		const blocks = await this.#renderSteps(this.#begun?.blocks.end() ?? []);
		const ending = renderMessageEvent({
			type: "message_delta",
			delta: { ...toMessageEnding(settled), container: null },
			usage: toMessageUsage(answer, billed),
			svc: this.#wording.toSvcBlock(settled, answer),
		});
		return blocks + ending + renderMessageEvent({ type: "message_stop" });
	}

	/** A block that is open stays open: nothing may take it for complete. */
	fail({ code, message }: StreamError, settled: SettledRequest | null): string {
		return renderMessageEvent({
			type: "error",
			error: { type: errorType(code, "anthropic"), message, code },
			...(settled ? { svc: this.#wording.toSvcBlock(settled, null) } : {}),
		});
	}

	/** Only a sealed block has to be waited for. */
	#renderSteps(steps: readonly BlockStep[]): string | Promise<string> {
		let events = "";
		for (const [position, step] of steps.entries()) {
			if (step.type !== "seal") events += this.#renderStep(step);
			else return this.#renderSealed(events, step.parts, steps.slice(position + 1));
		}
		return events;
	}

	async #renderSealed(
		before: string,
		parts: Extract<BlockStep, { type: "seal" }>["parts"],
		after: readonly BlockStep[],
	): Promise<string> {
		const block = this.#begun && (await toSealedBlock(parts, this.#begun.source, this.#wording.seal));
		const sealed = block ? this.#renderStart(block) + this.#renderStop() : "";
		return before + sealed + (await this.#renderSteps(after));
	}

	#renderStep(step: Exclude<BlockStep, { type: "seal" }>): string {
		switch (step.type) {
			case "start":
				return this.#renderStart(step.block);
			case "delta":
				return this.#renderDelta(step.delta);
			case "stop":
				return this.#renderStop();
		}
	}

	/** Nearly all events are of this kind, so only the delta is serialized. */
	#renderDelta(delta: BlockDelta): string {
		const payload = `{"type":"content_block_delta","index":${this.#index},"delta":${JSON.stringify(delta)}}`;
		return `event: content_block_delta\ndata: ${payload}\n\n`;
	}

	#renderStart(content_block: ContentBlock): string {
		return renderMessageEvent({ type: "content_block_start", index: this.#index, content_block });
	}

	#renderStop(): string {
		return renderMessageEvent({ type: "content_block_stop", index: this.#index++ });
	}
}
