// A body in pieces, with what may go wrong in its middle; nothing is made before it is read.
import type { Faults } from "./faults.ts";

/** Node's side of a response; absent where the app is called without a server. */
export interface Connection {
	destroy(): unknown;
}

/** A body as frames, and the frames that stand for its failures. */
export interface Script {
	/** Called again to find the middle. */
	frames(): Iterable<string>;
	garbage: string;
	error: string;
}

type Step = { text: string } | { waitMs: number } | "cut" | "failed";

function count(frames: Iterable<string>): number {
	let total = 0;
	for (const _ of frames) total++;
	return total;
}

function* steps({ frames, garbage, error }: Script, faults: Faults): Generator<Step> {
	const disturbed = faults.stallMs > 0 || faults.garbage || faults.error || faults.cut;
	const middle = disturbed ? Math.floor(count(frames()) / 2) : -1;
	let index = 0;
	for (const text of frames()) {
		if (index++ === middle) {
			if (faults.stallMs > 0) yield { waitMs: faults.stallMs };
			if (faults.garbage) yield { text: garbage };
			if (faults.error) yield { text: error };
			if (faults.error) yield "failed";
			if (faults.cut) {
				// A destroyed connection throws away what was written just before; the pause lets it leave.
				yield { waitMs: 20 };
				yield "cut";
			}
		}
		yield { text };
	}
}

/**
 * The body of a script. It is pulled: a reader that stops reading stops it, and cancelling ends it.
 * @param onEnd told once how it ended; true when everything was sent.
 */
export function bodyStream(
	script: Script,
	faults: Faults,
	connection: Connection | undefined,
	onEnd: (completed: boolean) => void = () => undefined,
): ReadableStream<Uint8Array> {
	const encoder = new TextEncoder();
	const remaining = steps(script, faults);
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
					} else if ("text" in step) {
						controller.enqueue(encoder.encode(step.text));
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
