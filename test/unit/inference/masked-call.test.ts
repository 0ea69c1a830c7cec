// Masked calls and restored answers: which parts of a call are masked, and which parts of a stream wait.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainConversation } from "../../../src/compliance/conversation.ts";
import { planMask, remainingClasses } from "../../../src/compliance/mask/plan.ts";
import { callConversation } from "../../../src/inference/call-conversation.ts";
import {
	answerMaskWarnings,
	maskCall,
	restoreAnswer,
	restoreMembers,
	restoreParts,
} from "../../../src/inference/masked-call.ts";
import { toModelAnswer, toStreamParts } from "../../../src/providers/accumulate.ts";
import type { AssistantPart, ContentPart, Message, ModelAnswer, ModelCall } from "../../../src/providers/model-call.ts";
import type { StreamPart } from "../../../src/providers/wire.ts";

const MAIL = "ada@example.org";
const SECRET = 'p"a\\s\ns';
const TEXT = `${MAIL} ${SECRET}`;
const mask = planMask(plainConversation(TEXT), [
	{ kind: "email", text: 0, start: 0, end: MAIL.length },
	{ kind: "generic_secret", text: 0, start: MAIL.length + 1, end: TEXT.length },
]);

function answerOf(content: AssistantPart[], more: Partial<ModelAnswer> = {}): ModelAnswer {
	const rest = { finishReason: "stop" as const, nativeFinishReason: null, logprobs: null, usage: null };
	return { content, ...rest, extra: {}, bodyFields: {}, ...more };
}

describe("maskCall", () => {
	it("masks all that is said, names of speakers and ids, and leaves names of tools, addresses and blocks", () => {
		const block = { type: "thinking", thinking: MAIL, signature: MAIL };
		const call: ModelCall = {
			messages: [
				{ role: "system", content: [{ type: "text", text: TEXT }], name: MAIL },
				{
					role: "assistant",
					content: [
						{ type: "reasoning", text: MAIL },
						{ type: "provider", wire: "anthropic", block },
						{ type: "tool_call", id: "EMAIL_1", name: MAIL, arguments: JSON.stringify({ to: TEXT }) },
					],
				},
				{
					role: "user",
					content: [
						{ type: "tool_result", callId: MAIL, content: [{ type: "text", text: MAIL }] },
						{ type: "image", url: `https://example.org/${MAIL}` },
					],
				},
			],
			tools: [
				{
					name: MAIL,
					description: `Not ${MAIL}`,
					parameters: { properties: { description: { type: "string", enum: [MAIL], default: { to: MAIL } } } },
				},
			],
			output: { type: "json_schema", name: "reply", description: MAIL, schema: { const: MAIL, required: [MAIL] } },
			maxTokens: 8,
			stop: [MAIL],
			user: MAIL,
			sampling: {},
			unknownFields: {},
		};
		const [system, assistant, user] = maskCall(call, mask).messages;
		expect(maskCall(call, mask)).toMatchObject({
			tools: [
				{
					name: MAIL,
					description: "Not [EMAIL_1]",
					parameters: {
						properties: { description: { type: "string", enum: ["[EMAIL_1]"], default: { to: "[EMAIL_1]" } } },
					},
				},
			],
			output: {
				type: "json_schema",
				name: "reply",
				description: "[EMAIL_1]",
				schema: { const: "[EMAIL_1]", required: [MAIL] },
			},
			stop: ["[EMAIL_1]"],
			user: "[EMAIL_1]",
		});
		expect(system).toEqual({
			role: "system",
			content: [{ type: "text", text: "[EMAIL_1] [GENERIC_SECRET_1]" }],
			name: "EMAIL_1",
		});
		expect(assistant?.content).toEqual([
			{ type: "reasoning", text: "[EMAIL_1]" },
			{ type: "provider", wire: "anthropic", block },
			{ type: "tool_call", id: "EMAIL_1", name: MAIL, arguments: '{"to":"[EMAIL_1] [GENERIC_SECRET_1]"}' },
		]);
		expect(user?.content).toEqual([
			{ type: "tool_result", callId: "EMAIL_1", content: [{ type: "text", text: "[EMAIL_1]" }] },
			{ type: "image", url: `https://example.org/${MAIL}` },
		]);
		expect(maskCall(call, null)).toBe(call);
	});
});

/** Messages with the ids of their calls as they were, because an id of letters is no text that is read. */
function restoreIds(messages: readonly Message[], id: string): Message[] {
	return JSON.parse(JSON.stringify(messages).replaceAll(/(?<="(?:id|callId)":")US_SSN_1(?=")/g, id));
}

it("masks every text that the plan takes for masked", () => {
	const ssn = "536904399";
	const call: ModelCall = {
		messages: [
			{ role: "system", content: [{ type: "text", text: ssn }], name: ssn },
			{
				role: "assistant",
				content: [
					{ type: "text", text: ssn },
					{ type: "refusal", text: ssn },
					{ type: "reasoning", text: ssn },
					{ type: "provider", wire: "anthropic", block: { thinking: ssn, signature: ssn } },
					{ type: "tool_call", id: ssn, name: ssn, arguments: `{"${ssn}":${ssn},"a":["${ssn}"]}`, signature: ssn },
				],
			},
			{
				role: "user",
				content: [
					{ type: "tool_result", callId: ssn, content: [{ type: "text", text: ssn }] },
					{ type: "image", url: `https://example.org/${ssn}` },
				],
			},
		],
		tools: [{ name: ssn, description: ssn, parameters: { enum: [ssn] } }],
		toolChoice: { name: ssn },
		output: { type: "json_schema", name: ssn, schema: { const: ssn } },
		maxTokens: 8,
		stop: [ssn],
		sampling: {},
		user: ssn,
		unknownFields: { [ssn]: ssn },
	};
	const conversation = callConversation(call);
	const findings = conversation.texts.flatMap(({ text }, index) => {
		const start = text.indexOf(ssn);
		return start < 0 ? [] : [{ kind: "us_ssn" as const, text: index, start, end: start + ssn.length }];
	});
	const sent = maskCall(call, planMask(conversation, findings));
	const ids = sent.messages.flatMap(({ content }) =>
		(content as readonly ContentPart[]).flatMap((part) =>
			part.type === "tool_call" ? [part.id] : part.type === "tool_result" ? [part.callId] : [],
		),
	);
	expect(ids).toEqual(["US_SSN_1", "US_SSN_1"]);
	const masked = callConversation({ ...sent, messages: restoreIds(sent.messages, ssn) });
	const kinds = { PII: ["us_ssn"] };
	for (const [index, { text }] of masked.texts.entries()) {
		if (text === `(${ssn})`) continue;
		const detection = { classes: ["PII" as const], kinds, findings: findings.filter((one) => one.text === index) };
		if (detection.findings.length === 0) continue;
		const isLeft = remainingClasses(conversation, detection, ["PII"]).length > 0;
		expect(text.includes(ssn), JSON.stringify(conversation.texts[index])).toBe(isLeft);
	}
});

describe("a restored answer", () => {
	const block = { type: "thinking", thinking: "[EMAIL_1]", signature: "[EMAIL_1]" };
	const content: AssistantPart[] = [
		{ type: "reasoning", text: "think [EMAIL_1" },
		{ type: "provider", wire: "anthropic", block },
		{ type: "text", text: "] [EMAIL_1], [GENERIC_SECRET_1] and [EMAIL" },
		{ type: "tool_call", id: "c", name: "send", arguments: '{"to":["[EMAIL_1]"],"secret":"[GENERIC_SECRET_1]"}' },
		{ type: "refusal", text: "_1] [EMAIL_1]" },
	];
	const written = answerOf(content);
	const whole = restoreAnswer(written, mask, "text");

	it("has values in texts and arguments, and blocks as they came", () => {
		expect(whole.content.map((part) => ("text" in part ? part.text : part.type))).toEqual([
			"think [EMAIL_1",
			"provider",
			`] ${MAIL}, ${SECRET} and [EMAIL`,
			"tool_call",
			`_1] ${MAIL}`,
		]);
		expect(whole.content[1]).toEqual({ type: "provider", wire: "anthropic", block });
		const call = whole.content[3];
		expect(JSON.parse(call?.type === "tool_call" ? call.arguments : "")).toEqual({ to: [MAIL], secret: SECRET });
	});

	it("is the same however its stream is cut", async () => {
		const parts = toStreamParts(written);
		await fc.assert(
			fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), async (sizes) => {
				let turn = 0;
				const cut = parts.flatMap((part): StreamPart[] => {
					if (!("text" in part)) return [part];
					const pieces: StreamPart[] = [];
					for (let at = 0; at < part.text.length; ) {
						const size = sizes[turn++ % sizes.length] ?? 1;
						pieces.push({ ...part, text: part.text.slice(at, at + size) });
						at += size;
					}
					return pieces;
				});
				const restored: StreamPart[] = [];
				async function* batches() {
					for (const part of cut) yield [part];
				}
				for await (const batch of restoreParts(batches(), mask, "text")) restored.push(...batch);
				expect(toModelAnswer(restored)?.content).toEqual(whole.content);
				expect(restored.at(-1)?.type).toBe("finish");
			}),
		);
	});

	it("delivers what waited when the stream breaks off", async () => {
		async function* batches() {
			yield [{ type: "text" as const, text: "see [EMAIL_" }];
		}
		const restored: StreamPart[] = [];
		for await (const batch of restoreParts(batches(), mask, "text")) restored.push(...batch);
		expect(restored.map((part) => ("text" in part ? part.text : ""))).toEqual(["see ", "[EMAIL_"]);
	});

	it("holds back less than a placeholder", async () => {
		const restorer = mask.restorer("text");
		const text = "[[EMAIL_1[GENERIC_SECRET_12 [EMAIL_1] [";
		let held = 0;
		let given = "";
		for (const [index, piece] of [...text].entries()) {
			given += restorer.add(piece);
			held = Math.max(held, text.slice(0, index + 1).length - given.replaceAll(MAIL, "[EMAIL_1]").length);
		}
		expect(held).toBeLessThan("[GENERIC_SECRET_1]".length);
		expect(given + restorer.end()).toBe(`[[EMAIL_1[GENERIC_SECRET_12 ${MAIL} [`);
	});
});

describe("warnings", () => {
	it.each([
		["[EMAIL_1]", []],
		["[email_1] and [EMAIL_2]", ["[email_1]", "[EMAIL_2]"]],
		["\\[EMAIL\\_1\\], (EMAIL_1), EMAIL_1, 【EMAIL_1】", ["\\[EMAIL\\_1\\]", "(EMAIL_1)", "【EMAIL_1】", "EMAIL_1"]],
		["[US_SSN_1]", ["[US_SSN_1]"]],
		["an email 1 of 3, EMAIL_1x, [TODO_1], arr[1]", []],
	])("of %j name what cannot be restored", (text, strays) => {
		expect(mask.findStrays(text)).toEqual(strays);
	});

	it("are one for all strays of an answer, and one for log probabilities", () => {
		const warnings = answerMaskWarnings(answerOf([{ type: "text", text: "[EMAIL_7]" }], { logprobs: {} }), mask);
		expect(warnings.map(({ code, param }) => [code, param])).toEqual([
			["placeholder_not_restored", null],
			["parameter_changed", "logprobs"],
		]);
		expect(answerMaskWarnings(answerOf([{ type: "text", text: "[EMAIL_7]" }]), null)).toEqual([]);
	});
});

it("restores the texts of an object at any depth, and nothing else", () => {
	const detail = { issues: ["see [EMAIL_1]", { by: "[EMAIL_1]", at: 3 }], kept: null };
	expect(restoreMembers(detail, mask)).toEqual({ issues: [`see ${MAIL}`, { by: MAIL, at: 3 }], kept: null });
	expect(restoreMembers(detail, null)).toBe(detail);
});
