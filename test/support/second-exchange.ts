// A second implementation of the hashes of steps with tools, written from docs/proofs.md with only node:crypto (second-ledger.ts). It
// uses nothing from src, so that its agreement proves something.
import { canonical, saltedHash, textHash } from "./second-ledger.ts";

/** A call with its texts, as its owner knows it. */
export interface KnownCall {
	id: string;
	turn: number;
	tool: string;
	definition: string | null;
	/** What the model wrote, or what a person put in its place. */
	arguments: string;
	decision: string | null;
	event_id: string | null;
	approval: { key_id: string; decision: string; at: string; digest: string } | null;
	result: string | null;
	state: string;
}

/** A step with its texts, as its owner knows it. Calls and words are in order. */
export interface KnownStep {
	messages: { role: string; content: string }[];
	said: { turn: number; text: string }[];
	steering: { turn: number; id: string; text: string }[];
	calls: KnownCall[];
}

function depthOf(value: unknown): number {
	if (value === null || typeof value !== "object") return 0;
	return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function holdsProto(value: unknown): boolean {
	if (value === null || typeof value !== "object") return false;
	return Object.entries(value).some(([name, member]) => name === "__proto__" || holdsProto(member));
}

/** What the hash of arguments is over. */
export function hashedArguments(text: string): string {
	if (text.trim() === "") return "{}";
	try {
		const value: unknown = JSON.parse(text);
		const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
		if (!isObject || depthOf(value) > 32 || holdsProto(value)) return text;
		return canonical(value);
	} catch {
		return text;
	}
}

/** The object that an `input_hash` is over. */
export function exchangeOf(salt: string, { messages, said, steering, calls }: KnownStep) {
	const hash = (text: string) => saltedHash(salt, text);
	return {
		type: "svc.input.v4",
		messages: messages.map(({ role, content }) => ({ role, content })),
		said: said.filter(({ text }) => text.length > 0).map(({ turn, text }) => ({ turn, text: hash(text) })),
		...(steering.length === 0
			? {}
			: { steering: steering.map(({ turn, id, text }) => ({ turn, id, text: hash(text) })) }),
		calls: calls.map((call) => ({
			id: call.id,
			turn: call.turn,
			tool: call.tool,
			definition: call.definition,
			arguments: hash(hashedArguments(call.arguments)),
			decision: call.decision,
			event_id: call.event_id,
			approval: call.approval && {
				key_id: call.approval.key_id,
				decision: call.approval.decision,
				at: call.approval.at,
				digest: call.approval.digest,
			},
			result: call.result === null ? null : hash(call.result),
			state: call.state,
		})),
	};
}

/** The `input_hash` of a step with tools. */
export function inputHashOf(salt: string, step: KnownStep): string {
	return saltedHash(salt, canonical(exchangeOf(salt, step)));
}

/** A tool of a client, by the names of the request, with what it leaves out. */
export interface DefinedTool {
	name: string;
	description: string | null;
	parameters: unknown;
	strict: boolean | null;
	effects: string;
	untrusted: boolean;
	private: boolean;
	commands: string[];
	files: string[];
	hosts: string[];
	max_calls: number | null;
	timeout_s: number;
	quarantine: boolean;
}

/** `definition` of a client's tool. */
export function definitionOf(tool: DefinedTool): string {
	return textHash(canonical({ ...tool, type: "svc.tool.v1", kind: "function" }));
}

/** `definition` of a tool of the service. */
export function builtInDefinitionOf(name: string): string {
	return textHash(canonical({ type: "svc.tool.v1", kind: name }));
}

/** What an approval is bound to. */
export interface KnownAction {
	run_id: string;
	call_id: string;
	tool: string;
	definition: string;
	/** As text. */
	arguments: string;
	policy: { manifest_digest: string; version: string };
}

/** `action_digest` of an action. */
export function actionDigestOf(salt: string, action: KnownAction): string {
	const args = saltedHash(salt, hashedArguments(action.arguments));
	return textHash(canonical({ ...action, type: "svc.action.v1", arguments: args }));
}
