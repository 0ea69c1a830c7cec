// Puts a backup into an empty deployment.
import { type BackupHeader, isLastTable, type ObjectClass } from "../../backup/backup.ts";
import { callOperator } from "../operator.ts";
import { type BackupContents, type ContainedObject, inspectBackup, readBackupFile } from "./file.ts";

/** Objects of one step. */
const OBJECTS_AT_ONCE = 20;

interface RestoreAnswer {
	state: "possible" | "impossible" | "begun" | "finished";
}

class Restore {
	#url: string;
	#token: string;
	#header: BackupHeader;
	#objects: Map<string, ContainedObject>;
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
				const { class: kind, name, part, version, rows } = line.object;
				if (number < (this.#objects.get(`${kind} ${name}`)?.line ?? 0)) continue;
				await this.#step({ step: "object", backup_id, class: kind, name, part, version, rows });
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
		const all = [...this.#objects].map(([text, { parts }]) => {
			const space = text.indexOf(" ");
			return { class: text.slice(0, space) as ObjectClass, name: text.slice(space + 1), parts };
		});
		for (let at = 0; at < all.length; at += OBJECTS_AT_ONCE)
			await this.#step({
				step: "apply",
				backup_id: this.#header.backup_id,
				objects: all.slice(at, at + OBJECTS_AT_ONCE),
			});
	}
}

/** What was restored. */
export interface RestoredBackup {
	restored: string;
	backed_up_at: string;
	objects: number;
	rows: number;
}

/**
 * Puts a backup into the service at `url`. One that was interrupted goes on; one that was restored stays as it is.
 * @throws BackupFileError when the file is no whole backup; OperatorError when the service refuses or does not answer.
 */
export async function restoreBackup(file: string, url: string, token: string): Promise<RestoredBackup> {
	const contents = await inspectBackup(file);
	const restore = new Restore(url, token, contents);
	if (await restore.begin()) await restore.send(file);
	const { backup_id, created_at } = contents.header;
	return { restored: backup_id, backed_up_at: created_at, objects: contents.objects.size, rows: contents.rows };
}
