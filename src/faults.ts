// Turns the issues of a zod schema into the faults of a document that people write by hand: each with its path, in the document's
// order. Pure.
import type * as z from "zod";
import { isJsonObject } from "./json.ts";
import { renderSuggestion } from "./suggest.ts";

/** Members and indices from the top of a value. */
export type Path = readonly (string | number)[];

/** A fault of a document. */
export interface DocumentFault {
	path: Path;
	/** The key is at fault, not its value. */
	at: "key" | "value";
	message: string;
}

/** Messages of a strict object. Its issue of unknown keys gets one line a key; toFaults splits them. */
export function mappingMessages(names: readonly string[]): z.core.$ZodErrorMap {
	return (issue) =>
		issue.code === "unrecognized_keys"
			? issue.keys.map((key) => `unknown key${renderSuggestion(key, names)}`).join("\n")
			: "must be a mapping";
}

function toFaults(issue: z.core.$ZodIssue): DocumentFault[] {
	const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
	if (issue.code !== "unrecognized_keys") return [{ path, at: "value", message: issue.message }];
	const messages = issue.message.split("\n");
	return issue.keys.map((key, index) => ({ path: [...path, key], at: "key", message: messages[index] ?? "" }));
}

/**
 * Parses a document by a schema whose members are all optional. The value of a faulty document is that of its members without
 * faults.
 */
export function parseMembers<T>(schema: z.ZodType<T>, document: unknown): { value: T; faults: DocumentFault[] } {
	const parsed = schema.safeParse(document);
	if (parsed.success) return { value: parsed.data, faults: [] };
	const faults = parsed.error.issues.flatMap(toFaults);
	const atFault = new Set(faults.map(({ path: [name] }) => name));
	const members = isJsonObject(document) ? Object.entries(document) : [];
	return { value: schema.parse(Object.fromEntries(members.filter(([name]) => !atFault.has(name)))), faults };
}

function canHold(value: unknown, step: string | number): value is object {
	return typeof step === "number" ? Array.isArray(value) : isJsonObject(value);
}

/**
 * Sorts faults by their position in the document. Those of a container come after those inside it. A path is cut where the
 * document ends: a member that is missing is named in the message. When one item may stand for a list, the item has the path of the
 * list.
 */
export function inDocumentOrder(faults: readonly DocumentFault[], document: unknown): DocumentFault[] {
	const keyOrders = new Map<object, ReadonlyMap<string, number>>();
	const keyOrder = (container: object) => {
		const order = keyOrders.get(container) ?? new Map(Object.keys(container).map((key, index) => [key, index]));
		keyOrders.set(container, order);
		return order;
	};
	const located = faults.map((fault) => {
		const position: number[] = [];
		const path: (string | number)[] = [];
		let [value, missing]: unknown[] = [document];
		for (const step of fault.path) {
			if (typeof step === "number" && isJsonObject(value)) continue;
			const index = canHold(value, step) ? keyOrder(value).get(String(step)) : undefined;
			if (index === undefined) {
				if (isJsonObject(value)) missing = step;
				break;
			}
			position.push(index);
			path.push(step);
			value = Reflect.get(Object(value), step);
		}
		const message = missing === undefined ? fault.message : `${missing} ${fault.message}`;
		return { position, fault: { ...fault, path, message } };
	});
	return located.sort((a, b) => comparePositions(a.position, b.position)).map(({ fault }) => fault);
}

function comparePositions(a: readonly number[], b: readonly number[]): number {
	const depth = a.findIndex((index, at) => index !== b[at]);
	const [first, second] = [a[depth], b[depth]];
	return first === undefined || second === undefined ? b.length - a.length : first - second;
}
