// Reads a file with an operator's catalog, in YAML, TOML or JSON, as the service will read it, with every mistake and its line.
import { readFileSync } from "node:fs";
import type { Catalog } from "../catalog/catalog.ts";
import { CATALOG } from "../catalog/shipped.ts";
import type { DocumentFault, Path } from "../faults.ts";
import type { AddressRules } from "../operator-catalog/address.ts";
import { extendCatalog } from "../operator-catalog/extend.ts";
import { MAX_CATALOG_BYTES } from "../operator-catalog/size.ts";
import { pathName, withPosition } from "../routing-config/read.ts";
import { type ParsedDocument, parseYaml, type YamlLimits } from "../routing-config/yaml.ts";
import { findLocalOnly, findSlips } from "./catalog-warnings.ts";
import { parseToml } from "./toml.ts";

/** The largest valid catalog has 500 models of 60 values each. */
const CATALOG_LIMITS: YamlLimits = {
	depth: 16,
	tokens: 400_000,
	scalarChars: 4_096,
	values: 100_000,
	aliases: 10_000,
	faults: 10_000,
};

/** Mistakes that are printed. */
const MAX_LINES = 10_000;

/** A catalog that was read and checked. */
export interface CheckedCatalog {
	/** As plain values. */
	document: unknown;
	/** The shipped catalog where there are mistakes. */
	catalog: Catalog;
	/** One line each, after the file's name and the position. */
	errors: string[];
	warnings: string[];
	/** What a deployed service refuses in it. */
	localOnly: string[];
	/** Such a line for a mistake that the service found. */
	toLine(path: Path, message: string): string;
}

/** TOML begins with a table or a member; YAML has no line like either in a mapping. JSON is YAML. */
const BEGINS_AS_TOML = /^(?:[ \t\r\n]|#[^\n]*\n)*(?:\[\[?[^\]\n]+\]\]?[ \t]*(?:#[^\n]*)?\r?(?:\n|$)|[\w."'-]+[ \t]*=)/;

/** Parses a file's text by what it looks like. */
function parseCatalogText(text: string): ParsedDocument {
	return BEGINS_AS_TOML.test(text) ? parseToml(text) : parseYaml(text, CATALOG_LIMITS);
}

/** The text of a file in UTF-8, or the line that is not. */
function decodeText(bytes: Uint8Array): { text: string } | { badLine: number } {
	const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
	const isText = (part: Uint8Array) => {
		try {
			return decoder.decode(part);
		} catch {
			return null;
		}
	};
	const text = isText(bytes);
	if (text !== null) return { text };
	// No character of several bytes has a line feed in it.
	for (let line = 1, start = 0; ; line++) {
		const end = bytes.indexOf(0x0a, start);
		if (end < 0 || isText(bytes.subarray(start, end)) === null) return { badLine: line };
		start = end + 1;
	}
}

/** Reads a catalog and checks it under the rules of the service that it is for. */
export function checkCatalog(bytes: Uint8Array, name: string, rules: AddressRules): CheckedCatalog {
	const refused = (errors: string[]): CheckedCatalog => ({
		document: null,
		catalog: CATALOG,
		errors: clipLines(errors.map((error) => `${name}: ${error}`)),
		warnings: [],
		localOnly: [],
		toLine: (_, message) => `${name}: ${message}`,
	});
	const decoded = decodeText(bytes);
	if ("badLine" in decoded) return refused([`line ${decoded.badLine}: holds a byte that is not UTF-8`]);
	const parsed = parseCatalogText(decoded.text);
	if (parsed.faults.length > 0) return refused(parsed.faults.map((fault) => withPosition(fault.message, fault)));
	// As the service will have it: without numbers and members that JSON does not know.
	const json = JSON.stringify(parsed.value);
	const size = new TextEncoder().encode(json).byteLength;
	if (size > MAX_CATALOG_BYTES) return refused([`is ${size} bytes of JSON; the service takes ${MAX_CATALOG_BYTES}`]);
	const document: unknown = JSON.parse(json);
	const toLine = ({ path, at, message }: DocumentFault) => {
		const member = pathName(path);
		return withPosition(member === "" ? message : `${member}: ${message}`, parsed.findPosition(path, at) ?? {});
	};
	const { catalog, faults } = extendCatalog(CATALOG, document, rules);
	if (faults.length > 0) return refused(faults.map(toLine));
	const slips = document === null ? [] : findSlips(document, catalog, CATALOG).map(toLine);
	const warnings = [...slips, ...(catalog === CATALOG ? ["adds nothing and changes nothing"] : [])];
	const toWarning = (line: string) => `${name}: warning: ${line}`;
	return {
		document: document ?? {},
		catalog,
		errors: [],
		warnings: warnings.map(toWarning),
		localOnly: findLocalOnly(document, CATALOG, rules).map(toLine).map(toWarning),
		toLine: (path, message) => `${name}: ${toLine({ path, at: "value", message })}`,
	};
}

function clipLines(lines: string[]): string[] {
	const rest = lines.length - MAX_LINES;
	return rest > 0 ? [...lines.slice(0, MAX_LINES), `and ${rest} more`] : lines;
}

/** Reads and checks a file; `-` is standard input. */
export function readCatalogFile(path: string, rules: AddressRules): CheckedCatalog {
	const [bytes, name] = path === "-" ? [readFileSync(0), "standard input"] : [readFileSync(path), path];
	return checkCatalog(bytes, name, rules);
}
