// A really running service for client tests, and a stranger's way to check a receipt: node:crypto and HTTP, none of our code.
import { createHash, createPublicKey, randomBytes, verify } from "node:crypto";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { inject } from "vitest";
import { z } from "zod";
import { sandboxVariables } from "../../src/cli/local-env.ts";
import { startLocalService } from "../../src/cli/local-service.ts";
import { type CreatedKey, callOperator, createKey } from "../../src/cli/operator.ts";
import { startSandbox } from "../../src/cli/sandbox-server.ts";
import { BEDROCK_CATALOG } from "../support/bedrock-rows.ts";

/** The built Worker on a port of its own, with the sandbox as its only upstream. */
export interface TestService {
	/** Origin, without a trailing slash. */
	url: string;
	/** Requests that the sandbox answered as a model would. */
	upstreamAnswers(): number;
	/** A key of a new user, or of the one named. */
	newKey(plan: string, user?: string): Promise<CreatedKey>;
	revokeKey(keyId: string): Promise<unknown>;
	adminToken: string;
	/** Where it keeps its state. */
	stateDir: string;
	/** Stops the service, lets something work with its state, and starts it again, perhaps at another address. */
	restart(work: (stateDir: string) => void): Promise<void>;
	stop(): Promise<void>;
}

/**
 * Starts a service on fresh state; what was started before a failure is stopped again.
 * @param variables settings that are not drawn at random.
 */
export async function startTestService(variables: Record<string, string> = {}): Promise<TestService> {
	const dir = mkdtempSync(join(tmpdir(), "svc-clients-"));
	const started: (() => Promise<void>)[] = [];
	const stop = async () => {
		for (const stopOne of started.splice(0).reverse()) await stopOne();
		rmSync(dir, { recursive: true, force: true });
	};
	try {
		let answers = 0;
		const sandbox = await startSandbox(0, () => answers++);
		started.push(sandbox.stop);
		const stateDir = join(dir, "state");
		cpSync(inject("emptyStateDir"), stateDir, { recursive: true });
		const adminToken = randomBytes(16).toString("hex");
		const options = {
			bundleDir: inject("bundleDir"),
			stateDir,
			port: 0,
			variables: {
				SIGNING_KEY: randomBytes(32).toString("hex"),
				KEY_PEPPER: randomBytes(16).toString("hex"),
				ADMIN_TOKEN: adminToken,
				...sandboxVariables(sandbox.url, BEDROCK_CATALOG),
				...variables,
			},
			// The Worker's log of hundreds of requests is of no use here.
			onOutput: (stdout: Readable, stderr: Readable) => {
				stdout.resume();
				stderr.resume();
			},
		};
		let running = await startLocalService(options);
		started.push(() => running.stop());
		return {
			get url() {
				return running.url;
			},
			upstreamAnswers: () => answers,
			stateDir,
			adminToken,
			newKey: (plan, user = `user-${randomBytes(8).toString("hex")}`) => createKey(running.url, adminToken, user, plan),
			revokeKey: (keyId) => callOperator(running.url, adminToken, "POST", `/internal/keys/${keyId}/revoke`),
			async restart(work) {
				await running.stop();
				work(stateDir);
				running = await startLocalService(options);
			},
			stop,
		};
	} catch (error) {
		await stop();
		throw error;
	}
}

/** A chat request in one user message, as any HTTP client would send it. */
export function chat(url: string, key: string, content: string): Promise<Response> {
	return fetch(`${url}/v1/chat/completions`, {
		method: "POST",
		headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
		body: JSON.stringify({ messages: [{ role: "user", content }] }),
	});
}

export const wrappedError = z.object({ detail: z.object({ error: z.string(), message: z.string() }) });

/** An answer of `GET /v1/proof/{id}`. */
const proofSchema = z.object({
	object: z.literal("proof"),
	request_id: z.string(),
	valid: z.boolean(),
	proof_hash: z.string(),
	recomputed_hash: z.string(),
	signed: z.boolean(),
	signature: z.string(),
	key_id: z.string(),
	receipt: z.record(z.string(), z.unknown()),
});
export type Proof = z.output<typeof proofSchema>;

const publicKeys = z.object({
	keys: z.array(z.object({ key_id: z.string(), public_key: z.string(), pem: z.string() })),
});

export async function fetchProof(url: string, requestId: string): Promise<Proof> {
	const response = await fetch(`${url}/v1/proof/${requestId}`);
	if (response.status !== 200) throw new Error(`${requestId}: ${response.status} ${await response.text()}`);
	return proofSchema.parse(await response.json());
}

/** Published PEMs by key id, each id recomputed from its raw key. */
export async function fetchPems(url: string): Promise<ReadonlyMap<string, string>> {
	const { keys } = publicKeys.parse(await (await fetch(`${url}/v1/proof/pubkey`)).json());
	return new Map(
		keys.map(({ public_key, pem }) => {
			const raw = Buffer.from(public_key, "base64");
			return [createHash("sha256").update(raw).digest("hex").slice(0, 16), pem];
		}),
	);
}

/** RFC 8785 in the few lines that a stranger needs; `sort` without a comparator is by UTF-16 code units, as 3.2.3 demands. */
export function canonical(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
	if (typeof value !== "object" || value === null) return JSON.stringify(value);
	const members = new Map<string, unknown>(Object.entries(value));
	return `{${[...members.keys()]
		.sort()
		.map((key) => `${JSON.stringify(key)}:${canonical(members.get(key))}`)
		.join(",")}}`;
}

/** The salted hash of docs/proofs.md. @param salt in hex digits. */
export function saltedHash(salt: string, text: string): string {
	const hash = createHash("sha256").update("svc.salted.v2\0").update(Buffer.from(salt, "hex")).update(text, "utf8");
	return `sha256:${hash.digest("hex")}`;
}

/** `sha256:` and the hex digest of a text's UTF-8 bytes. */
export function sha256(text: string): string {
	return `sha256:${createHash("sha256").update(text, "utf8").digest("hex")}`;
}

/** Whether the hash is that of the receipt and is signed by one of the published keys. */
export function isSound(
	{ receipt, proof_hash, signature, key_id }: Pick<Proof, "receipt" | "proof_hash" | "signature" | "key_id">,
	pems: ReadonlyMap<string, string>,
): boolean {
	const pem = pems.get(key_id);
	return (
		pem !== undefined &&
		sha256(canonical(receipt)) === proof_hash &&
		verify(null, Buffer.from(proof_hash, "utf8"), createPublicKey(pem), Buffer.from(signature, "base64"))
	);
}

/**
 * What a promise fails with.
 * @throws if it is fulfilled.
 */
export async function failureOf(promise: PromiseLike<unknown>): Promise<unknown> {
	try {
		await promise;
	} catch (error) {
		return error;
	}
	throw new Error("it succeeded");
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
	const all: Item[] = [];
	for await (const item of items) all.push(item);
	return all;
}
