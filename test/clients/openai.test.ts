// The official OpenAI client against the running service: what works with OpenAI works here, and a stranger can check the receipt.
import { randomBytes } from "node:crypto";
import OpenAI, { APIError, AuthenticationError, NotFoundError, RateLimitError } from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { generateApiKey } from "../../src/account/api-key.ts";
import { chatCompletionSchema } from "../../src/chat/completion.ts";
import {
	canonical,
	failureOf,
	fetchPems,
	fetchProof,
	isSound,
	type Proof,
	saltedHash,
	sha256,
	startTestService,
	type TestService,
} from "./support.ts";

let service: TestService | undefined;

beforeAll(async () => {
	service = await startTestService();
});
afterAll(() => service?.stop());

function running(): TestService {
	if (!service) throw new Error("the service did not start");
	return service;
}

type ClientOptions = NonNullable<ConstructorParameters<typeof OpenAI>[0]>;

/** A client of a new user. */
async function newClient(plan: string, options: ClientOptions = {}): Promise<OpenAI> {
	const { key } = await running().newKey(plan);
	return new OpenAI({ baseURL: `${running().url}/v1`, apiKey: key, ...options });
}

const hello = { model: "auto", messages: [{ role: "user" as const, content: "Say hello" }] };

describe("the openai client", () => {
	it("gets content, usage and the svc block of a chat completion", async () => {
		const client = await newClient("pro");
		const completion = await client.chat.completions.create(hello);
		expect(completion.choices[0]?.message.content).toContain('you wrote "Say hello"');
		expect(completion.choices[0]?.finish_reason).toBe("stop");
		const { prompt_tokens, completion_tokens, total_tokens } = completion.usage ?? {};
		expect(prompt_tokens).toBeGreaterThan(0);
		expect(completion_tokens).toBeGreaterThan(0);
		expect(total_tokens).toBe(Number(prompt_tokens) + Number(completion_tokens));

		const { id, svc } = chatCompletionSchema.parse(completion);
		expect(id).toMatch(/^svc-/);
		expect(completion._request_id).toBe(id);
		expect(svc.proof.request_id).toBe(id);
		expect(svc.cost.total_usd).toBeGreaterThan(0);
		expect(svc.routing.reason).not.toBe("");
	});

	it("carries a tool loop over two turns", async () => {
		const client = await newClient("pro");
		const tools = [
			{
				type: "function" as const,
				function: {
					name: "get_weather",
					description: "Current weather of a city",
					parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
				},
			},
		];
		const question = { role: "user" as const, content: "What is the weather like in Paris?" };
		const asked = await client.chat.completions.create({ model: "auto", messages: [question], tools });
		const choice = asked.choices[0];
		expect(choice?.finish_reason).toBe("tool_calls");
		const call = choice?.message.tool_calls?.[0];
		if (!choice || call?.type !== "function") throw new Error("no function was called");
		expect(call.function.name).toBe("get_weather");
		expect(JSON.parse(call.function.arguments)).toEqual({ city: "Paris" });

		const answered = await client.chat.completions.create({
			model: "auto",
			// The assistant's message goes back exactly as it came.
			messages: [question, choice.message, { role: "tool", tool_call_id: call.id, content: "18 degrees, sunny" }],
			tools,
		});
		expect(answered.choices[0]?.finish_reason).toBe("stop");
		expect(answered.choices[0]?.message.content).toBe("The tool answered: 18 degrees, sunny");
	});

	it("runs tools by itself with runTools", async () => {
		const client = await newClient("pro");
		const cities: unknown[] = [];
		const runner = client.chat.completions.runTools({
			model: "auto",
			messages: [{ role: "user", content: "What is the weather like in Lisbon?" }],
			tools: [
				{
					type: "function",
					function: {
						name: "get_weather",
						description: "Current weather of a city",
						parameters: { type: "object", properties: { city: { type: "string" } } },
						parse: JSON.parse,
						function: (args: unknown) => {
							cities.push(args);
							return "23 degrees";
						},
					},
				},
			],
		});
		expect(await runner.finalContent()).toBe("The tool answered: 23 degrees");
		expect(cities).toEqual([{ city: "Lisbon" }]);
	});

	it("parses structured output against the schema it sent", async () => {
		const client = await newClient("pro");
		const Trip = z.object({
			destination: z.string(),
			nights: z.int(),
			season: z.enum(["spring", "summer"]),
			stops: z.array(z.object({ city: z.string(), booked: z.boolean() })),
			note: z.string().nullable(),
		});
		const completion = await client.chat.completions.parse({
			model: "auto",
			messages: [{ role: "user", content: "plan a trip to Norway" }],
			response_format: zodResponseFormat(Trip, "trip"),
		});
		const message = completion.choices[0]?.message;
		expect(message?.parsed).toEqual(Trip.parse(JSON.parse(message?.content ?? "")));
		expect(message?.parsed?.destination).toBe("Norway");
	});

	it("lists 27 models and retrieves each by its id", async () => {
		const client = await newClient("pro");
		const { data: models } = await client.models.list();
		expect(models).toHaveLength(27);
		expect(new Set(models.map(({ id }) => id)).size).toBe(27);
		for (const model of models) expect(await client.models.retrieve(model.id)).toMatchObject(model);
	});

	it("gets NotFoundError for a model that is not in the catalog", async () => {
		const client = await newClient("free");
		const error = await failureOf(client.models.retrieve("no-such-model"));
		expect(error).toBeInstanceOf(NotFoundError);
		expect(error).toMatchObject({ status: 404 });
	});

	it.each([
		["malformed", () => "svc_sk_wrong"],
		["well-formed and unknown", () => generateApiKey((count) => randomBytes(count))],
	])("gets AuthenticationError with status 401 for a key that is %s", async (_, wrongKey) => {
		const client = await newClient("free", { apiKey: wrongKey() });
		const error = await failureOf(client.chat.completions.create(hello));
		expect(error).toBeInstanceOf(AuthenticationError);
		expect(error).toMatchObject({ status: 401 });
	});

	it.each([
		[
			"an invalid request",
			(client: OpenAI) => client.chat.completions.create({ ...hello, temperature: 9 }),
			{ status: 422, code: "invalid_request", type: "invalid_request_error", param: "temperature" },
			/^422 temperature: /,
		],
		[
			"no messages",
			(client: OpenAI) => client.chat.completions.create({ ...hello, messages: [] }),
			{ status: 400, code: "no_messages" },
			/^400 messages is missing or empty$/,
		],
		[
			"an unknown model",
			(client: OpenAI) => client.models.retrieve("no-such-model"),
			{ status: 404, code: "model_not_found" },
			/^404 \w.*/,
		],
		[
			"what the provider refuses",
			(client: OpenAI) =>
				client.chat.completions.create({ ...hello, messages: [{ role: "user", content: "[[status 400]]" }] }),
			{ status: 400, code: "upstream_rejected", error: { provider: expect.any(String), upstream_status: 400 } },
			/^400 \w/,
		],
	])("shows message, code and fields of %s", async (_, ask, fields, message) => {
		const client = await newClient("corporate", { maxRetries: 0 });
		const error = await failureOf(ask(client));
		if (!(error instanceof APIError)) throw error;
		expect(error).toMatchObject(fields);
		expect(error.message).toMatch(message);
		expect(error.headers?.get("cache-control")).toBe("no-store");
	});

	it("shows message and code of a refused key and of an exceeded limit", async () => {
		const refused = await failureOf(
			(await newClient("free", { apiKey: "svc_sk_wrong" })).chat.completions.create(hello),
		);
		expect(refused).toMatchObject({ code: "invalid_api_key", message: "401 the API key is malformed" });
		const client = await newClient("free", { maxRetries: 0 });
		for (let requests = 0; requests < 10; requests++) await client.chat.completions.create(hello);
		const limited = await failureOf(client.chat.completions.create(hello));
		expect(limited).toMatchObject({
			code: "rate_limit_exceeded",
			message: expect.stringContaining("429 the Free plan allows 10 requests per minute"),
		});
	});

	it("sends an image, and a model that sees it answers", async () => {
		const client = await newClient("pro");
		const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
		const completion = await client.chat.completions.create({
			model: "auto",
			messages: [
				{
					role: "user",
					content: [
						{ type: "text", text: "What is in this picture?" },
						{ type: "image_url", image_url: { url: `data:image/png;base64,${pixel}`, detail: "low" } },
					],
				},
			],
		});
		expect(completion.choices[0]?.message.content).toContain("What is in this picture?");
		expect(await client.models.retrieve(completion.model)).toMatchObject({ capabilities: { vision: true } });
	});
});

describe("the openai client at the rate limit", () => {
	const FREE_RPM = 10;

	/** Uses up a free key's minute. */
	async function exhaust(client: OpenAI): Promise<void> {
		await Promise.all(Array.from({ length: FREE_RPM }, () => client.chat.completions.create(hello)));
	}

	it("gets RateLimitError with a Retry-After that is enough to wait", async () => {
		const client = await newClient("free", { maxRetries: 0 });
		const firstSentAtMs = Date.now();
		await exhaust(client);
		const error = await failureOf(client.chat.completions.create(hello));
		const refusedAtMs = Date.now();
		if (!(error instanceof RateLimitError)) throw error;
		expect(error.status).toBe(429);
		const waitMs = Number(error.headers.get("retry-after-ms"));
		expect(Number(error.headers.get("retry-after"))).toBe(Math.ceil(waitMs / 1000));
		// The client keeps to announced waits of at most a minute; beyond it, it would guess one.
		expect(waitMs).toBeLessThanOrEqual(60_000);
		// The oldest admission leaves the window a minute after it came in.
		expect(refusedAtMs + waitMs).toBeGreaterThanOrEqual(firstSentAtMs + 60_000);
		expect(error.headers.get("x-should-retry")).toBeNull();
	});

	// Real: the client with its retries, the service, the 429 with its body. Shortened: the wait of nearly a minute that the 429
	// announces is lowered to one second on its way to the client, and as the minute has then not passed, the second attempt
	// is let in as another, fresh user. A second is longer than the at most half second the client would wait by itself.
	it("waits as long as Retry-After says, tries again by itself and succeeds", async () => {
		const ANNOUNCED_MS = 1_000;
		const { key: freshKey } = await running().newKey("free");
		const exhausted = (await running().newKey("free")).key;
		const client = new OpenAI({ baseURL: `${running().url}/v1`, apiKey: exhausted });
		await exhaust(client);

		const attempts: { sentAtMs: number; answeredAtMs: number; status: number; realWaitMs: number }[] = [];
		const retrying = client.withOptions({
			fetch: async (input, init) => {
				const sentAtMs = performance.now();
				const headers = new Headers(init?.headers);
				if (attempts.length > 0) headers.set("authorization", `Bearer ${freshKey}`);
				const response = await fetch(input, { ...init, headers });
				const realWaitMs = Number(response.headers.get("retry-after-ms"));
				attempts.push({ sentAtMs, answeredAtMs: performance.now(), status: response.status, realWaitMs });
				if (response.status !== 429) return response;
				const shortened = new Headers(response.headers);
				shortened.set("retry-after", String(ANNOUNCED_MS / 1000));
				shortened.set("retry-after-ms", String(ANNOUNCED_MS));
				return new Response(response.body, { status: response.status, headers: shortened });
			},
		});
		const completion = await retrying.chat.completions.create(hello);
		expect(completion.choices[0]?.message.content).toContain("Say hello");
		expect(attempts.map(({ status }) => status)).toEqual([429, 200]);
		const [refused, served] = attempts;
		expect(refused?.realWaitMs).toBeGreaterThan(ANNOUNCED_MS);
		// Node's timers may fire a millisecond early.
		expect((served?.sentAtMs ?? 0) - (refused?.answeredAtMs ?? 0)).toBeGreaterThanOrEqual(ANNOUNCED_MS - 1);
	});
});

describe("a receipt, checked with node:crypto alone", () => {
	const withProof = z.object({
		svc: z.object({ proof: z.object({ request_id: z.string(), proof_hash: z.string(), salt: z.string() }) }),
	});

	// Text that any change of encoding, trimming or key order would break, and a member that validation does not know.
	const message = {
		role: "user" as const,
		content: ' Grüße, "Zoë" 👋\n\té ',
		trace: { z: [1e21, 0.1, -0], é: null, a: true },
	};

	async function receipted(): Promise<{ text: string; salt: string; proof: Proof; pems: ReadonlyMap<string, string> }> {
		const client = await newClient("pro");
		const completion = await client.chat.completions.create({ model: "auto", messages: [message] });
		const { salt, ...shown } = withProof.parse(completion).svc.proof;
		const proof = await fetchProof(running().url, completion.id);
		expect(shown).toEqual({ request_id: completion.id, proof_hash: proof.proof_hash });
		return { text: completion.choices[0]?.message.content ?? "", salt, proof, pems: await fetchPems(running().url) };
	}

	it("has the hash of its canonical JSON, and the service's signature over it", async () => {
		const { proof, pems } = await receipted();
		expect(sha256(canonical(proof.receipt))).toBe(proof.proof_hash);
		expect(isSound(proof, pems)).toBe(true);
		expect(proof).toMatchObject({ valid: true, signed: true, recomputed_hash: proof.proof_hash });
		expect(proof.receipt["request_id"]).toBe(proof.request_id);
	});

	it("commits to the messages sent and the text delivered", async () => {
		const { text, salt, proof } = await receipted();
		expect(proof.receipt["input_hash"]).toBe(
			saltedHash(salt, canonical({ type: "svc.input.v1", messages: [message] })),
		);
		expect(proof.receipt["output_hash"]).toBe(saltedHash(salt, text));
	});

	it("commits to the tool calls delivered", async () => {
		const client = await newClient("pro");
		const completion = await client.chat.completions.create({
			model: "auto",
			messages: [{ role: "user", content: "What is the weather like in Paris?" }],
			tools: [{ type: "function", function: { name: "get_weather", parameters: { type: "object" } } }],
		});
		const delivered = completion.choices[0]?.message;
		expect(delivered?.tool_calls).toHaveLength(1);
		const output = { type: "svc.output.v1", content: delivered?.content, tool_calls: delivered?.tool_calls };
		const { receipt } = await fetchProof(running().url, completion.id);
		expect(receipt["output_hash"]).toBe(saltedHash(withProof.parse(completion).svc.proof.salt, canonical(output)));
	});

	it("fails with any one member changed, whether its hash is kept or made anew", async () => {
		const { proof, pems } = await receipted();
		const members = Object.keys(proof.receipt);
		expect(members.length).toBeGreaterThan(20);
		expect(isSound(proof, pems)).toBe(true);
		for (const member of members) {
			const receipt = { ...proof.receipt, [member]: "changed" };
			expect(isSound({ ...proof, receipt }, pems), member).toBe(false);
			expect(isSound({ ...proof, receipt, proof_hash: sha256(canonical(receipt)) }, pems), member).toBe(false);
		}
	});
});
