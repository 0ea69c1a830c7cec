// The files of a code request as they are delivered, hashed and written into receipts. Pure.
import { canonicalJson } from "../proof/canonical.ts";
import type { CodeReceipt } from "../proof/receipt.ts";
import type { TextHash } from "../proof/salted.ts";
import { utf8Length } from "../text/utf8.ts";
import type { CodeFile } from "./file-format.ts";
import { languageForPath } from "./language.ts";

export interface DeliveredFile {
	path: string;
	language: string;
	content: string;
	/** Length of the content in UTF-8. */
	bytes: number;
}

export type ReceiptFile = CodeReceipt["files"][number];

/** Files as they are delivered, in their order. A name that no language claims is text. */
export function toDeliveredFiles(files: readonly CodeFile[]): DeliveredFile[] {
	return files.map(({ path, content }) => ({
		path,
		language: languageForPath(path) ?? "text",
		content,
		bytes: utf8Length(content),
	}));
}

/** Files as receipts have them, sorted by path. */
export function toReceiptFiles(files: readonly DeliveredFile[], hashText: TextHash): ReceiptFile[] {
	return files
		.toSorted((a, b) => (a.path < b.path ? -1 : 1))
		.map(({ path, language, bytes, content }) => {
			return { path_hash: hashText(path), language, bytes, hash: hashText(content) };
		});
}

/** What the `output_hash` of a code request is over (docs/proofs.md, "Receipts"). */
export function toHashedFiles(files: readonly ReceiptFile[]): string {
	return canonicalJson({ type: "svc.files.v2", files });
}
