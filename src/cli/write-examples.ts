// `npm run examples`: calls the example of every endpoint on a service of its own with the sandbox, and writes what was answered.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadEndpoints } from "./endpoint-list.ts";
import { recordExamples } from "./examples/record.ts";
import { sandboxVariables } from "./local-env.ts";
import { applyLocalMigrations, buildBundle, startLocalService } from "./local-service.ts";
import { createKey } from "./operator.ts";
import { startSandbox } from "./sandbox-server.ts";

const FILE = "src/site/examples.json";

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
		const examples = await recordExamples(await loadEndpoints(), { url, key, adminToken });
		writeFileSync(FILE, `${JSON.stringify(examples, null, "\t")}\n`);
		console.log(`${Object.keys(examples).length} examples are in ${FILE}`);
	} finally {
		await stop();
	}
} finally {
	await sandbox.stop();
	rmSync(dir, { recursive: true, force: true });
}
