// Whether an answer is what the OpenAPI document says, and says nothing of what is inside the service.
import { createParser } from "eventsource-parser";
import * as z from "zod";
import { bodySchemaOf, type Operation } from "./generate-request.ts";
import type { JsonSchema } from "./generate-schema.ts";

export interface ReadAnswer {
	status: number;
	headers: Headers;
	text: string;
}

/** Stack frames, source files, SQL and the platform's own words. */
const INTERNALS = /\n\s+at |\.[tj]s:\d|node_modules|D1_ERROR|SQLITE_|no such table|\b(?:SELECT|INSERT INTO|UPDATE) \w/;

/** Statuses that the sandbox, which is never away, gives no reason for. */
const NEVER = new Set([500, 502, 503]);

function parsed(text: string): { value: unknown } | null {
	try {
		// A byte order mark may stand before JSON (RFC 8259, section 8.1); decoding takes it away.
		return { value: JSON.parse(text.replace(/^\uFEFF/, "")) };
	} catch {
		return null;
	}
}

/** Replaces references to the document's components by what they refer to. */
function inlined(schema: unknown, document: Record<string, unknown>): unknown {
	if (Array.isArray(schema)) return schema.map((part) => inlined(part, document));
	if (typeof schema !== "object" || schema === null) return schema;
	if ("$ref" in schema && typeof schema.$ref === "string" && schema.$ref.startsWith("#/components/")) {
		let at: unknown = document;
		for (const step of schema.$ref.split("/").slice(1)) at = Object(at)[step];
		return inlined(at, document);
	}
	return Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, inlined(part, document)]));
}

/** Faults of a stream that was read to its end: completion chunks up to `[DONE]`, or named events up to the result. */
function streamComplaints(text: string): string[] {
	const events: { event: string | undefined; data: string }[] = [];
	createParser({ onEvent: ({ event, data }) => events.push({ event, data }) }).feed(text);
	const last = events.at(-1);
	const isNamed = last?.event !== undefined;
	const said = events.filter(({ data }) => data !== "[DONE]").map(({ data }) => parsed(data));
	const complaints: string[] = [];
	if (isNamed ? last.event !== "result" : last?.data !== "[DONE]")
		complaints.push(`the stream does not end with ${isNamed ? "its result" : "[DONE]"}`);
	if (said.some((one) => one === null)) complaints.push("an event is not JSON");
	if (said.some((one) => one && "error" in Object(one.value))) complaints.push("the stream reports an error");
	return complaints;
}

/** Holds answers against one document. */
export class Documented {
	#document: Record<string, unknown>;
	#compiled = new Map<JsonSchema, z.ZodType>();

	constructor(document: Record<string, unknown>) {
		this.#document = document;
	}

	#issues(schema: JsonSchema, value: unknown): string[] {
		const compiled =
			this.#compiled.get(schema) ??
			z.fromJSONSchema(inlined(schema, this.#document) as Parameters<typeof z.fromJSONSchema>[0]);
		this.#compiled.set(schema, compiled);
		const issues = compiled.safeParse(value).error?.issues ?? [];
		return issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
	}

	/** Why a body that was served is none by the document; empty when it is one. */
	bodyComplaints(operation: Operation, text: string): string[] {
		if (text === "" && operation.requestBody?.required === false) return [];
		const schema = bodySchemaOf(operation);
		const body = parsed(text);
		if (!schema || !body) return schema ? ["served a body that is not JSON"] : [];
		return this.#issues(schema, body.value).map((issue) => `served a body that the document forbids: ${issue}`);
	}

	/** Why an answer is not as documented, or should not have been given; empty when all is well. */
	complaints(operation: Operation, { status, headers, text }: ReadAnswer): string[] {
		const complaints = this.#contentComplaints(operation, status, headers.get("content-type") ?? "", text);
		if (NEVER.has(status)) complaints.push(`status ${status}`);
		if (!/^(?:svc-|agt_)[0-9A-Z]{26}$/.test(headers.get("x-request-id") ?? "")) complaints.push("no x-request-id");
		if (status >= 400 && INTERNALS.test(text)) complaints.push("the answer tells of the service's insides");
		return complaints;
	}

	#contentComplaints({ responses }: Operation, status: number, contentType: string, text: string): string[] {
		const response = responses[status] ?? (status >= 400 ? responses["default"] : undefined);
		if (!response) return [`status ${status} is not documented`];
		if (!response.content && text === "") return [];
		const type = contentType.split(";")[0]?.trim() ?? "";
		const schema = response.content?.[type]?.schema;
		if (!schema) return [`content type ${JSON.stringify(type)} is not documented for status ${status}`];
		if (type === "text/event-stream") return streamComplaints(text);
		const body = type === "application/json" ? parsed(text) : { value: text };
		if (!body) return ["the body does not parse"];
		return this.#issues(schema, body.value).map((issue) => `the body is not as documented: ${issue}`);
	}
}
