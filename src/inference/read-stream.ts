// Reads the stream of one upstream call: to its end, or up to its first delta and from there piece by piece. Billing is
// call-runner.edge.ts's.
import { AnswerAccumulator, isEmptyAnswer, isOutputPart, toWellFormedAnswer } from "../providers/accumulate.ts";
import { type CallFailure, type PartialAnswer, UpstreamInterrupted } from "../providers/call-failure.ts";
import type { ModelAnswer } from "../providers/model-call.ts";
import type { UpstreamStream } from "../providers/upstream.edge.ts";
import { WellFormedParts } from "../providers/well-formed.ts";
import type { StreamPart } from "../providers/wire.ts";

/** The outcome of one attempt at a call. */
export type AttemptResult<T> = { kind: "served"; value: T } | CallFailure;

function lostFailure(lost: UpstreamInterrupted, remains: PartialAnswer): CallFailure {
	return { kind: "lost", why: lost.why, sent: true, partial: remains, error: lost.error };
}

/** The failure that an exception while reading stands for. A bug is thrown again. */
export function toCallFailure(error: unknown, remains: PartialAnswer, client: AbortSignal): CallFailure {
	if (!(error instanceof UpstreamInterrupted)) throw error;
	return client.aborted ? { kind: "client_closed", sent: true, partial: remains } : lostFailure(error, remains);
}

function emptyAnswerFailure(answer: ModelAnswer, stream: UpstreamStream): CallFailure {
	return lostFailure(new UpstreamInterrupted("empty"), { answer, reported: stream.reported() });
}

/** Reads a stream up to its first delta: until then a fallback can take over unnoticed. */
export async function readFirstDelta(
	stream: UpstreamStream,
	stop: readonly string[],
	client: AbortSignal,
): Promise<AttemptResult<StreamRelay>> {
	const received: StreamPart[][] = [];
	const accumulator = new AnswerAccumulator();
	try {
		for (let next = await stream.parts.next(); !next.done; next = await stream.parts.next()) {
			received.push(next.value);
			for (const part of next.value) accumulator.add(part);
			if (next.value.some(isOutputPart)) return { kind: "served", value: new StreamRelay(stream, received, false) };
		}
	} catch (error) {
		stream.abort();
		return toCallFailure(error, { answer: accumulator.answer(), reported: stream.reported() }, client);
	}
	const answer = accumulator.answer();
	if (isEmptyAnswer(answer, stop)) return emptyAnswerFailure(answer, stream);
	return { kind: "served", value: new StreamRelay(stream, received, true) };
}

/** Reads a stream to its end. @param noteOutput called with each piece of output. */
export async function readWhole(
	stream: UpstreamStream,
	stop: readonly string[],
	client: AbortSignal,
	noteOutput: () => void = () => undefined,
): Promise<AttemptResult<ModelAnswer>> {
	const accumulator = new AnswerAccumulator();
	try {
		for await (const parts of stream.parts) {
			for (const part of parts) accumulator.add(part);
			if (parts.some(isOutputPart)) noteOutput();
		}
	} catch (error) {
		return toCallFailure(error, { answer: accumulator.answer(), reported: stream.reported() }, client);
	}
	const answer = toWellFormedAnswer(accumulator.answer());
	return isEmptyAnswer(answer, stop) ? emptyAnswerFailure(answer, stream) : { kind: "served", value: answer };
}

/** Forwards an upstream stream from its first delta on, well-formed, and accumulates what it forwarded. */
export class StreamRelay {
	readonly upstream: UpstreamStream;
	#received: readonly StreamPart[][];
	#ended: boolean;
	#accumulator = new AnswerAccumulator();
	#wellFormed = new WellFormedParts();
	/** Why the stream broke off; null while it has not. */
	lost: UpstreamInterrupted | null = null;
	/** The upstream has ended normally, and everything was forwarded. */
	isWhole = false;

	/**
	 * @param received what was read up to the first delta.
	 * @param ended there is no more.
	 */
	constructor(upstream: UpstreamStream, received: readonly StreamPart[][], ended: boolean) {
		this.upstream = upstream;
		this.#received = received;
		this.#ended = ended;
	}

	#forward(parts: readonly StreamPart[]): StreamPart[] {
		const passed = parts.flatMap((part) => this.#wellFormed.pass(part) ?? []);
		for (const part of passed) this.#accumulator.add(part);
		return passed;
	}

	#end(): StreamPart[] {
		const rest = this.#wellFormed.end();
		for (const part of rest) this.#accumulator.add(part);
		return rest;
	}

	/** One array per piece of the upstream's body. Ends early, without throwing, when the upstream breaks off. */
	async *parts(): AsyncGenerator<readonly StreamPart[], void> {
		try {
			for (const batch of this.#received) yield this.#forward(batch);
			if (!this.#ended) for await (const batch of this.upstream.parts) yield this.#forward(batch);
			yield this.#end();
			this.isWhole = true;
		} catch (error) {
			if (!(error instanceof UpstreamInterrupted)) throw error;
			this.lost = error;
		}
	}

	/** What was forwarded. */
	answer(): ModelAnswer {
		return this.#accumulator.answer();
	}

	/** The forwarded part of a stream that broke off. */
	remains(): PartialAnswer {
		return { answer: this.answer(), reported: this.upstream.reported() };
	}
}
