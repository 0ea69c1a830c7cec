// Package managers that are told to fetch from another place than the usual one. Whoever has that place chooses what runs.
import { type Effect, type Invocation, riskyEffect } from "../effects.ts";
import sourcesFile from "./package-sources.json" with { type: "json" };
import { staysOnThisMachine } from "./requests.ts";

const USUAL_HOSTS: ReadonlySet<string> = new Set(sourcesFile.usual_hosts);
const SOURCE_OPTIONS = toSets(sourcesFile.options);
const UNCHECKED_OPTIONS = toSets(sourcesFile.unchecked_options);

/** The options of each program, whose keys name several. */
function toSets(table: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, ReadonlySet<string>> {
	return new Map(
		Object.entries(table).flatMap(([names, options]) =>
			names.split(" ").map((name): [string, ReadonlySet<string>] => [name, new Set(options)]),
		),
	);
}

/** Finds what follows from fetching packages from an address. Nothing from folders and the hosts that everybody uses. */
export function findPackageSource(address: string): readonly Effect[] {
	const host = /^(?:[a-z]+\+)?https?:\/\/(?:[^/@\s]*@)?([^/:?#\s]+)/i.exec(address)?.[1]?.toLowerCase();
	if (host === undefined || USUAL_HOSTS.has(host) || staysOnThisMachine([address])) return [];
	return [riskyEffect(`takes packages from ${host}`, "the same without that address")];
}

/** Finds the places that a command fetches packages from, and the checks that it leaves out. */
export function findPackageSources({ name, words }: Invocation): readonly Effect[] {
	const options = SOURCE_OPTIONS.get(name);
	const unchecked = UNCHECKED_OPTIONS.get(name);
	if (options === undefined && unchecked === undefined) return [];
	return words.flatMap((word, at): readonly Effect[] => {
		const [, option = word, value = words[at + 1] ?? ""] = /^(--?[A-Za-z-]+)=(.*)$/s.exec(word) ?? [];
		if (unchecked?.has(option) || unchecked?.has(word))
			return [riskyEffect(`${name} does not check the certificate of the server`, `the same without ${option}`)];
		return options?.has(option) ? findPackageSource(value) : [];
	});
}
