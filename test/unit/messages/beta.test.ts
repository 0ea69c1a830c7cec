// Betas and members that are not in the schema: each passes in silence, or is named with what it would change.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
	DROPPED_BETAS,
	DROPPED_MEMBERS,
	SILENT_BETAS,
	warnOfBetas,
	warnOfMembers,
} from "../../../src/messages/beta.ts";
import { type MessagesRequest, messagesRequestSchema } from "../../../src/messages/request.ts";
import { EntranceWarnings } from "../../../src/messages/warnings.ts";

function betaWarnings(header: string | null, member?: unknown): string[] {
	const warnings = new EntranceWarnings();
	warnOfBetas(header, member, warnings);
	return warnings.toList().map(({ message }) => message);
}

function memberWarnings(members: Record<string, unknown>): (string | null)[] {
	const warnings = new EntranceWarnings();
	const body: MessagesRequest = { ...members, messages: [] };
	warnOfMembers(body, messagesRequestSchema.unwrap().shape, warnings);
	return warnings.toList().map(({ param }) => param);
}

const TYPES = join(import.meta.dirname, "../../../node_modules/@anthropic-ai/sdk/resources/beta");

describe("betas", () => {
	it("that change the price are named, whatever their date", () => {
		for (const beta of ["context-1m-2025-08-07", "fast-mode-2026-02-01", "context-1m-2027-01-01"])
			expect(betaWarnings(beta)).toEqual([expect.stringMatching(`^${beta} was left out: it changes the price`)]);
	});

	it("of Claude Code pass in silence, in the header and in the body", () => {
		const sent =
			"claude-code-20250219,interleaved-thinking-2025-05-14, effort-2025-11-24,mid-conversation-tool-changes-2026-07-01";
		expect(betaWarnings(sent)).toEqual([]);
		expect(betaWarnings(null, sent.split(","))).toEqual([]);
	});

	it("that are unknown share one warning, which names some of them", () => {
		const many = Array.from({ length: 9 }, (_, index) => `novelty-${index}-2027-01-01`);
		expect(betaWarnings(many.join(","))).toEqual([
			expect.stringMatching(/^novelty-0-2027-01-01, .*novelty-4-2027-01-01 and 4 more: not known/),
		]);
		expect(betaWarnings("x".repeat(10_000))[0]?.length).toBeLessThan(200);
	});

	it("stand in one row each", () => {
		expect(Object.keys(DROPPED_BETAS).filter((beta) => SILENT_BETAS.has(beta))).toEqual([]);
	});

	it("of the installed library that are about messages have a row", () => {
		const union = /AnthropicBeta = \(string & \{\}\) \| (.*);/.exec(
			readFileSync(join(TYPES, "beta.d.ts"), "utf8"),
		)?.[1];
		const betas = [...(union ?? "").matchAll(/'([^']+)'/g)].map(([, beta]) => beta ?? "");
		expect(betas.length).toBeGreaterThan(40);
		/** Those of Anthropic's other interfaces. */
		const elsewhere =
			/^(?:admin|analytics|ce|dreaming|experimental|managed-agents|mcp-tunnels|message-batches|spend|telemetry|webhooks)-/;
		expect(betas.filter((beta) => !elsewhere.test(beta)).flatMap((beta) => betaWarnings(beta))).toEqual(
			betas
				.filter((beta) => /^(?:context-1m|fast-mode|user-profiles-billing)-/.test(beta))
				.flatMap((beta) => betaWarnings(beta)),
		);
	});
});

describe("members", () => {
	it("that change price, retention or who answers are named, and so are unknown ones", () => {
		const body = {
			service_tier: "auto",
			container: "c_1",
			mcp_servers: [{ type: "url" }],
			context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
			speed: "fast",
			top_k: 5,
			inference_geo: "us",
			teleport: true,
		};
		expect(memberWarnings(body)).toEqual(Object.keys(body));
	});

	it("that ask for nothing pass in silence", () => {
		expect(
			memberWarnings({
				service_tier: null,
				mcp_servers: [],
				context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
				speed: "standard",
				diagnostics: { previous_message_id: null },
				betas: ["effort-2025-11-24"],
				stream: true,
			}),
		).toEqual([]);
	});

	it("of the installed library each have a place: in the schema, or in the table", () => {
		const types = readFileSync(join(TYPES, "messages/messages.d.ts"), "utf8");
		const base = /interface MessageCreateParamsBase \{([\s\S]*?)\n\}/.exec(types)?.[1] ?? "";
		const names = [...base.matchAll(/^ {4}(\w+)\??:/gm)].map(([, name]) => name ?? "");
		expect(names.length).toBeGreaterThan(25);
		const known = { ...messagesRequestSchema.unwrap().shape, ...DROPPED_MEMBERS, betas: true };
		expect(names.filter((name) => !Object.hasOwn(known, name))).toEqual([]);
	});

	it("have at most 50 warnings, and one that counts the rest", () => {
		const many = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`novelty${index}`, 1]));
		expect(memberWarnings(many)).toHaveLength(51);
	});
});
