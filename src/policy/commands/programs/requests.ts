// Requests by method and address, whoever sends them: a command line, or code.
import { type Effect, forbiddenEffect, riskyEffect } from "../effects.ts";
import requestsFile from "./requests.json" with { type: "json" };

const SERVER_PORTS: ReadonlySet<number> = new Set(Object.values(requestsFile.ports).flat());

/** Addresses of this machine, with or without a scheme. `:3000` is httpie's short form. */
const LOCAL_ADDRESS =
	/^(?:https?:\/\/)?(?:localhost|127\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}|\[::1\]|0\.0\.0\.0)(?::([0-9]{1,5}))?(?:[/?#]|$)|^:(?:([0-9]{1,5})|\/)/i;

/** What reads as the address of a server: a scheme, or a host name with a dot, a port or a path. */
const ADDRESS = /^[a-z][a-z0-9+.-]{0,31}:\/\/|^[^\s@{"'=]+[.:/][^\s{"']*$/i;

/** Whether an address is one of a program under development: on this machine, and no port of a server of data. */
function isOwnProgram(word: string): boolean {
	const match = LOCAL_ADDRESS.exec(word);
	return match !== null && !SERVER_PORTS.has(Number(match[1] ?? match[2] ?? 80));
}

/** Finds what a request does that is sent to one of these words. A program under development may be asked to delete. */
export function findMethodEffects(method: string, words: readonly string[]): readonly Effect[] {
	if (method.toUpperCase() !== "DELETE") return [];
	const addresses = words.filter((word) => LOCAL_ADDRESS.test(word) || ADDRESS.test(word));
	const isLocal = addresses.length > 0 && addresses.every(isOwnProgram);
	return isLocal ? [] : [forbiddenEffect("sends a DELETE request")];
}

/** Whether the addresses among these words are all of this machine. False where there is none. */
export function staysOnThisMachine(words: readonly string[]): boolean {
	const addresses = words.filter((word) => LOCAL_ADDRESS.test(word) || ADDRESS.test(word));
	return addresses.length > 0 && addresses.every((word) => LOCAL_ADDRESS.test(word));
}

/** Finds what a request does that is sent to one of these words with a method that changes something there. */
export function findChangingRequest(words: readonly string[]): readonly Effect[] {
	return staysOnThisMachine(words) ? [] : [riskyEffect("sends a request that may change something elsewhere")];
}
