// The service as a target, with signing, receipts, meter and D1, and the check that it does all its work under the load.
import { randomBytes } from "node:crypto";
import { Agent } from "node:http";
import * as z from "zod";
import { chatCompletionSchema } from "../../src/chat/completion.ts";
import { sandboxVariables } from "../../src/cli/local-env.ts";
import { startLocalService } from "../../src/cli/local-service.ts";
import { createKey } from "../../src/cli/operator.ts";
import { type Load, type LoadTarget, sendRequest } from "./load.ts";
import { withRuntimePid } from "./process.ts";
import { discardOutput, type StateOptions, userNames } from "./targets.ts";

export interface SvcOptions extends StateOptions {
	/** A folder made by buildBundle. */
	bundleDir: string;
	/** Whether V8's inspector listens. Profiles can be taken and collections forced then. */
	inspected: boolean;
	/** Rows that the operator adds to the catalog. */
	operatorCatalog?: unknown;
	/** Further settings. */
	variables?: Record<string, string>;
}

/** Starts the service with signing, receipts, meter and D1, and makes its users with one key each. */
export async function startSvc(upstreamUrl: string, options: SvcOptions): Promise<LoadTarget> {
	const { bundleDir, stateDir, users, inspected, operatorCatalog, variables = {} } = options;
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
				...(operatorCatalog === undefined ? {} : { CATALOG: JSON.stringify(operatorCatalog) }),
				...variables,
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
		return { name: "svc", url, inspectorUrl, keys, headers: {}, signs: true, expected: null, pid, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}

const lastChunkSchema = z.object({ svc: chatCompletionSchema.unwrap().shape.svc });

/** The `svc` block of an answer. A stream has it in its last chunk. */
function parseSvcBlock(answer: string, { streamed }: Load) {
	if (!streamed) return chatCompletionSchema.parse(JSON.parse(answer)).svc;
	const events = answer.split("\n\n").filter((event) => event.startsWith("data: {"));
	return lastChunkSchema.parse(JSON.parse(events.at(-1)?.slice("data: ".length) ?? "")).svc;
}

/**
 * Makes sure that the service signs and that its first choice of model answers.
 * @throws Error when an answer has no signed receipt or comes from a fallback.
 */
export async function requireSignedAnswer(target: LoadTarget, load: Load): Promise<void> {
	const agent = new Agent();
	const { answer } = await sendRequest(target, agent, load).finally(() => agent.destroy());
	const svc = parseSvcBlock(answer.toString("utf8"), load);
	if (svc.proof.signature === null) throw new Error("benchmark failed: svc does not sign its receipts");
	if (svc.fallback) throw new Error("benchmark failed: svc's first choice does not answer");
}
