// `npm run restore`: puts a backup into an empty deployment with the same secrets, and prints one JSON object: what was restored. A
// restore that was interrupted goes on when the command is repeated.
import { parseArgs } from "node:util";
import { restoreBackup } from "./backup/put-back.ts";
import { renewClientEnv } from "./local-key.ts";
import { adminTokenFor, localServiceUrl, OperatorError } from "./operator.ts";

const RESTORE_USAGE = `usage:
  npm run restore -- FILE [--url URL]
FILE is what "npm run backup" wrote. The service must be new and have the SIGNING_KEY and KEY_PEPPER of the one that was backed up.
ADMIN_TOKEN comes from the environment, else from .dev.vars; URL is the service of this checkout: at PORT, else where .env.local says, else at http://127.0.0.1:8787.`;

async function runRestore(args: string[]): Promise<object> {
	const { positionals, values } = parseArgs({
		args,
		allowPositionals: true,
		options: { url: { type: "string" }, help: { type: "boolean" } },
	});
	const [file, ...others] = positionals;
	if (values.help || file === undefined || others.length > 0) throw new OperatorError(RESTORE_USAGE);
	const url = values.url ?? localServiceUrl();
	const adminToken = adminTokenFor(values.url);
	const restored = await restoreBackup(file, url, adminToken);
	// The key that `npm start` made for the empty service ended with it.
	if (values.url === undefined && (await renewClientEnv(url, url, adminToken)).isNew)
		console.error("a new key of the user local is in .env.local");
	return restored;
}

runRestore(process.argv.slice(2)).then(
	(restored) => console.log(JSON.stringify(restored)),
	(error: unknown) => {
		console.error(error instanceof Error ? error.message : error);
		process.exit(1);
	},
);
