// `npm run restore`: puts a backup into an empty deployment with the same secrets, and prints one JSON object: what was restored. A
// restore that was interrupted goes on when the command is repeated.
import { parseArgs } from "node:util";
import { restoreBackup } from "./backup/put-back.ts";
import { adminTokenFor, OperatorError } from "./operator.ts";

const RESTORE_USAGE = `usage:
  npm run restore -- FILE [--url URL]
FILE is what "npm run backup" wrote. The service must be new and have the SIGNING_KEY and KEY_PEPPER of the one that was backed up.
ADMIN_TOKEN comes from the environment, else from .dev.vars; URL is http://127.0.0.1:8787 unless PORT or --url says otherwise.`;

async function runRestore(args: string[]): Promise<object> {
	const { positionals, values } = parseArgs({
		args,
		allowPositionals: true,
		options: { url: { type: "string" }, help: { type: "boolean" } },
	});
	const [file, ...others] = positionals;
	if (values.help || file === undefined || others.length > 0) throw new OperatorError(RESTORE_USAGE);
	const url = values.url ?? `http://127.0.0.1:${process.env["PORT"] ?? 8787}`;
	return restoreBackup(file, url, adminTokenFor(values.url));
}

runRestore(process.argv.slice(2)).then(
	(restored) => console.log(JSON.stringify(restored)),
	(error: unknown) => {
		console.error(error instanceof Error ? error.message : error);
		process.exit(1);
	},
);
