// Loads modules of a room with parts left out, beside those that have everything: another address, another graph of modules.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { emptyMembers, isTable, type Part, type Room } from "./parts.ts";

/** The names of the parts that a module is loaded without, in its address. */
const WITHOUT = "without";
/** Marks the module itself, whose other exports stand beside those that are left out. */
const WHOLE = "whole";

function toStandIn(url: string, exports: Readonly<Record<string, string>>): string {
	const lines = Object.entries(exports).map(([name, expression]) => `export const ${name} = ${expression};`);
	const whole = JSON.stringify(`${url}&${WHOLE}`);
	return [`import * as whole from ${whole};`, `export * from ${whole};`, ...lines].join("\n");
}

/** What stands in for the file at an address. Null when nothing in it is left out. */
function findStandIn(root: string, parts: readonly Part[], address: string) {
	const url = new URL(address);
	const names = url.searchParams.get(WITHOUT)?.split(",") ?? [];
	if (names.length === 0 || url.searchParams.has(WHOLE)) return null;
	const path = fileURLToPath(address);
	const left = parts
		.filter(({ name }) => names.includes(name))
		.map(({ without }) => without[relative(root, path)] ?? {});
	if (left.every((row) => Object.keys(row).length === 0)) return null;
	if (isTable(path)) {
		const members = left.flatMap((row) => Object.values(row));
		return { format: "json", source: emptyMembers(readFileSync(path, "utf8"), members) };
	}
	return { format: "module", source: toStandIn(address, Object.assign({}, ...left)) };
}

/** Makes parts of a room ready to be left out. What is returned loads a module of the room without some of them. */
export function openRoom({ root, parts }: Room): (file: string, without: readonly string[]) => Promise<unknown> {
	const sources = `${pathToFileURL(root).href}/`;
	registerHooks({
		resolve(specifier, context, next) {
			const found = next(specifier, context);
			const without = context.parentURL && new URL(context.parentURL).searchParams.get(WITHOUT);
			return without && found.url.startsWith(sources) && !found.url.includes("?")
				? { ...found, url: `${found.url}?${WITHOUT}=${without}` }
				: found;
		},
		load(url, context, next) {
			const standIn = findStandIn(root, parts, url);
			return standIn === null ? next(url, context) : { ...standIn, shortCircuit: true };
		},
	});
	return (file, without) => {
		const unknown = without.find((name) => parts.every((part) => part.name !== name));
		if (unknown !== undefined) throw new Error(`no part is called ${unknown}`);
		return import(`${sources}${file}${without.length > 0 ? `?${WITHOUT}=${without.join(",")}` : ""}`);
	};
}
