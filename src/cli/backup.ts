// `npm run backup`: writes what a running service keeps into a file, and prints one JSON object: the file and what it holds.
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { BACKED_UP_TABLES, type BackupHeader, type BackupRow, type ObjectRecord } from "../backup/backup.ts";
import { BackupCut } from "../backup/backup-cut.ts";
import { BackupWriter } from "./backup-file.ts";
import { adminTokenFor, callOperator, OperatorError, operatorPages } from "./operator.ts";

const BACKUP_USAGE = `usage:
  npm run backup -- [FILE] [--url URL]
FILE is svc-backup-TIME.jsonl.gz in this folder unless it is given. ADMIN_TOKEN comes from the environment, else from .dev.vars;
URL is http://127.0.0.1:8787 unless PORT or --url says otherwise.`;

interface WrittenBackup {
	file: string;
	backup_id: string;
	objects: number;
	rows: number;
}

async function writeBackup(writer: BackupWriter, url: string, token: string): Promise<Omit<WrittenBackup, "file">> {
	const header = (await callOperator(url, token, "GET", "/internal/backup")) as BackupHeader;
	await writer.write({ header });
	const cut = new BackupCut();
	const names = new Set<string>();
	for await (const page of operatorPages<ObjectRecord>(url, token, "/internal/backup/objects")) {
		for (const object of page) {
			cut.learn(object);
			names.add(`${object.class} ${object.name}`);
			await writer.write({ object });
		}
	}
	let count = 0;
	for (const table of BACKED_UP_TABLES) {
		for await (const page of operatorPages<BackupRow>(url, token, "/internal/backup/rows", { table })) {
			const rows = page.map((row) => cut.cut(table, row)).filter((row) => row !== null);
			count += rows.length;
			if (rows.length > 0) await writer.write({ table, rows });
		}
	}
	return { backup_id: header.backup_id, objects: names.size, rows: count };
}

async function runBackup(args: string[]): Promise<WrittenBackup> {
	const { positionals, values } = parseArgs({
		args,
		allowPositionals: true,
		options: { url: { type: "string" }, help: { type: "boolean" } },
	});
	if (values.help || positionals.length > 1) throw new OperatorError(BACKUP_USAGE);
	const time = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
	const file = positionals[0] ?? `svc-backup-${time}Z.jsonl.gz`;
	if (existsSync(file)) throw new OperatorError(`${file} is there already; a backup replaces no file`);
	const url = values.url ?? `http://127.0.0.1:${process.env["PORT"] ?? 8787}`;
	const writer = new BackupWriter(file);
	try {
		const written = await writeBackup(writer, url, adminTokenFor(values.url));
		await writer.close();
		return { file, ...written };
	} catch (error) {
		await writer.discard();
		throw error;
	}
}

runBackup(process.argv.slice(2)).then(
	(written) => console.log(JSON.stringify(written)),
	(error: unknown) => {
		console.error(error instanceof Error ? error.message : error);
		process.exit(1);
	},
);
