// `npm run backup`: writes what a running service keeps into a file, and prints one JSON object: the file and what it holds.
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { type WrittenBackup, writeBackup } from "./backup/write.ts";
import { adminTokenFor, localServiceUrl, OperatorError } from "./operator.ts";

const BACKUP_USAGE = `usage:
  npm run backup -- [FILE] [--url URL]
FILE is svc-backup-TIME.jsonl.gz in this folder unless it is given. ADMIN_TOKEN comes from the environment, else from .dev.vars;
URL is the service of this checkout: at PORT, else where .env.local says, else at http://127.0.0.1:8787.`;

async function runBackup(args: string[]): Promise<{ file: string } & WrittenBackup> {
	const { positionals, values } = parseArgs({
		args,
		allowPositionals: true,
		options: { url: { type: "string" }, help: { type: "boolean" } },
	});
	if (values.help || positionals.length > 1) throw new OperatorError(BACKUP_USAGE);
	const time = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
	const file = positionals[0] ?? `svc-backup-${time}Z.jsonl.gz`;
	if (existsSync(file)) throw new OperatorError(`${file} is there already; a backup replaces no file`);
	const url = values.url ?? localServiceUrl();
	return { file, ...(await writeBackup(file, url, adminTokenFor(values.url))) };
}

runBackup(process.argv.slice(2)).then(
	(written) => console.log(JSON.stringify(written)),
	(error: unknown) => {
		console.error(error instanceof Error ? error.message : error);
		process.exit(1);
	},
);
