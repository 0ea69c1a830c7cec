// Package managers that are told to fetch from another place than the usual one. Whoever has that place chooses what runs.
import { type Effect, type Invocation, riskyEffect } from "../effects.ts";
import { setsBySpelling } from "../program-tables.ts";
import sourcesFile from "./package-sources.json" with { type: "json" };
import { staysOnThisMachine } from "./requests.ts";

const USUAL_HOSTS: ReadonlySet<string> = new Set(sourcesFile.usual_hosts);
const SOURCE_OPTIONS = setsBySpelling(sourcesFile.options);
const UNCHECKED_SOURCES = setsBySpelling(sourcesFile.unchecked_options);

/** Finds what follows from fetching packages from an address. Nothing from folders and the hosts that everybody uses. */
export function findPackageSource(address: string): readonly Effect[] {
	const host = /^(?:[a-z]+\+)?https?:\/\/(?:[^/@\s]*@)?([^/:?#\s]+)/i.exec(address)?.[1]?.toLowerCase();
	if (host === undefined || USUAL_HOSTS.has(host) || staysOnThisMachine([address])) return [];
	return [riskyEffect(`takes packages from ${host}`, "the same without that address")];
}

/** Finds the places that a command fetches packages from, and the checks that it leaves out. */
export function findPackageSources({ name, words }: Invocation): readonly Effect[] {
	const options = SOURCE_OPTIONS.get(name);
	const unchecked = UNCHECKED_SOURCES.get(name);
	if (options === undefined && unchecked === undefined) return [];
	return words.flatMap((word, at): readonly Effect[] => {
		const [, option = word, value = words[at + 1] ?? ""] = /^(--?[A-Za-z-]+)=(.*)$/s.exec(word) ?? [];
		if (unchecked?.has(option) || unchecked?.has(word))
			return [riskyEffect(`${name} does not check the certificate of the server`, `the same without ${option}`)];
		return options?.has(option) ? findPackageSource(value) : [];
	});
}
