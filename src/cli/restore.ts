// `npm run restore`: puts a backup into an empty deployment with the same secrets, and prints one JSON object: what was restored. A
// restore that was interrupted goes on when the command is repeated.
import { parseArgs } from "node:util";
import { type BackupHeader, isLastTable, type ObjectClass } from "../backup/backup.ts";
import { type BackupContents, inspectBackup, readBackupFile } from "./backup-file.ts";
import { adminTokenFor, callOperator, OperatorError } from "./operator.ts";

const RESTORE_USAGE = `usage:
  npm run restore -- FILE [--url URL]
FILE is what "npm run backup" wrote. The service must be new and have the SIGNING_KEY and KEY_PEPPER of the one that was backed up.
ADMIN_TOKEN comes from the environment, else from .dev.vars; URL is http://127.0.0.1:8787 unless PORT or --url says otherwise.`;

/** Objects of one step. */
const OBJECTS_AT_ONCE = 20;

interface RestoreAnswer {
	state: "possible" | "impossible" | "begun" | "finished";
}

class Restore {
	#url: string;
	#token: string;
	#header: BackupHeader;
	#objects: Map<string, number>;
	#isApplied = false;

	constructor(url: string, token: string, { header, objects }: BackupContents) {
		this.#url = url;
		this.#token = token;
		this.#header = header;
		this.#objects = objects;
	}

	async #step(body: { step: string } & Record<string, unknown>): Promise<RestoreAnswer> {
		return (await callOperator(this.#url, this.#token, "POST", "/internal/restore", body)) as RestoreAnswer;
	}

	/** Begins, or goes on. Returns false when this backup was restored before. */
	async begin(): Promise<boolean> {
		return (await this.#step({ step: "begin", header: this.#header })).state !== "finished";
	}

	async send(path: string): Promise<void> {
		const { backup_id } = this.#header;
		for await (const { number, line } of readBackupFile(path)) {
			if ("object" in line) {
				const { class: kind, name, version, tables } = line.object;
				if (number < (this.#objects.get(`${kind} ${name}`) ?? 0)) continue;
				await this.#step({ step: "object", backup_id, part: number, class: kind, name, version, tables });
			} else if ("table" in line) {
				if (isLastTable(line.table)) await this.#applyObjects();
				await this.#step({ step: "rows", backup_id, ...line });
			}
		}
		await this.#applyObjects();
		await this.#step({ step: "finish", backup_id });
	}

	/** Makes the rows that objects were sent their own. */
	async #applyObjects(): Promise<void> {
		if (this.#isApplied) return;
		this.#isApplied = true;
		const all = [...this.#objects.keys()].map((text) => {
			const space = text.indexOf(" ");
			return { class: text.slice(0, space) as ObjectClass, name: text.slice(space + 1) };
		});
		for (let at = 0; at < all.length; at += OBJECTS_AT_ONCE)
			await this.#step({
				step: "apply",
				backup_id: this.#header.backup_id,
				objects: all.slice(at, at + OBJECTS_AT_ONCE),
			});
	}
}

async function runRestore(args: string[]): Promise<object> {
	const { positionals, values } = parseArgs({
		args,
		allowPositionals: true,
		options: { url: { type: "string" }, help: { type: "boolean" } },
	});
	const [file, ...others] = positionals;
	if (values.help || file === undefined || others.length > 0) throw new OperatorError(RESTORE_USAGE);
	const contents = await inspectBackup(file);
	const url = values.url ?? `http://127.0.0.1:${process.env["PORT"] ?? 8787}`;
	const restore = new Restore(url, adminTokenFor(values.url), contents);
	if (await restore.begin()) await restore.send(file);
	const { backup_id, created_at } = contents.header;
	return { restored: backup_id, backed_up_at: created_at, objects: contents.objects.size, rows: contents.rows };
}

runRestore(process.argv.slice(2)).then(
	(restored) => console.log(JSON.stringify(restored)),
	(error: unknown) => {
		console.error(error instanceof Error ? error.message : error);
		process.exit(1);
	},
);
