// Decides which models may serve a call, and why the others may not. Pure.
import type { Plan } from "../catalog/plans.ts";
import type { Model } from "../catalog/schema.ts";
import type { Tier } from "../catalog/vocabulary.ts";
import { usd } from "../proof/money.ts";
import type { CallField, ModelCall } from "../providers/model-call.ts";
import { findBlocking, isListed } from "./routing-config.ts";
import { IMAGE_TOKENS, type MediaSummary, PAGE_TOKENS, type Signals } from "./signals.ts";

/** Why a model may not serve. `param` is the field of the request that asks too much. */
export interface Exclusion {
	code:
		| "unavailable"
		| "unnamed"
		| "plan"
		| "key"
		| "blocked"
		| "compliance"
		| "capability"
		| "limits"
		| "tier"
		| "cost";
	param?: CallField | "config";
	text: string;
	/** Whether another model would do. Few take files, so a client that named one is told which do. */
	isMetBy?(model: Model): boolean;
	/** The prompt is longer than the model reads, by this service's estimate. */
	overflow?: { tokens: number; maximum: number };
}

/** What every model that may see this request must meet, fallbacks included. */
export interface Constraints {
	signals: Signals;
	plan: Plan;
	/** Whether the plan may call a model. */
	isInPlan(model: Model): boolean;
	/** The lists of the caller's key, each of which must have the model. */
	keyAllowlists: readonly (readonly string[])[];
	blocked: readonly string[];
	/** Entries of `blocked` that are not named to the client. */
	unnamedBlocked: readonly string[];
	/** The lower of the config's max_cost and the plan's limit; null means no limit. */
	ceiling: { scope: "plan_envelope" | "max_cost" | "key_budget"; nanoUsd: number } | null;
	/** Price tiers that may serve; null means all. */
	tiers: readonly Tier[] | null;
	available(model: Model): boolean;
	/** Models that their providers lately said they do not serve. */
	notServed: ReadonlySet<string>;
	/** Why the compliance policy in force keeps the call from a model; empty when it does not. */
	complianceReasons(model: Model): readonly string[];
	/** Whether a model's wire takes images by https address. This service does not fetch images. */
	takesRemoteImages(model: Model): boolean;
	/** Whether a model's wire takes a tool of this name. */
	takesToolName(model: Model, name: string): boolean;
	/** Of the call. Each model looks at it, so it is made once. */
	media: MediaSummary;
	/** Worst case of the call at an output limit, nano-USD. */
	worstCaseNanoUsd(model: Model, maxTokens: number): number;
}

function lacks(param: CallField, what: string): Exclusion {
	return { code: "capability", param, text: `does not support ${what}` };
}

/** Base64 has four characters for three bytes. */
const BYTES_PER_CHAR = 3 / 4;

function overLimit(text: string): Exclusion {
	return { code: "limits", param: "messages", text };
}

/** Adds what keeps a model from the files and recordings of a call. */
function addMedia(exclusions: Exclusion[], { documents, audio }: Model, media: MediaSummary): void {
	const { files, pages, recordings } = media;
	if (files.length > 0 && !documents)
		exclusions.push({ ...lacks("messages", "PDF files"), isMetBy: (model) => model.documents !== undefined });
	else if (files.length > 0 && documents) {
		const { max_pages, max_bytes } = documents.pdf;
		const bytes = files.reduce((sum, { base64 }) => sum + base64.length * BYTES_PER_CHAR, 0);
		if (max_pages !== null && pages > max_pages)
			exclusions.push(overLimit(`reads at most ${max_pages} pages of PDF files, the request has ${pages}`));
		if (bytes > max_bytes)
			exclusions.push(overLimit(`reads at most ${max_bytes} bytes of PDF files, the request has ${Math.floor(bytes)}`));
	}
	if (recordings.length > 0 && !audio)
		exclusions.push({ ...lacks("messages", "audio"), isMetBy: (model) => model.audio !== undefined });
	else if (recordings.length > 0 && audio) {
		const format = recordings.find((recording) => !audio.formats.includes(recording.format))?.format;
		if (format) exclusions.push(lacks("messages", `audio in ${format}`));
		const seconds = Math.ceil(media.seconds);
		if (seconds > audio.max_seconds)
			exclusions.push(overLimit(`hears at most ${audio.max_seconds} seconds, the request has up to ${seconds}`));
	}
}

/** Adds what a model lacks to its exclusions. */
function addCapabilities(exclusions: Exclusion[], model: Model, call: ModelCall, constraints: Constraints): void {
	const { signals } = constraints;
	const { supports } = model;
	if (signals.hasTools && !supports.tools) exclusions.push(lacks("tools", "tools"));
	for (const { name } of call.tools) {
		if (constraints.takesToolName(model, name)) continue;
		exclusions.push(lacks("tools", `a tool named ${name}`));
		break;
	}
	if (signals.hasImages && !supports.vision) exclusions.push(lacks("messages", "images"));
	if (signals.hasRemoteImages && !constraints.takesRemoteImages(model))
		exclusions.push(lacks("messages", "images by https address"));
	addMedia(exclusions, model, constraints.media);
	if (call.output.type === "json_schema" && !supports.json_schema)
		exclusions.push(lacks("output", "response_format json_schema"));
	if (call.logprobs && !supports.logprobs) exclusions.push(lacks("logprobs", "logprobs"));
}

/** What the images and pages of a call take more or less than the signals say, where the model's row has a figure. */
function moreMediaTokens({ image_tokens = IMAGE_TOKENS, documents }: Model, { images, pages }: MediaSummary): number {
	// The figure of a row is the most that a page counts as.
	const pageTokens = Math.min(documents?.pdf.tokens_per_page ?? PAGE_TOKENS, PAGE_TOKENS);
	return images * (image_tokens - IMAGE_TOKENS) + pages * (pageTokens - PAGE_TOKENS);
}

/** The limit of a model that keeps it from the call; null where none does. */
function findLimit(model: Model, call: ModelCall, { signals, media }: Constraints): Exclusion | null {
	const { context_window, max_input_tokens, max_output_tokens } = model.limits;
	const contextTokens = signals.contextTokens + moreMediaTokens(model, media);
	if (call.maxTokens > max_output_tokens) {
		return {
			code: "limits",
			param: "max_tokens",
			text: `writes at most ${max_output_tokens} tokens, max_tokens is ${call.maxTokens}`,
		};
	}
	const room = Math.min(max_input_tokens ?? context_window, context_window - call.maxTokens);
	if (contextTokens <= room) return null;
	return {
		code: "limits",
		param: "messages",
		text: `the prompt has about ${contextTokens} tokens, there is room for ${room}`,
		overflow: { tokens: contextTokens, maximum: room },
	};
}

/** Whether every list of a key has a model. */
function isAllowed(model: Model, lists: Constraints["keyAllowlists"]): boolean {
	return lists.length === 0 || lists.every((list) => isListed(model, list));
}

/**
 * Everything that keeps a model from serving the call; empty when it may serve. It is asked of every model for every request.
 * @param call with the least output limit that the model may have.
 */
export function findExclusions(model: Model, call: ModelCall, constraints: Constraints): Exclusion[] {
	const { plan, keyAllowlists, blocked, ceiling, tiers } = constraints;
	const exclusions: Exclusion[] = [];
	if (!constraints.available(model))
		exclusions.push({
			code: "unavailable",
			text: `no key is configured for it at ${model.provider}`,
		});
	if (constraints.notServed.has(model.id))
		exclusions.push({ code: "unavailable", text: `${model.provider} lately said that it does not serve it` });
	if (!constraints.isInPlan(model)) exclusions.push({ code: "plan", text: `not in the ${plan.displayName} plan` });
	if (!isAllowed(model, keyAllowlists)) exclusions.push({ code: "key", text: "not among the models of this API key" });
	const entry = blocked.length === 0 ? undefined : findBlocking(model, blocked);
	if (entry !== undefined) {
		const isNamed = !constraints.unnamedBlocked.includes(entry);
		const text = isNamed ? `blocked by the routing config (${entry})` : "blocked by the operator's routing config";
		exclusions.push({ code: "blocked", param: "config", text });
	}
	for (const text of constraints.complianceReasons(model)) exclusions.push({ code: "compliance", text });
	if (tiers && !tiers.includes(model.tier))
		exclusions.push({ code: "tier", text: `tier ${model.tier} is outside ${tiers.join(" and ")}` });
	addCapabilities(exclusions, model, call, constraints);
	const limit = findLimit(model, call, constraints);
	if (limit) exclusions.push(limit);
	// Pricing needs the exact request, which only an available model's wire can render. A model that only compliance
	// excludes is priced, too: the client is told whether anything else excludes it.
	if (ceiling && exclusions.every(({ code }) => code === "compliance")) {
		const worstCase = constraints.worstCaseNanoUsd(model, call.maxTokens);
		if (worstCase > ceiling.nanoUsd) {
			exclusions.push({
				code: "cost",
				text: `its worst case of $${usd(worstCase)} exceeds the ${ceiling.scope === "max_cost" ? "max_cost" : "plan's envelope"} of $${usd(ceiling.nanoUsd)}`,
			});
		}
	}
	return exclusions;
}
