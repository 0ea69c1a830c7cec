// Writes what a running service keeps into a file.
import { BACKED_UP_TABLES, type BackupHeader, type BackupRow, type ObjectRecord } from "../../backup/backup.ts";
import { BackupCut } from "../../backup/backup-cut.ts";
import { callOperator, operatorPages } from "../operator.ts";
import { BackupWriter } from "./file.ts";

/** What a backup holds. */
export interface WrittenBackup {
	backup_id: string;
	objects: number;
	rows: number;
}

async function writeLines(writer: BackupWriter, url: string, token: string): Promise<WrittenBackup> {
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

/**
 * Writes a backup of the service at `url` into a file, which is there only when it is whole.
 * @param file a path at which there is no file.
 * @throws OperatorError when the service refuses or does not answer.
 */
export async function writeBackup(file: string, url: string, token: string): Promise<WrittenBackup> {
	const writer = new BackupWriter(file);
	try {
		const written = await writeLines(writer, url, token);
		await writer.close();
		return written;
	} catch (error) {
		await writer.discard();
		throw error;
	}
}
