// Answers a request by an encoder model: gate, plan, hold, calls side by side, one settlement and one receipt. Nothing is delivered
// unsettled, and nothing in part. What the body has and how the answer is worded is the endpoint's.
import type { KeyContext } from "../account/context.ts";
import { sessionWarnings } from "../account/request-names.ts";
import type { EncoderModel } from "../catalog/encoder.ts";
import { type EncoderAmounts, priceEncoderWorstCase } from "../catalog/encoder-price.ts";
import { requestLimitNanoUsd } from "../catalog/plans.ts";
import { gateConversation } from "../compliance/gate.edge.ts";
import type { ComplianceGate } from "../compliance/gate.ts";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import { logCall } from "../inference/call-log.ts";
import { type Caller, toCaller } from "../inference/caller.edge.ts";
import { replacePlaces } from "../inference/client-fields.ts";
import { ConcurrencyLimit } from "../inference/concurrency-limit.ts";
import { toReceiptInput } from "../inference/receipt-input.edge.ts";
import { withRefusalTrail } from "../inference/record-refusal.edge.ts";
import { RequestSettlement, toRequestRecord } from "../inference/settlement.edge.ts";
import { toBudgetFailure } from "../meter/budget-failure.ts";
import { budgetLeftNanoUsd } from "../meter/key-budget.ts";
import { nanoUsd, usd } from "../proof/money.ts";
import type { Attestation, SealedReceipt } from "../proof/receipt.ts";
import type { EncoderAnswer, EncoderCall } from "../providers/encoders/encoder-call.ts";
import { encoderFormFor } from "../providers/encoders/forms.ts";
import { health } from "../providers/isolate-health.edge.ts";
import type { Warning } from "../providers/model-call.ts";
import type { UpstreamRequest } from "../providers/wire.ts";
import { wireFor } from "../providers/wires.ts";
import type { RoutingConfig } from "../routing/routing-config.ts";
import { configDigest } from "../routing-config/config.ts";
import { type RequestRules, rulesInForce } from "../routing-config/in-force.edge.ts";
import { answerBytes, joinCallAnswers } from "./answer-parts.ts";
import { toBatches } from "./encoder-batches.ts";
import {
	describeEncoder,
	type EncoderBilledCall,
	type EncoderChoice,
	type EncoderPlannedCall,
	encoderFallbackFrom,
	explainEncoder,
	likelyAmounts,
	mostAmounts,
} from "./encoder-calls.ts";
import { EncoderRunner, type EncoderServedCall } from "./encoder-runner.edge.ts";
import { encoderConversation, renderInputs, toInputPlace, untoldWarnings } from "./encoder-texts.ts";
import { type EncoderRules, findHosts, fitsCost } from "./find-encoder.ts";

/** Calls of one request that are under way at once: a Worker has six connections. */
const MAX_AT_ONCE = 6;

/** What is asked of an encoder model, as an endpoint reads it. */
export interface EncoderRequest {
	choice: EncoderChoice;
	call: EncoderCall;
	/** The body has a list of inputs, so that places of a refusal have an index. */
	isList: boolean;
	/** Its own rules. */
	rules: RequestRules;
	/** What the receipt's `endpoint` says. */
	endpoint: "embeddings" | "moderations" | "rerank";
	/** What the endpoint has to say of the body. */
	warnings: readonly Warning[];
}

/** An answer that is settled and signed. */
export interface EncoderOutcome {
	/** All calls together, in the order of the inputs. */
	answer: EncoderAnswer;
	/** The model that served. */
	model: EncoderModel;
	reason: string;
	fallbackFrom: string | null;
	billed: readonly EncoderBilledCall[];
	receipt: SealedReceipt;
	salt: string;
	latencyMs: number;
	attestation: Attestation | null;
	warnings: readonly Warning[];
	sandbox: boolean;
}

/** The calls of a request: for each part of it those that may be made, in order. */
interface EncoderPlan {
	parts: readonly (readonly [EncoderPlannedCall, ...EncoderPlannedCall[]])[];
	boundNanoUsd: number;
}

/** ms until a model's provider may be asked again that lately said it does not serve it. */
function unservedForMs({ providers }: Caller["settings"]): EncoderRules["unservedForMs"] {
	return (model) => {
		const access = providers.get(model.provider);
		return access ? (health.modelState(access, model, Date.now()).unserved?.askAgainMs ?? 0) : 0;
	};
}

/** What a part of a request asks, and what it may use at whichever host. */
interface Part {
	asked: EncoderCall;
	most: EncoderAmounts;
	likely: EncoderAmounts;
}

/** The exact call of a part at a host. Its body is rendered when it is first sent: most hosts are never asked. */
function planCall(
	{ asked, most, likely }: Part,
	model: EncoderModel,
	choice: EncoderChoice,
	{ settings, startedAtMs }: Caller,
): EncoderPlannedCall {
	const access = settings.providers.get(model.provider);
	const form = access && encoderFormFor(access.provider);
	if (!access || !form) throw new Error(`${model.id} is not available and was not to be asked for`);
	const { parseError } = wireFor(access.provider);
	let rendered: UpstreamRequest | null = null;
	return {
		candidate: { model },
		choice,
		asked,
		attempt: {
			access,
			form,
			wire: { parseError: (body, headers) => form.parseError?.(body) ?? parseError(body, headers) },
			get request() {
				rendered ??= {
					...form.render(asked, model, access),
					maxInputTokens: most.tokens,
					maxOutputTokens: 0,
					warnings: untoldWarnings(asked, model, form),
				};
				return rendered;
			},
			most,
			likely,
			worstCase: priceEncoderWorstCase(model, most, startedAtMs),
		},
	};
}

/** The parts of a request as the strictest of its hosts takes them: any may take over any part. */
function planParts(
	{ call, choice }: EncoderRequest,
	hosts: readonly [EncoderModel, ...EncoderModel[]],
	caller: Caller,
): EncoderPlan {
	const [first] = hosts;
	const least = (of: (limits: EncoderModel["limits"]) => number) => Math.min(...hosts.map(({ limits }) => of(limits)));
	const batchTokens = least(({ max_batch_tokens }) => max_batch_tokens ?? Number.POSITIVE_INFINITY);
	const limits = {
		...first.limits,
		max_inputs: least(({ max_inputs }) => max_inputs),
		max_batch_tokens: Number.isFinite(batchTokens) ? batchTokens : null,
	};
	const parts = toBatches(call, { ...first, limits }).map((asked): [EncoderPlannedCall, ...EncoderPlannedCall[]] => {
		const [own, ...others] = hosts;
		const part = { asked, most: mostAmounts(asked), likely: likelyAmounts(asked) };
		const at = (model: EncoderModel) => planCall(part, model, choice, caller);
		return [at(own), ...others.map(at)];
	});
	const boundNanoUsd = parts.flat().reduce((sum, { attempt }) => sum + attempt.worstCase.totalNanoUsd, 0);
	return { parts, boundNanoUsd };
}

/** Why the request could cost too much; null where it cannot. */
function findCostFailure(
	worstNanoUsd: number,
	config: EncoderRules["config"],
	{ account }: KeyContext,
): Failure | null {
	const refuse = (scope: "plan_envelope" | "max_cost", limitNanoUsd: number, limit: string) => ({
		nanoUsd: limitNanoUsd,
		refuse: (): Failure => ({
			reason: "cost_limit_exceeded",
			message: `the request could cost $${usd(worstNanoUsd)}, ${limit} is $${usd(limitNanoUsd)}; send fewer or shorter inputs`,
			scope,
			limitUsd: usd(limitNanoUsd),
			worstCaseUsd: usd(worstNanoUsd),
			wouldFit: null,
		}),
	});
	const envelope = requestLimitNanoUsd(account.plan);
	const { tightBudget } = account;
	return fitsCost(worstNanoUsd, [
		...(envelope === null
			? []
			: [refuse("plan_envelope", envelope, `the ${account.plan.displayName} plan's envelope`)]),
		...(config?.max_cost == null ? [] : [refuse("max_cost", nanoUsd(config.max_cost), "max_cost")]),
		...(tightBudget
			? [{ nanoUsd: budgetLeftNanoUsd(tightBudget), refuse: () => toBudgetFailure(tightBudget, null) }]
			: []),
	]);
}

/** Makes the calls of all parts, some at once. Once one has failed, no further one is begun. */
async function makeCalls(
	runner: EncoderRunner,
	parts: EncoderPlan["parts"],
): Promise<{ ok: true; served: EncoderServedCall[] } | { ok: false; failure: Failure; clientClosed: boolean }> {
	const places = new ConcurrencyLimit(MAX_AT_ONCE);
	const served: EncoderServedCall[] = [];
	let failed: { ok: false; failure: Failure; clientClosed: boolean } | null = null;
	await Promise.all(
		parts.map((hosts, index) =>
			places.run(async () => {
				if (failed) return;
				const result = await runner.complete(hosts);
				if (result.ok) served[index] = result.served;
				else failed ??= result;
			}),
		),
	);
	return failed ?? { ok: true, served };
}

async function findGate(
	{ call }: EncoderRequest,
	levels: Parameters<typeof gateConversation>[0] | null,
	{ settings, account, signal }: KeyContext,
): Promise<ComplianceGate | null> {
	if (!levels) return null;
	return gateConversation(levels, encoderConversation(call), settings, { user: account.userId, signal });
}

/** A failure with its places as the client's body has them. */
function inBody({ call, isList }: EncoderRequest, failure: Failure): Failure {
	return replacePlaces(failure, toInputPlace(call, isList));
}

/** A request that may be made: at these hosts, as these calls. */
interface AllowedRequest {
	request: EncoderRequest;
	config: RoutingConfig | null;
	gate: ComplianceGate | null;
	plan: EncoderPlan;
}

/** Finds where a request may go and what it could cost, and refuses what may not be made. */
async function allow(request: EncoderRequest, caller: Caller, context: KeyContext): Promise<Result<AllowedRequest>> {
	const inForce = await rulesInForce(request.rules, context);
	if (!inForce.ok) return inForce;
	const { settings } = caller;
	const config = inForce.value.config?.config ?? null;
	const rules = {
		plan: caller.account.plan,
		settings,
		config,
		unservedForMs: unservedForMs(settings),
		call: request.call,
	};
	// Before anything is scanned: most refusals need no scan.
	const callable = findHosts(request.choice, { ...rules, gate: null });
	if (!callable.ok) return callable;
	const gate = await findGate(request, inForce.value.levels, context);
	const hosts = gate ? findHosts(request.choice, { ...rules, gate }) : callable;
	if (!hosts.ok) return fail(inBody(request, hosts.failure));
	const plan = planParts(request, hosts.value, caller);
	const tooDear = findCostFailure(plan.boundNanoUsd, config, context);
	return tooDear ? fail(tooDear) : ok({ request, config, gate, plan });
}

function createRunner({ boundNanoUsd }: EncoderPlan, caller: Caller, endsAtMs: number): EncoderRunner {
	const { settings, account, startedAtMs, signal, tracing, log } = caller;
	return new EncoderRunner({
		userId: account.userId,
		settings,
		signal,
		boundNanoUsd,
		arrivedAtMs: startedAtMs,
		endsAtMs,
		tracing,
		noteKey: caller.noteKey,
		onSend: (call) => logCall(log, call, { mode: "direct", fallback: encoderFallbackFrom(call) !== null }),
	});
}

/** What the record of a request says of a call. */
function tell({ choice }: EncoderPlannedCall) {
	const asked = { maxTokens: null, temperature: null, topP: null, effort: null, previousResponseId: null };
	return { isStream: false, asked: { model: choice.named.id, ...asked }, finishReasons: [], tools: [] };
}

/** How a request is recorded and signed. */
async function createRecord({ request, config, gate, plan }: AllowedRequest, caller: Caller, context: KeyContext) {
	const { call, endpoint } = request;
	return toRequestRecord<EncoderBilledCall>(
		caller,
		{
			input: await toReceiptInput({ type: "svc.input.v3", endpoint, body: context.rawBody }, context),
			configDigest: config ? configDigest(config) : null,
			gate,
			sentMessages: () => [{ role: "user", content: [{ type: "text", text: renderInputs(call) }] }],
			describe: describeEncoder,
			tell,
		},
		plan.boundNanoUsd,
	);
}

async function encodeWhole(request: EncoderRequest, context: KeyContext): Promise<Result<EncoderOutcome>> {
	const caller = toCaller(context);
	const allowed = await allow(request, caller, context);
	if (!allowed.ok) return allowed;
	const { parts } = allowed.value.plan;
	const endsAtMs = Date.now() + caller.settings.upstreamTotalTimeoutMs;
	const runner = createRunner(allowed.value.plan, caller, endsAtMs);
	const record = await createRecord(allowed.value, caller, context);
	const settlement = new RequestSettlement(caller, record, runner, endsAtMs);
	const reserved = await settlement.reserveBound(atBound(parts));
	if (!reserved.ok) return reserved;
	const made = await caller.timings.measure("upstream", () => makeCalls(runner, parts));
	if (!made.ok) return settlement.fail(made.failure, made.clientClosed || caller.signal.aborted);
	const answer = joinCallAnswers(made.served.map((served) => served.answer));
	const receipt = await settlement.settle("complete", answerBytes(answer));
	if (!receipt) return fail({ reason: "receipt_unavailable", requestId: caller.requestId });
	const { billed } = runner;
	const last = billed.at(-1);
	if (!last) throw new Error("an answer was billed");
	const { salt, latencyMs, attestation } = settlement;
	return ok({
		answer,
		model: last.candidate.model,
		reason: explainEncoder(last),
		fallbackFrom: encoderFallbackFrom(last),
		billed,
		receipt,
		salt,
		latencyMs,
		attestation,
		warnings: [
			...request.warnings,
			...sessionWarnings(context),
			...servedWarnings(made.served),
			...overrunWarnings(billed),
		],
		sandbox: made.served.some(({ sandbox }) => sandbox),
	});
}

/** The calls of a request whose process dies while they are under way, as one. */
function atBound(parts: EncoderPlan["parts"]): EncoderBilledCall {
	const [first] = parts[0] ?? [];
	if (!first) throw new Error("a request has an input");
	return {
		...first,
		bill: {
			promptTokens: parts.reduce((sum, [{ attempt }]) => sum + attempt.likely.tokens, 0),
			completionTokens: 0,
			parts: {},
			cost: first.attempt.worstCase,
			estimated: true,
			overrun: false,
		},
	};
}

/** Warnings of the calls that answered, each once: what one part leaves out, most do. */
function servedWarnings(served: readonly EncoderServedCall[]): Warning[] {
	const warnings = served.flatMap(({ call }) => call.attempt.request.warnings);
	return [...new Map(warnings.map((warning) => [warning.message, warning])).values()];
}

function overrunWarnings(billed: readonly EncoderBilledCall[]): Warning[] {
	if (!billed.some(({ bill }) => bill.overrun)) return [];
	const message = "the provider reported more usage than was sent; the cost is the reserved bound";
	return [{ code: "provider_overrun", param: null, message }];
}

/** Answers a request. A client that hangs up stops the calls and is still accounted for; a refusal by compliance leaves its trail. */
export function encode(request: EncoderRequest, context: KeyContext): Promise<Result<EncoderOutcome>> {
	const outcome = withRefusalTrail(encodeWhole(request, context), context);
	context.waitUntil(outcome.catch(() => undefined));
	return outcome;
}
