// `npm run generate`: records the examples of all endpoints on a service of its own, and writes what is generated from both.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Endpoint } from "../http/endpoint.ts";
import type { EndpointExchanges } from "../http/openapi.ts";
import { RECORDED_EXAMPLES } from "../site/examples.ts";
import { loadEndpoints } from "./endpoint-list.ts";
import { renderGeneratedFiles } from "./generated-files.ts";
import { sandboxVariables } from "./local-env.ts";
import { applyLocalMigrations, buildBundle, startLocalService } from "./local-service.ts";
import { createKey } from "./operator.ts";
import { keepRecorded, recordExamples } from "./record-examples.ts";
import { startSandbox } from "./sandbox-server.ts";

const EXAMPLES_FILE = "src/site/examples.json";

/** The examples of endpoints, as a service with the sandbox answers them. */
async function recordOnSandbox(endpoints: readonly Endpoint[]): Promise<EndpointExchanges> {
	const dir = mkdtempSync(join(tmpdir(), "svc-examples-"));
	const sandbox = await startSandbox(0);
	try {
		const stateDir = join(dir, "state");
		await applyLocalMigrations(stateDir);
		const adminToken = randomBytes(16).toString("hex");
		const { url, stop } = await startLocalService({
			bundleDir: await buildBundle(join(dir, "bundle")),
			stateDir,
			port: 0,
			variables: {
				SIGNING_KEY: randomBytes(32).toString("hex"),
				KEY_PEPPER: randomBytes(16).toString("hex"),
				ADMIN_TOKEN: adminToken,
				...sandboxVariables(sandbox.url),
			},
			// A line a request is of no use here.
			onOutput: (stdout, stderr) => {
				stdout.resume();
				stderr.resume();
			},
		});
		try {
			const { key } = await createKey(url, adminToken, "example", "corporate");
			return await recordExamples(endpoints, { url, key, adminToken });
		} finally {
			await stop();
		}
	} finally {
		await sandbox.stop();
		rmSync(dir, { recursive: true, force: true });
	}
}

const endpoints = await loadEndpoints();
const exchanges = keepRecorded(endpoints, await recordOnSandbox(endpoints), RECORDED_EXAMPLES);
writeFileSync(EXAMPLES_FILE, `${JSON.stringify(exchanges, null, "\t")}\n`);
for (const [path, text] of Object.entries(renderGeneratedFiles({ endpoints, exchanges }))) writeFileSync(path, text);
console.log(`${endpoints.length} endpoints: their examples, the client's types and the documents are written`);
