// PDF files and recordings through the front door: every entrance on every wire, what is refused and how, limits, the bound on the
// price, compliance, failover, and what is kept.
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { nano } from "../support/money.ts";
import { useService } from "../support/per-test.ts";
import { providerOf, status } from "../support/scripted.ts";
import { flatTree, toBase64, toMp3, toPdf, toWav } from "../support/sent-files.ts";
import { callWithKey, newKey, receiptOf } from "../support/service.ts";
import { eventsOf } from "../support/sse.ts";

type Json = Record<string, unknown>;

const { upstream, key } = useService("corporate");

const REPORT = toBase64(toPdf(flatTree(3)));
const SPEECH = toBase64(toWav(2));
const address = (base64: string) => `data:application/pdf;base64,${base64}`;

/** The ways in, and how each is sent a PDF. */
const ENTRANCES = {
	chat: {
		path: "/v1/chat/completions",
		toBody: (base64: string) => ({
			max_tokens: 100,
			messages: [
				{
					role: "user",
					content: [
						{ type: "text", text: "Sum it up" },
						{ type: "file", file: { filename: "q3.pdf", file_data: address(base64) } },
					],
				},
			],
		}),
	},
	responses: {
		path: "/v1/responses",
		toBody: (base64: string) => ({
			max_output_tokens: 100,
			input: [
				{
					role: "user",
					content: [
						{ type: "input_text", text: "Sum it up" },
						{ type: "input_file", filename: "q3.pdf", file_data: address(base64) },
					],
				},
			],
		}),
	},
	messages: {
		path: "/v1/messages",
		toBody: (base64: string) => ({
			max_tokens: 100,
			messages: [
				{
					role: "user",
					content: [
						{ type: "text", text: "Sum it up" },
						{
							type: "document",
							title: "q3.pdf",
							source: { type: "base64", media_type: "application/pdf", data: base64 },
						},
					],
				},
			],
		}),
	},
} as const;
type EntranceName = keyof typeof ENTRANCES;
const NAMES = Object.keys(ENTRANCES) as EntranceName[];

/** A model of each wire, and the part that its provider is sent. */
const WIRES = [
	["gpt-5-nano", { type: "file", file: { filename: "q3.pdf", file_data: address(REPORT) } }],
	[
		"claude-haiku-5-5",
		{
			type: "document",
			source: { type: "base64", media_type: "application/pdf", data: REPORT },
			title: "q3.pdf",
		},
	],
	["gemini-3.8-flash", { inlineData: { mimeType: "application/pdf", data: REPORT } }],
] as const;

function send(name: EntranceName, base64: string, more: Json = {}, from = key.key): Promise<Response> {
	const { path, toBody } = ENTRANCES[name];
	return callWithKey(from, path, { ...toBody(base64), ...more });
}

async function answer(
	response: Response,
): Promise<Json & { svc: { proof: { request_id: string }; warnings: { code: string }[] } }> {
	expect(response.status, await response.clone().text()).toBe(200);
	return response.json();
}

async function refusal(response: Response): Promise<string> {
	const text = await response.text();
	expect(response.status, text).toBe(422);
	return text;
}

/** The parts of the last message that the last upstream was sent. */
function sentParts(): unknown {
	const body = upstream.requests.at(-1)?.body as { messages?: { content: Json[] }[]; contents?: { parts: Json[] }[] };
	return body.messages?.at(-1)?.content ?? body.contents?.at(-1)?.parts;
}

describe.each(NAMES)("a PDF through %s", (name) => {
	it.each(WIRES)("reaches %s in the form of its wire, whole and streamed", async (model, part) => {
		const body = await answer(await send(name, REPORT, { model }));
		expect(JSON.stringify(body)).toMatch(/You sent (?:q3\.pdf|a file) \(3 pages, \d+ bytes\)/);
		expect(sentParts()).toContainEqual(part);
		expect(JSON.stringify(sentParts())).toContain("q3.pdf");
		const streamed = await send(name, REPORT, { model, stream: true });
		const events = eventsOf(await streamed.text());
		expect(events.length).toBeGreaterThan(2);
		expect(sentParts()).toContainEqual(part);
	});

	it("goes to a model that takes it where none is named", async () => {
		const { svc } = await answer(await send(name, REPORT));
		const { model, bound_usd, cost_usd } = await receiptOf(svc.proof.request_id);
		expect(String(model)).toMatch(/^(?:gpt|claude|gemini)/);
		expect(nano(Number(cost_usd))).toBeLessThanOrEqual(nano(Number(bound_usd)));
	});

	it("is refused by name of a model that takes none", async () => {
		const text = await refusal(await send(name, REPORT, { model: "grok-4.7" }));
		expect(text).toContain("grok-4.7: does not support PDF files; gpt-5-nano, gpt-6-luna, gpt-5.4-mini and others do");
		expect(upstream.requests).toEqual([]);
	});

	it("is refused where it is no PDF, locked, or no base64, and nothing is called", async () => {
		const locked = toBase64(toPdf("page", { more: "trailer\n<< /Encrypt << /V 4 >> >>\n" }));
		expect(await refusal(await send(name, locked))).toContain("is an encrypted PDF");
		expect(await refusal(await send(name, btoa("hello")))).toContain("is no PDF");
		expect(await refusal(await send(name, "a*b="))).toContain("must be base64");
		expect(upstream.requests).toEqual([]);
	});

	it("with more pages than a model reads goes elsewhere, and nowhere where no model reads them", async () => {
		const long = toBase64(toPdf(flatTree(601)));
		const text = await refusal(await send(name, long, { model: "claude-opus-5-5" }));
		expect(text).toContain("reads at most 600 pages of PDF files, the request has 601");
		const { svc } = await answer(await send(name, long));
		expect((await receiptOf(svc.proof.request_id))["provider"]).not.toBe("anthropic");
		const endless = await send(name, toBase64(toPdf(flatTree(10_000))));
		expect([400, 413, 422], await endless.clone().text()).toContain(endless.status);
	});

	it("that is larger than a body may be is a 413", async () => {
		const response = await send(name, "A".repeat(17_000_000));
		expect(response.status).toBe(413);
	});

	it("goes over to another model that takes it", async () => {
		upstream.replace(async (request) => (providerOf(request) === "anthropic" ? status(529) : undefined));
		const body = await answer(await send(name, REPORT, { model: "claude-haiku-5-5" }));
		expect(body.svc).toMatchObject({ fallback: true, fallback_from: "claude-haiku-5-5" });
		expect(JSON.stringify(body)).toContain("(3 pages, ");
	});
});

describe("the price of a PDF", () => {
	/** A model alone: what could stand in for it would be reserved, too. */
	const alone = (model: string) => ({
		model,
		brain_config: { blocked: CATALOG.models.map(({ id }) => id).filter((id) => id !== model) },
	});

	/** What a call is reserved, USD. */
	async function boundOf(base64: string, model: string): Promise<number> {
		const { svc } = await answer(await send("chat", base64, alone(model)));
		return Number((await receiptOf(svc.proof.request_id))["bound_usd"]);
	}

	it("is bounded by its pages, and by the most that a model reads where they cannot be told", async () => {
		const plain = toPdf([["page"]]);
		const one = await boundOf(toBase64(plain), "gemini-3.8-flash");
		const text = new TextDecoder("latin1").decode(plain).replace("/Kids [4 0 R]", "/Kids [4 0 R 4 0 R]");
		const hostile = await boundOf(btoa(text), "gemini-3.8-flash");
		expect(one).toBeLessThan(0.01);
		expect(hostile - one).toBeGreaterThan((999 * 560 * 0.75) / 1e6 - 0.001);
	});

	it("holds where the provider counts all that it publishes, or more", async () => {
		for (const tokens of [3 * 7_784, 900_000]) {
			const usage = { input_tokens: tokens, output_tokens: 5 };
			const message = { type: "message", role: "assistant", content: [{ type: "text", text: "Fine." }], usage };
			upstream.replace(async (request) =>
				providerOf(request) === "anthropic"
					? Response.json({ ...message, model: "m", id: "msg_1", stop_reason: "end_turn", stop_sequence: null })
					: undefined,
			);
			const { svc } = await answer(await send("chat", REPORT, alone("claude-opus-5-5")));
			const { cost_usd, bound_usd } = await receiptOf(svc.proof.request_id);
			expect(nano(Number(cost_usd))).toBeLessThanOrEqual(nano(Number(bound_usd)));
			const published = (3 * 7_784 * 4) / 1e6;
			expect(Number(cost_usd)).toBeGreaterThanOrEqual(published);
			expect(Number(bound_usd)).toBeLessThan(published * 1.3);
			const overruns = svc.warnings.filter(({ code }) => code === "provider_overrun");
			expect(overruns).toHaveLength(tokens === 900_000 ? 1 : 0);
		}
	});

	it("that a plan does not allow is refused before anything is called", async () => {
		const personal = await newKey("personal");
		const response = await send("chat", toBase64(toPdf(flatTree(400))), { model: "claude-fable-5" }, personal.key);
		expect(response.status).toBe(402);
		expect(await response.text()).toContain("; lower max_tokens or send PDF files of fewer pages");
		const untold = new TextDecoder("latin1").decode(toPdf([["page"]])).replace("/Kids [4 0 R]", "/Kids [4 0 R 4 0 R]");
		const other = await send("chat", btoa(untold), { model: "claude-fable-5" }, personal.key);
		expect([other.status, await other.text()]).toMatchObject([
			402,
			expect.stringContaining("cannot be told counts with"),
		]);
		expect(upstream.requests).toEqual([]);
	});
});

describe("a recording", () => {
	const audio = (data: string, format = "wav") => ({ type: "input_audio", input_audio: { data, format } });
	const ask = (part: Json, more: Json = {}) =>
		callWithKey(key.key, "/v1/chat/completions", {
			max_tokens: 100,
			messages: [{ role: "user", content: [{ type: "text", text: "What is said?" }, part] }],
			...more,
		});

	it("reaches a model that hears it, through chat and Responses", async () => {
		expect(JSON.stringify(await answer(await ask(audio(SPEECH))))).toContain("You sent audio in wav (3 seconds");
		expect(sentParts()).toContainEqual({ inlineData: { mimeType: "audio/wav", data: SPEECH } });
		const mp3 = toBase64(toMp3(100));
		const input = [{ role: "user", content: [{ type: "input_text", text: "What?" }, audio(mp3, "mp3")] }];
		const body = await answer(await callWithKey(key.key, "/v1/responses", { input }));
		expect(JSON.stringify(body)).toContain("You sent audio in mp3 (3 seconds");
		expect(sentParts()).toContainEqual({ inlineData: { mimeType: "audio/mp3", data: mp3 } });
	});

	it("is refused by name of a model that hears none, and where it is none", async () => {
		expect(await refusal(await ask(audio(SPEECH), { model: "claude-opus-5-5" }))).toContain("does not support audio");
		expect(await refusal(await ask(audio(SPEECH, "ogg")))).toContain("format must be one of wav, mp3");
		expect(await refusal(await ask(audio(SPEECH, "mp3")))).toContain("is no MP3");
		expect(upstream.requests).toEqual([]);
	});
});

describe("what this service does not keep or fetch", () => {
	const cases: [EntranceName, string, Json, string][] = [
		["chat", "a file by id", { type: "file", file: { file_id: "file-1" } }, "send the content itself as file_data"],
		["responses", "a file by id", { type: "input_file", file_id: "file-1" }, "send the content itself as file_data"],
		[
			"responses",
			"an address",
			{ type: "input_file", file_url: "https://a.test/a.pdf" },
			"send the content as file_data",
		],
		[
			"messages",
			"a file by id",
			{ type: "document", source: { type: "file", file_id: "f" } },
			"send the document as base64",
		],
		[
			"messages",
			"an address",
			{ type: "document", source: { type: "url", url: "https://a.test/a.pdf" } },
			"send the document as base64",
		],
	];
	it.each(cases)("is refused through %s: %s", async (name, _, part, advice) => {
		const content = [{ role: "user", content: [part] }];
		const body = name === "responses" ? { input: content } : { messages: content, max_tokens: 10 };
		expect(await refusal(await callWithKey(key.key, ENTRANCES[name].path, body))).toContain(advice);
		expect(upstream.requests).toEqual([]);
	});

	it("is the one fault of a message that holds nothing else, and a system message says where files go", async () => {
		const ask = async (role: string, file: Json) => {
			const messages = [{ role, content: [{ type: "file", file }] }];
			return JSON.parse(await refusal(await callWithKey(key.key, "/v1/chat/completions", { messages })));
		};
		const { issues } = await ask("user", { file_id: "file-1" });
		expect(issues).toEqual([{ path: expect.stringMatching(/file_id$/), message: expect.any(String) }]);
		expect(JSON.stringify(await ask("system", { file_data: REPORT }))).toContain("recordings are for user messages");
		const empty = [{ role: "user", content: [] }];
		expect(await refusal(await callWithKey(key.key, "/v1/chat/completions", { messages: empty }))).toContain(
			"must not be empty",
		);
	});

	it("is refused by workflows, which take texts", async () => {
		const messages = ENTRANCES.chat.toBody(REPORT).messages;
		expect(await refusal(await callWithKey(key.key, "/v2/orchestrate", { messages }))).toContain("text parts");
	});
});

describe("nobody reads a PDF, so that", () => {
	it.each(NAMES)("a blocked class holds it back through %s unless the policy lets files pass", async (name) => {
		const compliance = { block_data_classes: ["PII"] };
		const model = "gemini-3.8-flash";
		const held = await send(name, REPORT, { model, compliance });
		expect(held.status, await held.clone().text()).toBe(403);
		expect(await held.text()).toContain("PII (unread)");
		expect(upstream.requests).toEqual([]);
		await answer(await send(name, REPORT, { model, compliance: { ...compliance, allow_unread: ["file"] } }));
	});

	it("its name alone is masked", async () => {
		const messages = [
			{
				role: "user",
				content: [
					{ type: "text", text: "Sum it up" },
					{ type: "file", file: { filename: "ada.lovelace@analytical.org.pdf", file_data: address(REPORT) } },
				],
			},
		];
		const compliance = { mask_data_classes: ["PII"], allow_unread: ["file"] };
		await answer(await callWithKey(key.key, "/v1/chat/completions", { messages, compliance, model: "gpt-5-nano" }));
		expect(JSON.stringify(sentParts())).not.toContain("ada.lovelace");
		expect(JSON.stringify(sentParts())).toContain(REPORT);
	});

	it("a document of text is read and masked like a text", async () => {
		const document = {
			type: "document",
			source: { type: "text", media_type: "text/plain", data: "Write to ada.lovelace@analytical.org" },
		};
		const body = { max_tokens: 50, messages: [{ role: "user", content: [document] }] };
		await answer(await callWithKey(key.key, "/v1/messages", { ...body, compliance: { mask_data_classes: ["PII"] } }));
		expect(JSON.stringify(sentParts())).not.toContain("ada.lovelace");
	});
});

describe("a conversation with a PDF", () => {
	it("goes on, and a tool may show one", async () => {
		const content = [{ type: "document", source: { type: "base64", media_type: "application/pdf", data: REPORT } }];
		const messages = [
			{ role: "user", content: "Read the report" },
			{ role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "read", input: {} }] },
			{ role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content }] },
		];
		const tools = [{ name: "read", input_schema: { type: "object" } }];
		for (const [model] of WIRES) {
			await answer(await callWithKey(key.key, "/v1/messages", { model, max_tokens: 50, messages, tools }));
			expect(JSON.stringify(upstream.requests.at(-1)?.body)).toContain(REPORT);
		}
	});

	it("that is stored is sent again with the next turn", async () => {
		const first = await answer(await send("responses", REPORT, { model: "gpt-5-nano", store: true }));
		const next = { model: "gpt-5-nano", input: "And the second page?", previous_response_id: first["id"] };
		const body = await answer(await callWithKey(key.key, "/v1/responses", next));
		expect(JSON.stringify(upstream.requests.at(-1)?.body)).toContain(REPORT);
		expect(JSON.stringify(body)).not.toContain(REPORT);
	});

	it("counts its pages as tokens", async () => {
		const { messages } = ENTRANCES.messages.toBody(REPORT);
		const counted = await callWithKey(key.key, "/v1/messages/count_tokens", { messages });
		const { input_tokens } = await counted.json<{ input_tokens: number }>();
		expect(input_tokens).toBeGreaterThan(4_500);
		expect(input_tokens).toBeLessThan(4_600);
	});
});
