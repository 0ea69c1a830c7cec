// Top-level definitions of src, read from its text: what the test of names and the printed counts are made of.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const SRC = resolve(import.meta.dirname, "../../src");
const DEFINITION = /^(export )?(?:async |abstract )?(?:function\*?|class|interface|type|const|let|enum) (\w+)/gm;

export interface Definition {
	name: string;
	/** Relative to src. */
	file: string;
	isExported: boolean;
}

/** Every definition at the top level of a file of src. */
export function readDefinitions(): Definition[] {
	const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
	return files.flatMap((file) => {
		const text = readFileSync(join(SRC, file), "utf8");
		return [...text.matchAll(DEFINITION)].map(([, exported, name = ""]) => ({
			name,
			file,
			isExported: exported !== undefined,
		}));
	});
}

/** Names with the files that declare them, for names that more than one file declares. */
export function findHomonyms(definitions: readonly Definition[]): Map<string, string[]> {
	const files = Map.groupBy(definitions, ({ name }) => name);
	const homonyms = [...files].map(([name, all]) => [name, [...new Set(all.map(({ file }) => file))]] as const);
	return new Map(homonyms.filter(([, all]) => all.length > 1).map(([name, all]) => [name, [...all]]));
}
