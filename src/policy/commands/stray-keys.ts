// Keys that a request puts into its address. They may go to the service that they are named after, and to no other.
import type { CommandWords } from "./patterns.ts";
import { findVariableNames } from "./scope.ts";
import { isSecretVariable } from "./secret-names.ts";
import type { SimpleCommand, Word } from "./shell/script.ts";
import { REQUEST_SENDERS } from "./transfers.ts";

/** Words in the name of a key that say what it is, not whose. */
const COMMON_WORDS: ReadonlySet<string> = new Set(
	"access account admin api app auth authorization base basic bearer bot client code credential credentials db deploy dev id jwt key keys live login my oauth org pass passwd password personal private prod production project public pwd read refresh root secret secrets service session shared sign signing staging stage team test token tokens upload url user username webhook workspace write".split(
		" ",
	),
);

/** Short names of services, as keys have them, and what their addresses have. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
	aws: "amazonaws",
	az: "azure",
	cf: "cloudflare",
	do: "digitalocean",
	gcp: "google",
	gh: "github",
	gl: "gitlab",
	hf: "huggingface",
	tg: "telegram",
};

const LOCAL_HOST =
	/^(?:localhost|127\.|\[::1\]|0\.0\.0\.0|host\.docker\.internal)|\.(?:local|localhost|test|internal)$/;

/** Whether a host is another's than the one that a key is named after. False for keys that are named after nobody. */
function isForeign(variable: string, host: string): boolean {
	if (LOCAL_HOST.test(host)) return false;
	const owners = variable
		.toLowerCase()
		.split("_")
		.filter((part) => part.length > 1 && !COMMON_WORDS.has(part));
	const isOwn = (owner: string) => host.includes(owner) || host.includes(SHORT_NAMES[owner] ?? owner);
	return owners.length > 0 && !owners.some(isOwn);
}

/** The host of an address that is written out. Null for a word that is none, or whose host a variable is in. */
function findHost(word: Word): string | null {
	let text = "";
	for (const part of word) {
		if (part.kind !== "text") break;
		text += part.text;
		if (text.length > 500) break;
	}
	const host = /^(?:--url=)?[a-z]+:\/\/(?:[^/?#@]*@)?([^/?#:]+)[/?#:]/i.exec(text)?.[1];
	return host?.toLowerCase() ?? null;
}

/** A key that a request puts into the address of a service that it is not named after, with that service's host. */
export function findStrayKey(
	{ name }: CommandWords,
	{ plain, words }: SimpleCommand,
): { readonly key: string; readonly host: string } | null {
	// A command of plain words has no variables.
	if (plain !== null || !REQUEST_SENDERS.has(name)) return null;
	for (const word of words) {
		if (word.length < 2) continue;
		const host = findHost(word);
		if (host === null) continue;
		for (const variable of findVariableNames(word))
			if (isSecretVariable(variable) && isForeign(variable, host)) return { key: `$${variable}`, host };
	}
	return null;
}
