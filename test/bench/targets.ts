// What the load goes to: the service with everything on, and a Worker that only passes the body through to the same upstream.
import { randomBytes } from "node:crypto";
import { Agent } from "node:http";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { Worker } from "node:worker_threads";
import { Miniflare } from "miniflare";
import * as z from "zod";
import { chatCompletionSchema } from "../../src/chat/completion.ts";
import { sandboxVariables } from "../../src/cli/local-env.ts";
import { startLocalService } from "../../src/cli/local-service.ts";
import { createKey } from "../../src/cli/operator.ts";
import { type ChatLoad, type LoadTarget, post } from "./load.ts";

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
function discard(stdout: Readable, stderr: Readable): void {
	stdout.resume();
	stderr.resume();
}

const PASS_THROUGH = `export default {
	fetch(request, env) {
		return fetch(env.UPSTREAM, { method: "POST", headers: request.headers, body: request.body });
	},
};`;

/** Starts the Worker that everything is compared with. */
export async function startBare(upstreamUrl: string): Promise<LoadTarget> {
	const miniflare = new Miniflare({
		modules: true,
		script: PASS_THROUGH,
		compatibilityDate: "2026-07-22",
		bindings: { UPSTREAM: `${upstreamUrl}/openai/chat/completions` },
		host: "127.0.0.1",
		port: 0,
		handleRuntimeStdio: discard,
	});
	const url = (await miniflare.ready).origin;
	return { name: "bare", url, nextKey: () => "bench", stop: () => miniflare.dispose() };
}

/** Hands out the keys in turn, so that no user reaches a limit before the others. */
function inTurn(keys: readonly string[]): () => string {
	let next = 0;
	return () => keys[next++ % keys.length] ?? "";
}

export interface SvcOptions {
	/** A folder made by buildBundle. */
	bundleDir: string;
	/** A folder with all migrations applied. */
	stateDir: string;
	/** Users with one key each. */
	users: number;
}

/** The service, with the keys that `nextKey` hands out. */
export interface SvcTarget extends LoadTarget {
	keys: readonly string[];
}

/** Starts the service with signing, receipts, meter and D1, and makes its users. */
export async function startSvc(upstreamUrl: string, { bundleDir, stateDir, users }: SvcOptions): Promise<SvcTarget> {
	const adminToken = randomBytes(32).toString("hex");
	const service = await startLocalService({
		bundleDir,
		stateDir,
		port: 0,
		variables: {
			SIGNING_KEY: randomBytes(32).toString("hex"),
			KEY_PEPPER: randomBytes(32).toString("hex"),
			ADMIN_TOKEN: adminToken,
			...sandboxVariables(upstreamUrl),
		},
		onOutput: discard,
	});
	try {
		const keys: string[] = [];
		for (let user = 0; user < users; user++) {
			keys.push((await createKey(service.url, adminToken, `bench-${user}`, "corporate")).key);
		}
		return { name: "svc", url: service.url, keys, nextKey: inTurn(keys), stop: () => service.stop() };
	} catch (error) {
		await service.stop();
		throw error;
	}
}

const endOfStream = z.object({ svc: chatCompletionSchema.unwrap().shape.svc });

/** The `svc` block of an answer, whole or streamed: a stream has it in its last chunk. */
function svcBlockOf(answer: string, { streamed }: ChatLoad) {
	if (!streamed) return chatCompletionSchema.parse(JSON.parse(answer)).svc;
	const events = answer.split("\n\n").filter((event) => event.startsWith("data: {"));
	return endOfStream.parse(JSON.parse(events.at(-1)?.slice("data: ".length) ?? "")).svc;
}

/**
 * Makes sure that the service does its whole work under the load, and no more than once.
 * @throws Error when an answer carries no signed receipt, or comes from a stand-in.
 */
export async function requireSignedAnswer(target: LoadTarget, load: ChatLoad): Promise<void> {
	const agent = new Agent();
	const { answer } = await post(target, agent, load).finally(() => agent.destroy());
	const svc = svcBlockOf(answer.toString("utf8"), load);
	if (svc.proof.signature === null) throw new Error("benchmark failed: svc does not sign its receipts");
	if (svc.fallback) throw new Error("benchmark failed: svc's first choice does not answer");
}
