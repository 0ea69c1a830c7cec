// What the load goes to, all in front of one upstream: the service with everything on, a Worker that only passes the body
// through, the same with two durable writes, and Portkey.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { Agent } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { Miniflare } from "miniflare";
import * as z from "zod";
import { chatCompletionSchema } from "../../src/chat/completion.ts";
import { sandboxVariables } from "../../src/cli/local-env.ts";
import { startLocalService } from "../../src/cli/local-service.ts";
import { createKey } from "../../src/cli/operator.ts";
import { type Load, type LoadTarget, sendRequest } from "./load.ts";
import { withRuntimePid } from "./process.ts";

export interface Upstream {
	/** Origin, without a trailing slash. */
	url: string;
	stop(): Promise<void>;
}

/** Starts the upstream in a thread of its own. */
export async function startUpstream(): Promise<Upstream> {
	const thread = new Worker(join(import.meta.dirname, "upstream.ts"));
	const port = await new Promise<number>((resolve, reject) => {
		thread.once("message", resolve);
		thread.once("error", reject);
	});
	return {
		url: `http://127.0.0.1:${port}`,
		stop: async () => {
			await thread.terminate();
		},
	};
}

/** The log must be read, or workerd would wait for a full pipe. */
function discardOutput(stdout: Readable, stderr: Readable): void {
	stdout.resume();
	stderr.resume();
}

const COMPATIBILITY_DATE = "2026-07-22";

/** Names of users for targets that know none. */
function userNames(users: number): string[] {
	return Array.from({ length: users }, (_, user) => `bench-${user}`);
}

const PASS_THROUGH = `export default {
	fetch(request, env) {
		return fetch(env.UPSTREAM, { method: "POST", headers: request.headers, body: request.body });
	},
};`;

/** Starts a Worker without state, in front of the upstream. */
async function startStateless(name: string, script: string, upstreamUrl: string): Promise<LoadTarget> {
	const start = async () => {
		const miniflare = new Miniflare({
			modules: true,
			script,
			compatibilityDate: COMPATIBILITY_DATE,
			bindings: { UPSTREAM: `${upstreamUrl}/openai/chat/completions` },
			host: "127.0.0.1",
			port: 0,
			handleRuntimeStdio: discardOutput,
		});
		return { url: (await miniflare.ready).origin, stop: () => miniflare.dispose() };
	};
	const { started, pid } = await withRuntimePid(start);
	return { name, keys: ["bench"], headers: {}, signs: false, pid, ...started };
}

/** Starts the Worker that everything is compared with: it passes the body to the upstream and back. */
export function startBare(upstreamUrl: string): Promise<LoadTarget> {
	return startStateless("bare", PASS_THROUGH, upstreamUrl);
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

/** Starts a Worker that hands each piece of the answer on by itself, unchanged: what any relay in JavaScript pays the runtime. */
export function startRelay(upstreamUrl: string): Promise<LoadTarget> {
	return startStateless("relay", RELAY, upstreamUrl);
}

// A thousand slots are used in turn, as a meter that reuses its rows would: the table does not grow with the round.
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
export async function startFloor(upstreamUrl: string, { stateDir, users }: StateOptions): Promise<LoadTarget> {
	const start = async () => {
		const miniflare = new Miniflare({
			modules: true,
			script: DURABLE_FLOOR,
			compatibilityDate: COMPATIBILITY_DATE,
			bindings: { UPSTREAM: `${upstreamUrl}/openai/chat/completions` },
			durableObjects: { FLOOR: { className: "Floor", useSQLite: true } },
			defaultPersistRoot: stateDir,
			host: "127.0.0.1",
			port: 0,
			handleRuntimeStdio: discardOutput,
		});
		return { url: (await miniflare.ready).origin, stop: () => miniflare.dispose() };
	};
	const { started, pid } = await withRuntimePid(start);
	return { name: "durable floor", keys: userNames(users), headers: {}, signs: false, pid, ...started };
}

const PORTKEY_SERVER = "node_modules/@portkey-ai/gateway/build/start-server.js";
const PORTKEY_START_MS = 30_000;

/** A port that nothing listens on now. */
async function freePort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	await new Promise((resolve) => server.close(resolve));
	if (address === null || typeof address === "string") throw new Error("no port was given");
	return address.port;
}

/**
 * Starts Portkey's gateway with its own Node server, in front of the same upstream; it keeps no state.
 * @param installation a folder with `@portkey-ai/gateway` installed.
 */
export async function startPortkey(upstreamUrl: string, installation: string): Promise<LoadTarget> {
	const port = await freePort();
	const args = [join(installation, PORTKEY_SERVER), "--headless", `--port=${port}`];
	const child = spawn(process.execPath, args, { stdio: "ignore", env: { ...process.env, NODE_ENV: "production" } });
	const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
	const kill = () => child.kill();
	// A benchmark that is interrupted leaves nothing running.
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
	return { name: "portkey", url, keys: ["bench"], headers, signs: false, pid: child.pid ?? null, stop };
}

/** Where a target keeps its state, and for how many users. */
interface StateOptions {
	/** For the service, one with all migrations applied. */
	stateDir: string;
	users: number;
}

export interface SvcOptions extends StateOptions {
	/** A folder made by buildBundle. */
	bundleDir: string;
	/** Whether V8's inspector listens, for profiles and forced collections. */
	inspected: boolean;
}

export interface SvcTarget extends LoadTarget {
	/** Origin of V8's inspector; null unless it was asked for. */
	inspectorUrl: string | null;
}

/** Starts the service with signing, receipts, meter and D1, and makes its users with one key each. */
export async function startSvc(upstreamUrl: string, options: SvcOptions): Promise<SvcTarget> {
	const { bundleDir, stateDir, users, inspected } = options;
	const adminToken = randomBytes(32).toString("hex");
	const start = () =>
		startLocalService({
			bundleDir,
			stateDir,
			port: 0,
			variables: {
				SIGNING_KEY: randomBytes(32).toString("hex"),
				KEY_PEPPER: randomBytes(32).toString("hex"),
				ADMIN_TOKEN: adminToken,
				...sandboxVariables(upstreamUrl),
			},
			...(inspected ? { inspectorPort: 0 } : {}),
			onOutput: discardOutput,
		});
	const { started: service, pid } = await withRuntimePid(start);
	const { url, inspectorUrl } = service;
	const stop = () => service.stop();
	try {
		const keys: string[] = [];
		for (const user of userNames(users)) keys.push((await createKey(url, adminToken, user, "corporate")).key);
		return { name: "svc", url, inspectorUrl, keys, headers: {}, signs: true, pid, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}

const lastChunkSchema = z.object({ svc: chatCompletionSchema.unwrap().shape.svc });

/** The `svc` block of an answer, whole or streamed: a stream has it in its last chunk. */
function parseSvcBlock(answer: string, { streamed }: Load) {
	if (!streamed) return chatCompletionSchema.parse(JSON.parse(answer)).svc;
	const events = answer.split("\n\n").filter((event) => event.startsWith("data: {"));
	return lastChunkSchema.parse(JSON.parse(events.at(-1)?.slice("data: ".length) ?? "")).svc;
}

/**
 * Makes sure that the service does its whole work under the load, and no more than once.
 * @throws Error when an answer carries no signed receipt, or comes from a stand-in.
 */
export async function requireSignedAnswer(target: LoadTarget, load: Load): Promise<void> {
	const agent = new Agent();
	const { answer } = await sendRequest(target, agent, load).finally(() => agent.destroy());
	const svc = parseSvcBlock(answer.toString("utf8"), load);
	if (svc.proof.signature === null) throw new Error("benchmark failed: svc does not sign its receipts");
	if (svc.fallback) throw new Error("benchmark failed: svc's first choice does not answer");
}
