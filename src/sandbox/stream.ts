// A response body in pieces, with waits and faults in its middle. Each piece is made when it is read.
import type { SandboxFaults } from "./faults.ts";
import type { BodyPiece } from "./format.ts";

/** Node's side of a response; absent if the app is called without a server. */
export interface Connection {
	destroy(): unknown;
}

/** The frames of a body, and those of its failures. */
interface StreamScript {
	/** It is called twice: once to find the middle. */
	frames(): Iterable<BodyPiece>;
	garbage: BodyPiece;
	error: BodyPiece;
	/** A keep-alive. */
	ping: BodyPiece;
}

type StreamStep = { piece: BodyPiece } | { waitMs: number } | "cut" | "failed";

function countFrames(frames: Iterable<BodyPiece>): number {
	let total = 0;
	for (const _ of frames) total++;
	return total;
}

/** A wait, with its keep-alives. */
function* waitSteps(ms: number, { ping }: StreamScript, { pingMs }: SandboxFaults): Generator<StreamStep> {
	const eachMs = pingMs > 0 ? pingMs : ms;
	for (let leftMs = ms; leftMs > 0; leftMs -= eachMs) {
		yield { waitMs: Math.min(leftMs, eachMs) };
		if (leftMs > eachMs) yield { piece: ping };
	}
}

/** The faults in the middle of a body. */
function* faultSteps(script: StreamScript, faults: SandboxFaults): Generator<StreamStep> {
	yield* waitSteps(faults.stallMs, script, faults);
	if (faults.garbage) yield { piece: script.garbage };
	if (faults.error) yield { piece: script.error };
	if (faults.error) yield "failed";
	if (faults.cut) {
		// A destroyed connection drops what was written just before. The pause lets it leave.
		yield { waitMs: 20 };
		yield "cut";
	}
}

function* bodySteps(script: StreamScript, faults: SandboxFaults): Generator<StreamStep> {
	const isDisturbed = faults.stallMs > 0 || faults.garbage || faults.error || faults.cut;
	const middle = isDisturbed ? Math.floor(countFrames(script.frames()) / 2) : -1;
	yield* waitSteps(faults.thinkMs, script, faults);
	let index = 0;
	for (const piece of script.frames()) {
		if (index > 0) yield* waitSteps(faults.dripMs, script, faults);
		if (index === middle) yield* faultSteps(script, faults);
		index++;
		yield { piece };
	}
}

/**
 * The body of a script. It is pulled: it pauses when its reader does, and ends when it is cancelled.
 * @param onEnd called once, with true if everything was sent.
 */
export function bodyStream(
	script: StreamScript,
	faults: SandboxFaults,
	connection: Connection | undefined,
	onEnd: (completed: boolean) => void = () => undefined,
): ReadableStream<Uint8Array> {
	const encoder = new TextEncoder();
	const remaining = bodySteps(script, faults);
	let ended = false;
	let wake = () => {};
	const end = (completed: boolean) => {
		if (!ended) onEnd(completed);
		ended = true;
	};
	const wait = (ms: number) =>
		new Promise<void>((resolve) => {
			const timer = setTimeout(resolve, ms);
			wake = () => {
				clearTimeout(timer);
				resolve();
			};
		});
	return new ReadableStream(
		{
			async pull(controller) {
				while (!ended) {
					const step = remaining.next().value;
					if (step === undefined || step === "failed") {
						end(step === undefined);
						controller.close();
					} else if (step === "cut") {
						end(false);
						if (connection) connection.destroy();
						else controller.error(new Error("the sandbox was asked to break off"));
					} else if ("piece" in step) {
						controller.enqueue(typeof step.piece === "string" ? encoder.encode(step.piece) : step.piece);
						return;
					} else await wait(step.waitMs);
				}
			},
			cancel() {
				end(false);
				wake();
			},
		},
		{ highWaterMark: 0 },
	);
}
