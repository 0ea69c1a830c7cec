// What a request owes for its calls: reserved before the first, written down before more are sent, settled and signed once after
// the last. Which calls are made is call-runner.edge.ts's.
import type { Model } from "../catalog/schema.ts";
import { requiresZeroRetention } from "../compliance/policy-levels.ts";
import { type Failure, fail, type Result } from "../failure.ts";
import { summarizeFailure } from "../http/failure-summary.ts";
import type { RequestEnd, RequestError, RequestFacts } from "../meter/request-facts.ts";
import type { Reservation } from "../meter/settlement.ts";
import { type Attestation, type Outcome, type ReceiptKind, type SealedReceipt, sealReceipt } from "../proof/receipt.ts";
import { hashSaltedLong } from "../proof/salted.ts";
import type { UpstreamInterrupted } from "../providers/call-failure.ts";
import type { ModelAnswer } from "../providers/model-call.ts";
import type { ExtendOutcome } from "../usage/funds.edge.ts";
import {
	type AccountedCall,
	type BilledCall,
	type RequestPurpose,
	type RequestRecord,
	reserveBilledSoFar,
	reserveWholeBound,
	totalNanoUsd,
	toUsageAndReceipt,
} from "./accounting.ts";
import { type AttemptLog, toFirstTokenMs } from "./attempt-log.ts";
import type { Caller } from "./caller.edge.ts";
import { LOST } from "./failover.ts";
import { renderAnswer, renderSentMessages } from "./rendered-texts.ts";
import { type SettledExchange, toRequestTelemetry } from "./request-telemetry.ts";
import type { StageTimes } from "./trace.ts";

/** Time between the end of the last call and the expiry of the reservation. */
const RESERVATION_MARGIN_MS = 10_000;

/** When the meter settles a reservation by itself, because its process has not. @param endsAtMs when every call is over. */
export function reservationExpiryMs(endsAtMs: number): number {
	return endsAtMs + RESERVATION_MARGIN_MS;
}

/** What a request on its way is written down from. */
export function toRequestRecord<C extends AccountedCall>(
	caller: Caller,
	purpose: RequestPurpose<C>,
	boundNanoUsd: number,
): RequestRecord<C> {
	return {
		requestId: caller.requestId,
		userId: caller.account.userId,
		apiKeyId: caller.account.keyId,
		names: caller.names,
		startedAtMs: caller.startedAtMs,
		catalogVersion: caller.settings.catalog.version,
		purpose,
		salted: null,
		boundNanoUsd,
	};
}

/** A request that gave no answer, with the receipt of what may have been billed; null when nothing was. */
export interface FailedRequest {
	ok: false;
	failure: Failure;
	receipt: SealedReceipt | null;
}

/** The calls to be settled; they grow while calls are made. */
interface MadeCalls<C> {
	/** Every call that is, or may be, billed, in the order they ended. */
	readonly billed: readonly C[];
	/** Every model that was sent a call. */
	readonly readers: Iterable<Pick<Model, "id" | "provider">>;
	/** Every call that was sent. */
	readonly attempts: AttemptLog;
	/** Of a workflow. */
	readonly stageTimes?: readonly StageTimes[];
}

/** Why a request gave no answer, or no whole one. */
interface Fault {
	/** What its client is told; null where that is none of our failures. */
	failure: Failure | null;
	/** How its stream broke off; null where it did not. */
	lost: UpstreamInterrupted | null;
}

/** What is to be said of an answer besides. */
interface Told extends Fault {
	/** What its one model wrote, before the mask is taken off. */
	written: ModelAnswer;
	/** What several wrote together, with placeholders for what is masked. */
	writtenText: string;
}

const NO_FAULT: Fault = { failure: null, lost: null };

/** The error of an answer that broke off after its head. */
function toLostError({ why }: UpstreamInterrupted): RequestError {
	const code = why === "timeout" || why === "out_of_time" ? "upstream_timeout" : "upstream_cut";
	return { code, message: `the provider ${LOST[why]}` };
}

/** How a request ended for its client. @param sentStatus the status that the client has; null while it has none. */
function toEnd(outcome: Outcome, { failure, lost }: Fault, sentStatus: number | null): RequestEnd {
	const summary = failure && summarizeFailure(failure);
	const answered = outcome === "client_closed" ? null : (summary?.status ?? 200);
	const error = summary ? { code: summary.code, message: summary.message } : lost && toLostError(lost);
	return { status: sentStatus ?? answered, error: outcome === "client_closed" ? null : error };
}

/** @typeParam C the calls that the request makes. */
export class RequestSettlement<C extends AccountedCall = BilledCall> {
	#record: RequestRecord<C>;
	#caller: Caller;
	#calls: MadeCalls<C>;
	#expiresAtMs: number;

	/** @param endsAtMs when every call is over. */
	constructor(caller: Caller, record: RequestRecord<C>, calls: MadeCalls<C>, endsAtMs: number) {
		this.#record = record;
		this.#caller = caller;
		this.#calls = calls;
		this.#expiresAtMs = reservationExpiryMs(endsAtMs);
	}

	/** Its bound is what is reserved. */
	get record(): RequestRecord<C> {
		return this.#record;
	}

	/**
	 * Reserves the whole bound. If the process dies, it is recorded for the first call, with a receipt that does not say what the input
	 * was: the salt of its hash comes with the admission.
	 * @param first at its own bound.
	 */
	reserveBound(first: C): Promise<Result<unknown>> {
		return this.#reserve(reserveWholeBound(this.record, first, this.#expiresAtMs));
	}

	/** Reserves the bound while the calls are not known yet. If the process dies before it extends, nothing is recorded. */
	reserveNothingCalled(): Promise<Result<unknown>> {
		return this.#reserve(reserveBilledSoFar(this.record, [], this.#expiresAtMs));
	}

	async #reserve(reservation: Reservation): Promise<Result<unknown>> {
		const parent = this.#caller.trace?.parent;
		const reserved = await this.#caller.funds.reserve(parent ? { ...reservation, parent } : reservation);
		if (!reserved.ok) return reserved;
		const { salt } = reserved.value;
		const inputHash = await this.#record.purpose.input.hash(salt);
		this.#record = { ...this.#record, salted: { salt, inputHash } };
		return reserved;
	}

	/** The salt of the receipt's hashes. To be read once the request is admitted. */
	get salt(): string {
		const { salted } = this.#record;
		if (!salted) throw new Error("a request has its salt once it is admitted");
		return salted.salt;
	}

	/**
	 * Writes down what is recorded from now on if the process dies, and reserves more where the calls may cost more than is reserved.
	 * Unless that is `extended`, nothing may be called.
	 */
	async extend(calls: readonly C[]): Promise<ExtendOutcome> {
		const record = { ...this.#record, boundNanoUsd: Math.max(this.#record.boundNanoUsd, totalNanoUsd(calls)) };
		const outcome = await this.#caller.funds.extend(reserveBilledSoFar(record, calls, this.#expiresAtMs));
		if (outcome === "extended") this.#record = record;
		return outcome;
	}

	/** Since the request arrived. */
	get latencyMs(): number {
		return Date.now() - this.record.startedAtMs;
	}

	/** What is attested of the models that were called so far; null without a compliance policy. */
	get attestation(): Attestation | null {
		return this.record.purpose.gate?.attest(this.#calls.readers) ?? null;
	}

	/** What the request's row says besides. */
	#facts(kind: ReceiptKind): RequestFacts {
		const attempts = this.#calls.attempts.kept;
		// The answer of a workflow is made of several.
		const firstTokenMs = kind === "chat" || kind === "skill" ? toFirstTokenMs(attempts) : null;
		return { ...this.record.names, firstTokenMs, attempts };
	}

	/**
	 * Seals and stores usage and receipt, once.
	 * @param output what `output_hash` is over: a text, or bytes.
	 * @returns null when that failed: then nothing may be delivered as a success.
	 */
	async settle(outcome: Outcome, output: string | Uint8Array, told: Partial<Told> = {}): Promise<SealedReceipt | null> {
		const { log, timings, settings, funds, trail } = this.#caller;
		const { billed, readers } = this.#calls;
		const { salted } = this.record;
		const outputHash = salted && (await hashSaltedLong(salted.salt, output));
		const ending = { outcome, outputHash, atMs: Date.now(), latencyMs: this.latencyMs, readers };
		const { usage, receipt: unsigned } = toUsageAndReceipt(this.record, billed, ending);
		const receipt = await sealReceipt(unsigned, settings.signer);
		const { model, provider, mode, fallback } = usage;
		const { cost_usd, estimated } = unsigned;
		Object.assign(log, { model, provider, mode, fallback, outcome, cost_usd, estimated });
		const end = toEnd(outcome, { ...NO_FAULT, ...told }, trail.sentStatus);
		const facts = this.#facts(usage.kind);
		const [settled] = await timings.measure("settle", () =>
			Promise.all([funds.settle({ usage, receipt, facts, end }), this.#keepTexts(told)]),
		);
		if (settled) this.#trace({ usage, receipt: unsigned, facts, end }, told);
		return settled ? receipt : null;
	}

	/** What no provider may keep is not kept here either, and no collector gets it. */
	get #mayTellTexts(): boolean {
		const { gate } = this.#record.purpose;
		return !(gate && requiresZeroRetention(gate.levels));
	}

	/** Hands over the spans of the request, which is settled. */
	#trace(settled: Pick<SettledExchange, "usage" | "receipt" | "facts" | "end">, told: Partial<Told>): void {
		const { trace, route } = this.#caller;
		const last = this.#calls.billed.at(-1);
		const stageTimes = this.#calls.stageTimes ?? [];
		const [written, writtenText] = [told.written ?? null, told.writtenText ?? null];
		trace?.handRequest(() => {
			const { parent } = trace;
			const { tell, sentMessages } = this.record.purpose;
			const hasContent = trace.hasContent && this.#mayTellTexts;
			const single = last && tell ? tell(last, written, hasContent) : null;
			const sent = hasContent ? (sentMessages?.() ?? null) : null;
			return toRequestTelemetry({
				...settled,
				...{ single, written, writtenText, stageTimes, sent, parent, endpoint: route ?? null },
			});
		});
	}

	/** Keeps the request's texts where its key and the operator want that, and no policy forbids it. Never throws. */
	async #keepTexts({ written, writtenText }: Partial<Told>): Promise<void> {
		const { keepTexts } = this.#caller;
		const { sentMessages } = this.#record.purpose;
		if (!keepTexts || !sentMessages || !this.#mayTellTexts) return;
		const output = writtenText ?? (written ? renderAnswer(written) : "");
		await keepTexts({ input: renderSentMessages(sentMessages()), output });
	}

	/** Settles a request that gave no answer: what may have been billed is recorded; where that is nothing, the reservation is released. */
	async fail(failure: Failure, clientClosed: boolean): Promise<FailedRequest> {
		if (this.#calls.billed.length === 0) {
			this.#caller.trail.attempts = this.#calls.attempts.kept;
			await this.#caller.funds.release();
			return { ...fail(failure), receipt: null };
		}
		const receipt = await this.settle(clientClosed ? "client_closed" : "cut", "", { failure });
		if (receipt) return { ...fail(failure), receipt };
		return { ...fail({ reason: "receipt_unavailable", requestId: this.record.requestId }), receipt: null };
	}
}
