// What a form of the inbox asks for, as a resolution of the API. Pure.
import { parseJsonText } from "./json-faults.ts";

/** What the API takes for a pending. */
export type FormResolution =
	| { id: string; decision: "approve" }
	| { id: string; decision: "reject"; reason?: string }
	| { id: string; decision: "edit"; arguments: Record<string, unknown> }
	| { id: string; payload: string };

/** A form that says nothing which can be sent: why, and at which of its fields. */
export interface FormFault {
	field: "arguments" | "answer";
	faults: string[];
}

type ReadForm = { ok: true; value: FormResolution } | { ok: false; fault: FormFault };

function readEdit(id: string, text: string): ReadForm {
	const parsed = parseJsonText(text);
	if (!parsed.ok) return { ok: false, fault: { field: "arguments", faults: parsed.faults } };
	const { value } = parsed;
	if (typeof value !== "object" || value === null || Array.isArray(value))
		return { ok: false, fault: { field: "arguments", faults: ["the arguments are one JSON object"] } };
	return { ok: true, value: { id, decision: "edit", arguments: { ...value } } };
}

/** Reads a form about a pending. One without a known decision is no decision: it is read as an answer, which must not be empty. */
export function readWaitingForm(id: string, form: URLSearchParams): ReadForm {
	switch (form.get("decision")) {
		case "approve":
			return { ok: true, value: { id, decision: "approve" } };
		case "edit":
			return readEdit(id, form.get("arguments") ?? "");
		case "reject": {
			const reason = (form.get("reason") ?? "").trim();
			return { ok: true, value: { id, decision: "reject", ...(reason === "" ? {} : { reason }) } };
		}
	}
	const answer = (form.get("answer") ?? "").trim() || (form.get("choice") ?? "");
	return answer === ""
		? { ok: false, fault: { field: "answer", faults: ["an answer is missing"] } }
		: { ok: true, value: { id, payload: answer } };
}
