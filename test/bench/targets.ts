// The targets that the service is compared with, all in front of one upstream: Workers without state, one with two durable
// writes, and Portkey. The upstream starts here, too; the service in svc-target.ts.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { Miniflare } from "miniflare";
import * as z from "zod";
import type { LoadTarget } from "./load.ts";
import { STREAMED_ANSWER } from "./loads.ts";
import { withRuntimePid } from "./process.ts";

export interface Upstream {
	/** Origin, without a trailing slash. */
	url: string;
	/** How many calls it has answered so far. */
	countCalls(): Promise<number>;
	stop(): Promise<void>;
}

/** Starts the upstream in a thread of its own. */
export async function startUpstream(): Promise<Upstream> {
	const thread = new Worker(join(import.meta.dirname, "upstream.ts"));
	const nextMessage = async () => z.tuple([z.number()]).parse(await once(thread, "message"))[0];
	const port = await nextMessage();
	return {
		url: `http://127.0.0.1:${port}`,
		countCalls: () => {
			thread.postMessage(null);
			return nextMessage();
		},
		stop: async () => {
			await thread.terminate();
		},
	};
}

/** Reads the log. Otherwise workerd would block on a full pipe. */
export function discardOutput(stdout: Readable, stderr: Readable): void {
	stdout.resume();
	stderr.resume();
}

const COMPATIBILITY_DATE = "2026-07-22";

/** Names of users. Targets without accounts take them for keys. */
export function userNames(users: number): string[] {
	return Array.from({ length: users }, (_, user) => `bench-${user}`);
}

const PASS_THROUGH = `export default {
	fetch(request, env) {
		return fetch(env.UPSTREAM, { method: "POST", headers: request.headers, body: request.body });
	},
};`;

interface RuntimeOptions {
	/** Whether V8's inspector listens. Heaps can be measured and collections forced then. */
	inspected?: boolean | undefined;
}

/** Options of Miniflare that all Workers here share. */
function runtimeOptions(upstreamUrl: string, { inspected = false }: RuntimeOptions) {
	return {
		name: "bench",
		modules: true,
		compatibilityDate: COMPATIBILITY_DATE,
		bindings: { UPSTREAM: `${upstreamUrl}/openai/chat/completions` },
		host: "127.0.0.1",
		port: 0,
		handleRuntimeStdio: discardOutput,
		...(inspected ? { inspectorPort: 0 } : {}),
	} as const;
}

async function startWorker(miniflare: Miniflare, { inspected = false }: RuntimeOptions) {
	const url = (await miniflare.ready).origin;
	const inspectorUrl = inspected ? (await miniflare.getInspectorURL()).origin : null;
	return { url, inspectorUrl, stop: () => miniflare.dispose() };
}

/** Starts a Worker without state, in front of the upstream. */
async function startStateless(
	name: string,
	script: string,
	upstreamUrl: string,
	options: RuntimeOptions = {},
): Promise<LoadTarget> {
	const start = () => startWorker(new Miniflare({ ...runtimeOptions(upstreamUrl, options), script }), options);
	const { started, pid } = await withRuntimePid(start);
	return { name, keys: ["bench"], headers: {}, signs: false, expected: null, pid, ...started };
}

/** Starts the Worker that everything is compared with: it passes the body to the upstream and back. */
export function startBare(upstreamUrl: string, options: RuntimeOptions = {}): Promise<LoadTarget> {
	return startStateless("bare", PASS_THROUGH, upstreamUrl, options);
}

const STREAM_READ_WHOLE = `export default {
	async fetch(request, env) {
		const headers = new Headers(request.headers);
		headers.delete("content-length");
		const body = (await request.text()).replace(/}$/, ',"stream":true,"stream_options":{"include_usage":true}}');
		const response = await fetch(env.UPSTREAM, { method: "POST", headers, body });
		return new Response(await response.text(), { headers: { "content-type": "text/event-stream" } });
	},
};`;

/**
 * Starts a bare Worker that requests a stream, reads it to its end and only then answers with it. The service works in the
 * same way for a whole answer, so the work of the upstream is equal.
 */
export async function startBareStream(upstreamUrl: string): Promise<LoadTarget> {
	const target = await startStateless("bare, asked for a stream", STREAM_READ_WHOLE, upstreamUrl);
	return { ...target, expected: STREAMED_ANSWER };
}

const RELAY = `async function relay(reader, writer) {
	for (let read = await reader.read(); !read.done; read = await reader.read()) await writer.write(read.value);
	await writer.close();
}

export default {
	async fetch(request, env, context) {
		const response = await fetch(env.UPSTREAM, { method: "POST", headers: request.headers, body: request.body });
		const { readable, writable } = new IdentityTransformStream();
		context.waitUntil(relay(response.body.getReader(), writable.getWriter()));
		return new Response(readable, response);
	},
};`;

/** Starts a Worker that reads and writes each piece of the answer in JavaScript, which is what any relay costs in this runtime. */
export function startRelay(upstreamUrl: string): Promise<LoadTarget> {
	return startStateless("relay", RELAY, upstreamUrl);
}

// It uses a thousand slots in turn, as a meter that reuses its rows does. So the table does not grow during a round.
const DURABLE_FLOOR = `import { DurableObject } from "cloudflare:workers";

export class Floor extends DurableObject {
	#next = 0;

	constructor(state, env) {
		super(state, env);
		state.storage.sql.exec("CREATE TABLE IF NOT EXISTS slots (slot INTEGER PRIMARY KEY, open INTEGER NOT NULL, note TEXT NOT NULL)");
	}

	admit(note) {
		const slot = this.#next++ % 1000;
		this.ctx.storage.sql.exec("INSERT OR REPLACE INTO slots (slot, open, note) VALUES (?, 1, ?)", slot, note);
		return slot;
	}

	settle(slot, note) {
		this.ctx.storage.sql.exec("UPDATE slots SET open = 0, note = ? WHERE slot = ?", note, slot);
	}
}

export default {
	async fetch(request, env) {
		const stub = env.FLOOR.getByName(request.headers.get("authorization"));
		const slot = await stub.admit("reserved");
		const response = await fetch(env.UPSTREAM, { method: "POST", headers: request.headers, body: request.body });
		await stub.settle(slot, "settled");
		return response;
	},
};`;

/** Starts the durable floor: the bare Worker and two calls of a user's object, with one row written in each. */
export async function startFloor(upstreamUrl: string, options: StateOptions & RuntimeOptions): Promise<LoadTarget> {
	const start = () =>
		startWorker(
			new Miniflare({
				...runtimeOptions(upstreamUrl, options),
				script: DURABLE_FLOOR,
				durableObjects: { FLOOR: { className: "Floor", useSQLite: true } },
				defaultPersistRoot: options.stateDir,
			}),
			options,
		);
	const { started, pid } = await withRuntimePid(start);
	const keys = userNames(options.users);
	return { name: "durable floor", keys, headers: {}, signs: false, expected: null, pid, ...started };
}

const PORTKEY_SERVER = "node_modules/@portkey-ai/gateway/build/start-server.js";
const PORTKEY_START_MS = 30_000;

/** Finds a port that nothing listens on. */
export async function freePort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	await new Promise((resolve) => server.close(resolve));
	if (address === null || typeof address === "string") throw new Error("no port was given");
	return address.port;
}

/**
 * Starts Portkey's gateway on its own Node server, in front of the same upstream. It keeps no state.
 * @param installation a folder with `@portkey-ai/gateway` installed.
 */
export async function startPortkey(upstreamUrl: string, installation: string): Promise<LoadTarget> {
	const port = await freePort();
	const args = [join(installation, PORTKEY_SERVER), "--headless", `--port=${port}`];
	const child = spawn(process.execPath, args, { stdio: "ignore", env: { ...process.env, NODE_ENV: "production" } });
	const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
	const kill = () => child.kill();
	// An interrupted benchmark leaves no process behind.
	process.once("exit", kill);
	const stop = async () => {
		process.off("exit", kill);
		kill();
		await exited;
	};
	const url = `http://127.0.0.1:${port}`;
	const endMs = performance.now() + PORTKEY_START_MS;
	while (!(await fetch(url).catch(() => null))) {
		if (child.exitCode !== null || performance.now() > endMs) {
			await stop();
			throw new Error(`benchmark failed: Portkey in ${installation} does not start`);
		}
		await delay(100);
	}
	const headers = { "x-portkey-provider": "openai", "x-portkey-custom-host": `${upstreamUrl}/openai` };
	const pid = child.pid ?? null;
	return {
		name: "portkey",
		url,
		keys: ["bench"],
		headers,
		signs: false,
		expected: null,
		pid,
		inspectorUrl: null,
		stop,
	};
}

/** Where a target keeps its state, and for how many users. */
export interface StateOptions {
	/** For the service, one with all migrations applied. */
	stateDir: string;
	users: number;
}
