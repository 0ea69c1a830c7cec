// A client of V8's inspector in workerd: CPU profiles, heap sizes and forced collections of one Worker's isolate.
import * as z from "zod";

const COMMAND_TIMEOUT_MS = 60_000;
/** Pause between the requests that wake an idle isolate. */
const WAKE_INTERVAL_MS = 500;

const targetsSchema = z.array(z.object({ id: z.string(), webSocketDebuggerUrl: z.string() }));
const answerSchema = z.object({
	id: z.number().optional(),
	result: z.unknown().optional(),
	error: z.object({ message: z.string() }).optional(),
});

/** One place in the code; lines and columns from 0. */
export interface CallFrame {
	functionName: string;
	url: string;
	lineNumber: number;
	columnNumber: number;
}

/** The part of V8's .cpuprofile format that is read here. */
export interface CpuProfile {
	nodes: { id: number; callFrame: CallFrame; children?: number[] }[];
	/** Node ids. */
	samples: number[];
	/** Microseconds since the sample before. */
	timeDeltas: number[];
}

export interface HeapUsage {
	/** Of JavaScript objects, bytes. */
	usedSize: number;
	totalSize: number;
	/** Held outside the heap by objects in it, bytes; absent in older engines. */
	backingStorageSize?: number | undefined;
	embedderHeapUsedSize?: number | undefined;
}

const heapSchema = z.object({
	usedSize: z.number(),
	totalSize: z.number(),
	backingStorageSize: z.number().optional(),
	embedderHeapUsedSize: z.number().optional(),
});

/** One open inspector session. */
export class Inspector {
	#socket: WebSocket;
	#nextId = 1;
	#waiting = new Map<number, PromiseWithResolvers<unknown>>();

	private constructor(socket: WebSocket) {
		this.#socket = socket;
		socket.addEventListener("message", ({ data }) => {
			const { id, result, error } = answerSchema.parse(JSON.parse(String(data)));
			const waiting = this.#waiting.get(id ?? 0);
			if (!waiting) return;
			this.#waiting.delete(id ?? 0);
			if (error) waiting.reject(new Error(`the inspector refused: ${error.message}`));
			else waiting.resolve(result);
		});
		socket.addEventListener("close", () => {
			for (const { reject } of this.#waiting.values()) reject(new Error("the inspector closed the session"));
			this.#waiting.clear();
		});
	}

	/**
	 * Opens a session with the isolate of the one Worker that listens; its objects run in the same isolate.
	 * @param origin where the inspector listens.
	 */
	static async open(origin: string): Promise<Inspector> {
		const http = origin.replace(/^ws/, "http");
		const [found] = targetsSchema.parse(await (await fetch(`${http}/json`)).json());
		if (!found) throw new Error("no isolate listens to the inspector");
		const socket = new WebSocket(found.webSocketDebuggerUrl);
		await new Promise<void>((resolve, reject) => {
			socket.addEventListener("open", () => resolve(), { once: true });
			socket.addEventListener("error", () => reject(new Error("the inspector did not answer")), { once: true });
		});
		return new Inspector(socket);
	}

	async #send(method: string, params: Record<string, unknown> = {}): Promise<unknown> {
		const id = this.#nextId++;
		const waiting = Promise.withResolvers<unknown>();
		this.#waiting.set(id, waiting);
		const timer = setTimeout(() => waiting.reject(new Error(`no answer to ${method}`)), COMMAND_TIMEOUT_MS);
		this.#socket.send(JSON.stringify({ id, method, params }));
		return waiting.promise.finally(() => clearTimeout(timer));
	}

	/** Profiles the isolate while `work` runs. */
	async profile(work: () => Promise<void>, intervalMicros = 200): Promise<CpuProfile> {
		await this.#send("Profiler.enable");
		await this.#send("Profiler.setSamplingInterval", { interval: intervalMicros });
		await this.#send("Profiler.start");
		await work();
		const { profile } = (await this.#send("Profiler.stop")) as { profile: CpuProfile };
		await this.#send("Profiler.disable");
		return profile;
	}

	/**
	 * Collects all garbage. V8 queues a collection as a task of the isolate, and workerd runs such tasks only after the code of
	 * a request has run. An idle isolate would never answer, so requests are sent until it does.
	 * @param wake sends a request to the Worker.
	 */
	async collectGarbage(wake: () => Promise<unknown>): Promise<void> {
		const timer = setInterval(() => void wake().catch(() => undefined), WAKE_INTERVAL_MS);
		await this.#send("HeapProfiler.collectGarbage").finally(() => clearInterval(timer));
	}

	async heapUsage(): Promise<HeapUsage> {
		return heapSchema.parse(await this.#send("Runtime.getHeapUsage"));
	}

	close(): void {
		this.#socket.close();
	}
}
