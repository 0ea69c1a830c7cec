// Requests of code by their method, and calls of clients of services that take something away.
import { type Effect, forbiddenEffect, raiseEffect } from "../effects.ts";
import callsFile from "./code-calls.json" with { type: "json" };
import { lastName } from "./code-names.ts";
import type { CodeCall } from "./code-scope.ts";
import type { CodeValue } from "./code-values.ts";
import { findMethodEffects } from "./requests.ts";

/** Shared by the many calls that do nothing. */
export const NO_EFFECTS: readonly Effect[] = [];

/** Finds what a call does elsewhere: by a request that deletes, or by a method of a service's client. */
export function findServiceEffects(call: CodeCall): readonly Effect[] {
	const name = lastName(call.path);
	const method = findRequestMethod(call);
	const request = method !== null || DELETE_NAME.test(name) ? callRequestEffects(call, name, method) : NO_EFFECTS;
	const service = name === call.path ? NO_EFFECTS : serviceEffects(call, name);
	return request.length + service.length === 0 ? NO_EFFECTS : [...request, ...service];
}

const METHOD = /^(?:DELETE|PUT|PATCH|POST)$/;
const CLIENTS: ReadonlySet<string> = new Set(callsFile.network_clients);
const SERVICE_MODULES: ReadonlySet<string> = new Set(callsFile.service_modules);
const DESTROYING_CALLS: ReadonlySet<string> = new Set(callsFile.destroying_calls);

/** Whether a value is the address of a web page. */
export const isAddress = (value: CodeValue | undefined) => /^https?:\/\//i.test(value?.text ?? "");

const DELETE_NAME = /^delete$/i;

/** The method that a request names: as an argument of that name in any case, or in capitals among the first three. */
function findRequestMethod({ args, named }: CodeCall): string | null {
	if (named.size > 0) {
		const stated = named.get("method")?.text;
		if (stated != null && METHOD.test(stated.toUpperCase())) return stated;
		const type = named.get("type")?.text;
		if (type != null && METHOD.test(type)) return type;
	}
	for (let at = 0; at < 3 && at < args.length; at++) {
		const text = args[at]?.text;
		if (text != null && text.length < 7 && METHOD.test(text)) return text;
	}
	return null;
}

/** A request by its method: `requests.delete(url)`, `fetch(url, { method: "DELETE" })`, `request("DELETE", url)`. */
function callRequestEffects({ path, args, subject }: CodeCall, name: string, method: string | null): readonly Effect[] {
	const texts = [...args, ...(subject ? [subject] : [])].flatMap(({ text }) => text ?? []);
	if (method !== null) return findMethodEffects(method, texts);
	const isClient =
		path !== name &&
		(CLIENTS.has(path.slice(0, path.indexOf("."))) ||
			CLIENTS.has(path.split(".").slice(0, 2).join(".").replace("()", "")));
	return isClient || isAddress(args[0]) ? findMethodEffects("DELETE", texts) : [];
}

const SERVICE_REMOVAL = /^(?:delete|terminate|destroy|purge|drop|deregister|remove)(?:_|[A-Z]|$)/;

/** Whether a dotted name begins with a module of a service: `boto3.…`, `google.cloud.…`. */
function isOfService(path: string): boolean {
	const first = path.indexOf(".");
	const second = path.indexOf(".", first + 1);
	return SERVICE_MODULES.has(path.slice(0, first)) || (second > 0 && SERVICE_MODULES.has(path.slice(0, second)));
}

/** What a client library of a service, or of a database, is told to take away by one of its methods. */
function serviceEffects({ path, args }: CodeCall, name: string): readonly Effect[] {
	if (DESTROYING_CALLS.has(name))
		return name === "deleteMany" || name === "delete_many"
			? args[0]?.fields?.size === 0 || args.length === 0 || args[0]?.fields === undefined
				? [forbiddenEffect(`code calls ${name}, which destroys data or ends a service`)]
				: [raiseEffect("delete_action", `code calls ${name}, which deletes data`)]
			: [forbiddenEffect(`code calls ${name}, which destroys data or ends a service`)];
	return SERVICE_REMOVAL.test(name) && isOfService(path)
		? [forbiddenEffect(`code calls ${name} of a service`)]
		: NO_EFFECTS;
}
