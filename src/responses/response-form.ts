// How Responses words its answers: a Response object, or the events of a stream. Reasoning is sealed on the way, and a complete
// answer is stored before its last event. Pure: the endpoint brings what seals and stores.

import { lastBilledCall } from "../inference/accounting.ts";
import { type EntranceRequest, requestUlid, type StreamForm, type StreamHead } from "../inference/answer-form.ts";
import type { SettledAnswer, SettledRequest } from "../inference/infer.edge.ts";
import type { AnswerSource, SealParts } from "../inference/sealed-reasoning.edge.ts";
import type { SvcBlock } from "../inference/svc-block.ts";
import type { JsonObject } from "../json.ts";
import { toStreamParts } from "../providers/accumulate.ts";
import type { Warning } from "../providers/model-call.ts";
import { ResponseEvents } from "./events.ts";
import { toResponsesWarning } from "./field-names.ts";
import type { OutputStep, SealStep } from "./open-item.ts";
import { OutputItems, type OutputOptions } from "./output-items.ts";
import type { AnsweredItem } from "./output-schema.ts";
import {
	type ResponseObject,
	toBegunResponse,
	toEchoes,
	toEndedResponse,
	toFailedResponse,
	toIncompleteReason,
} from "./response.ts";

/** How one request wants its answer. */
export interface ResponseWording extends Pick<OutputOptions, "tools" | "reasoningForm" | "hasLogprobs"> {
	/** The request's body before validation. */
	rawBody: JsonObject;
	/** The client reads sealed reasoning. */
	includesSealed: boolean;
	/** Seals what must come back to a model. */
	seal: SealParts;
	toSvcBlock(settled: SettledRequest): SvcBlock;
	/**
	 * Stores a Response, whose output has all sealed reasoning, and says why it could not be; null where none is to be stored.
	 */
	store: ((response: ResponseObject) => Promise<Warning | null>) | null;
}

/** The output of one answer, with its reasoning sealed. */
class SealedOutput {
	readonly #wording: ResponseWording;
	readonly #source: AnswerSource;
	readonly #items: OutputItems;
	readonly #sealed = new Map<string, string | null>();

	constructor(wording: ResponseWording, { requestId, modelId, account }: Omit<StreamHead, "startedAtMs">) {
		this.#wording = wording;
		this.#source = { modelId, account };
		const { tools, reasoningForm, hasLogprobs, includesSealed, store } = wording;
		const ulid = requestUlid(requestId);
		const isSealed = includesSealed || store !== null;
		this.#items = new OutputItems({ ulid, modelId, tools, reasoningForm, hasLogprobs, isSealed });
	}

	get parts(): OutputItems {
		return this.#items;
	}

	/** The items as the client gets them. */
	get shown(): AnsweredItem[] {
		return this.#items.items;
	}

	/** The items as they are stored. */
	get stored(): AnsweredItem[] {
		return this.#items.items.map((item) =>
			item.type === "reasoning" ? { ...item, encrypted_content: this.#sealed.get(item.id) ?? null } : item,
		);
	}

	get warnings(): Warning[] {
		const isTooLong = [...this.#sealed.values()].includes(null);
		const message = "reasoning is too long to be sealed, and cannot be sent back";
		const tooLong: Warning = { code: "parameter_dropped", param: "include", message };
		return [...this.#items.warnings, ...(isTooLong ? [tooLong] : [])];
	}

	async seal({ item, parts }: SealStep): Promise<void> {
		if (parts.length === 0) return;
		const sealed = await this.#wording.seal(parts, this.#source);
		this.#sealed.set(item.id, sealed);
		if (this.#wording.includesSealed) item.encrypted_content = sealed;
	}
}

/** The Response that ends an answer. It is stored first. @returns without what it repeats of the request. */
async function endResponse(
	settled: SettledAnswer,
	output: SealedOutput,
	{ store, toSvcBlock }: ResponseWording,
	echoes: JsonObject,
): Promise<ReturnType<typeof toEndedResponse>> {
	const svc = toSvcBlock(settled);
	const end = (items: AnsweredItem[], isStored: boolean, warnings: readonly Warning[]) => {
		const all = [...svc.warnings, ...warnings.map(toResponsesWarning)];
		return toEndedResponse(settled, items, { ...svc, warnings: all }, isStored);
	};
	const fault = store && (await store({ ...end(output.stored, true, output.warnings), ...echoes }));
	return end(output.shown, store !== null && !fault, [...output.warnings, ...(fault ? [fault] : [])]);
}

async function toResponse(
	settled: SettledAnswer,
	wording: ResponseWording,
	echoes: JsonObject,
): Promise<ResponseObject> {
	const { record, billed, answer, refusal } = settled;
	const { candidate, key } = lastBilledCall(billed);
	const source = { modelId: candidate.model.id, account: key?.account ?? "" };
	const output = new SealedOutput(wording, { requestId: record.requestId, ...source });
	const status = toIncompleteReason(answer.finishReason) ? "incomplete" : "completed";
	// A refusal in words stays text, and is marked behind it.
	const parts = [
		...toStreamParts(answer),
		...(refusal?.text ? [{ type: "refusal" as const, text: refusal.text }] : []),
	];
	const steps = [...parts.flatMap((part) => output.parts.add(part)), ...output.parts.end(status)];
	for (const step of steps) if (step.type === "seal") await output.seal(step);
	return { ...(await endResponse(settled, output, wording, echoes)), ...echoes };
}

/** The events of some steps, in order. */
function renderSteps(
	steps: readonly OutputStep[],
	output: SealedOutput,
	events: ResponseEvents,
): string | Promise<string> {
	const seal = steps.findIndex(({ type }) => type === "seal");
	let text = "";
	for (const step of seal < 0 ? steps : steps.slice(0, seal)) if (step.type !== "seal") text += events.item(step);
	const step = steps[seal];
	if (step?.type !== "seal") return text;
	return output.seal(step).then(async () => text + (await renderSteps(steps.slice(seal + 1), output, events)));
}

function toResponseStream(wording: ResponseWording, echoes: JsonObject): StreamForm {
	const events = new ResponseEvents(echoes);
	let begun: { head: StreamHead; output: SealedOutput } | null = null;
	const stream = () => {
		if (!begun) throw new Error("the stream has not begun");
		return begun;
	};
	return {
		begin(head) {
			begun = { head, output: new SealedOutput(wording, head) };
			const response = toBegunResponse(head, wording.store !== null);
			return events.lifecycle("response.created", response) + events.lifecycle("response.in_progress", response);
		},
		part(part) {
			const { output } = stream();
			const steps = output.parts.add(part);
			return steps.length === 0 ? "" : renderSteps(steps, output, events);
		},
		async end(settled) {
			const { output } = stream();
			const status = toIncompleteReason(settled.answer.finishReason) ? "incomplete" : "completed";
			const rest = await renderSteps(output.parts.end(status), output, events);
			return rest + events.lifecycle(`response.${status}`, await endResponse(settled, output, wording, echoes));
		},
		fail(error, settled: SettledRequest | null) {
			const svc = settled && wording.toSvcBlock(settled);
			if (!begun) return events.error(error, svc);
			const { head, output } = begun;
			output.parts.breakOff();
			const response = toFailedResponse(head, error, output.shown, settled?.billed ?? null, svc);
			return events.lifecycle("response.failed", response);
		},
	};
}

/** How a Responses request has its answer worded. */
export function responseWording(
	wording: ResponseWording,
): Pick<EntranceRequest<ResponseObject>, "toAnswer" | "toStream"> {
	const echoes = toEchoes(wording.rawBody);
	return {
		toAnswer: (settled) => toResponse(settled, wording, echoes),
		toStream: () => toResponseStream(wording, echoes),
	};
}
