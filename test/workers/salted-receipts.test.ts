// What strangers see of a request says nothing of its texts: neither a word of them, nor a hash that confirms a guess. Who has the
// salt can check them.
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { describeSingleAnswer } from "../../src/inference/accounting.ts";
import { callSetFor } from "../../src/inference/call-runner.edge.ts";
import { planCall } from "../../src/inference/plan.ts";
import { ReceiptInput } from "../../src/inference/receipt-input.edge.ts";
import { openSealedTexts, reasoningSealer } from "../../src/inference/sealed-reasoning.edge.ts";
import { meterClient } from "../../src/meter/meter-client.edge.ts";
import { postVerify, readTrajectory, runAgent } from "../support/agents.ts";
import { inProcessCaller } from "../support/caller.ts";
import { reserveCalls } from "../support/calls.ts";
import { always, killObject, onlyFor, useFaults } from "../support/faults.ts";
import { useService } from "../support/per-test.ts";
import { canonical, saltedHash, textHash } from "../support/second-ledger.ts";
import {
	call,
	callWithKey,
	chat,
	db,
	eventually,
	inMeter,
	meterOf,
	newKey,
	operator,
	proofOf,
	saltOf,
	settledCount,
	usageOf,
} from "../support/service.ts";
import { readStream } from "../support/sse.ts";

const { key } = useService("corporate");
let faults: { restore(): void } | undefined;
afterEach(() => {
	faults?.restore();
	faults = undefined;
	vi.restoreAllMocks();
});

type Json = Record<string, unknown>;

/** Stands in every prompt. The sandbox repeats much of what it is asked. */
const MARK = "plumquartz";

async function json<T>(response: Promise<Response>): Promise<T> {
	const answer = await response;
	const text = await answer.text();
	if (answer.status !== 200) throw new Error(`${answer.status} ${text}`);
	return JSON.parse(text) as T;
}

/** One request with the texts that its receipt has hashes of, and what they are hashed as. */
interface Asked {
	id: string;
	salt: string;
	input: string;
	output: string;
	others: string[];
}

interface Answered {
	id: string;
	choices: { message: { content: string } }[];
	svc: { proof: { request_id: string; salt: string } };
}

const hashedMessages = (content: string) => canonical({ type: "svc.input.v1", messages: [{ role: "user", content }] });

async function askChat(prompt: string): Promise<Asked> {
	const answer = await json<Answered>(chat(key.key, prompt));
	const output = answer.choices[0]?.message.content ?? "";
	return { id: answer.id, salt: answer.svc.proof.salt, input: hashedMessages(prompt), output, others: [prompt] };
}

async function askStreamed(prompt: string): Promise<Asked> {
	const { chunks, text } = await readStream(await chat(key.key, prompt, { stream: true }));
	const svc = chunks.at(-1)?.svc as unknown as Answered["svc"];
	const { request_id: id, salt } = svc.proof;
	return { id, salt, input: hashedMessages(prompt), output: text, others: [prompt] };
}

async function askResponse(input: string): Promise<Asked> {
	const answer = await json<{ output: { content?: { text: string }[] }[]; svc: Answered["svc"] }>(
		callWithKey(key.key, "/v1/responses", { model: "auto", input }),
	);
	const { request_id: id, salt } = answer.svc.proof;
	const output = answer.output.flatMap(({ content = [] }) => content.map(({ text }) => text)).join("");
	const hashed = canonical({ type: "svc.input.v2", entrance: "responses", body: { input } });
	return { id, salt, input: hashed, output, others: [input] };
}

async function askMessage(content: string): Promise<Asked> {
	const messages = [{ role: "user", content }];
	const answer = await json<{ content: { text: string }[]; svc: Answered["svc"] }>(
		callWithKey(key.key, "/v1/messages", { model: "auto", max_tokens: 200, messages }),
	);
	const { request_id: id, salt } = answer.svc.proof;
	const output = answer.content.map(({ text }) => text).join("");
	const hashed = canonical({ type: "svc.input.v2", entrance: "messages", body: { messages } });
	return { id, salt, input: hashed, output, others: [content] };
}

async function askPanel(prompt: string): Promise<Asked> {
	const body = { messages: [{ role: "user", content: prompt }], strategy: "ensemble_moa" };
	const answer = await json<Answered>(callWithKey(key.key, "/v2/orchestrate", body));
	const output = answer.choices[0]?.message.content ?? "";
	return { id: answer.id, salt: answer.svc.proof.salt, input: hashedMessages(prompt), output, others: [prompt] };
}

async function askCode(task: string): Promise<Asked> {
	const answer = await json<Answered & { files: { path: string; language: string; content: string; bytes: number }[] }>(
		callWithKey(key.key, "/v2/code", { task }),
	);
	const { salt } = answer.svc.proof;
	const files = answer.files.map(({ path, language, bytes, content }) => {
		return { path_hash: saltedHash(salt, path), language, bytes, hash: saltedHash(salt, content) };
	});
	const others = answer.files.flatMap(({ path, content }) => [path, content]);
	return { id: answer.id, salt, input: task, output: canonical({ type: "svc.files.v2", files }), others };
}

async function askRun(goal: string): Promise<Asked> {
	const run = await runAgent(key, { goal, policy: "efficiency" });
	const texts = await Promise.all(
		run.steps.map(({ index }) =>
			json<{ text: string }>(callWithKey(key.key, `/v1/agent/${run.run_id}/steps/${index}`)),
		),
	);
	const others = [...texts.map(({ text }) => text), ...run.plan];
	return { id: run.run_id, salt: run.salt ?? "", input: goal, output: run.output, others };
}

/** What anybody, or the operator, can see of the requests of a user. */
async function seenOf(asked: readonly Asked[], lines: readonly string[]): Promise<string> {
	const proofs = await Promise.all(asked.map(async ({ id }) => (await call(`/v1/proof/${id}`)).text()));
	await eventually(async () => (await settledCount(key)) === asked.length);
	await meterOf(key).flushNow();
	const sums = await db.prepare("SELECT * FROM usage_days WHERE user_id = ?").bind(key.user_id).all();
	expect(sums.results.length).toBeGreaterThan(0);
	const rows = await inMeter(key, (sql) =>
		["requests", "large_receipts", "day_sums"].map((table) => sql.exec(`SELECT * FROM ${table}`).toArray()),
	);
	const stored = [...rows, sums.results].map((table) => JSON.stringify(table));
	const operators = await Promise.all(
		["/internal/decisions", "/internal/usage", "/internal/keys"].map(async (path) =>
			(await operator("GET", path)).text(),
		),
	);
	const own = [JSON.stringify(await usageOf(key)), await (await callWithKey(key.key, "/v1/requests")).text()];
	return [...proofs, ...stored, ...operators, ...own, ...lines].join("\n");
}

describe("a marked word", () => {
	let lines: string[];
	beforeEach(() => {
		lines = [];
		for (const method of ["log", "warn", "error", "info", "debug"] as const)
			vi.spyOn(console, method).mockImplementation((...line: unknown[]) => void lines.push(line.join(" ")));
	});

	it("of a prompt or an answer stands in no receipt, row, list, export or log, and no unsalted hash of them", async () => {
		const asked = [
			await askChat(`Say ${MARK} hello`),
			await askStreamed(`Say ${MARK} twice`),
			await askResponse(`Say ${MARK} in a response`),
			await askMessage(`Say ${MARK} in a message`),
			await askPanel(`Say ${MARK} as a panel`),
			await askCode(`Write a Python function that returns "${MARK}" [[two files]]`),
			await askRun(`Name three ${MARK} rivers. Say where each begins. Put them in a table`),
		];
		const seen = await seenOf(asked, lines);
		expect(lines.length).toBeGreaterThanOrEqual(asked.length);
		expect(asked.some(({ output }) => output.includes(MARK))).toBe(true);
		expect(seen).not.toContain(MARK);
		for (const { id, salt, input, output, others } of asked) {
			const { receipt } = await proofOf(id);
			expect(receipt, id).toMatchObject({
				type: "svc.receipt.v2",
				input_hash: saltedHash(salt, input),
				output_hash: saltedHash(salt, output),
			});
			// The answers of the models that took part, and of each step.
			if (receipt["stages"] && receipt["kind"] !== "code")
				expect(JSON.stringify(receipt["stages"])).toContain(saltedHash(salt, output));
			expect(seen).not.toContain(salt);
			for (const text of [input, output, ...others]) {
				expect(seen).not.toContain(textHash(text));
				expect(seen).not.toContain(textHash(text).slice("sha256:".length));
			}
		}
		expect(new Set(asked.map(({ salt }) => salt)).size).toBe(asked.length);
	});
});

describe("the salt", () => {
	it("is given to the owner with the answer and the request's detail, and to nobody else", async () => {
		const { id, salt } = await askChat("Say hello");
		expect(await saltOf(key, id)).toBe(salt);
		const stranger = await newKey("pro");
		expect((await callWithKey(stranger.key, `/v1/requests/${id}`)).status).toBe(404);
		for (const path of [`/v1/proof/${id}`, "/v1/requests", "/v1/usage"])
			expect(await (await callWithKey(key.key, path)).text(), path).not.toContain(salt);
	});

	it("is the same when a run is asked for again under its idempotency key, and in its detail and its bundle", async () => {
		const once = await runAgent(key, { idempotency_key: "once" });
		const again = await runAgent(key, { idempotency_key: "once" });
		expect([again.run_id, again.salt]).toEqual([once.run_id, once.salt]);
		expect((await readTrajectory(key, once.run_id)).verify_request?.salt).toBe(once.salt);
		await eventually(async () => (await settledCount(key)) === 1);
		expect(await saltOf(key, once.run_id)).toBe(once.salt);
		const { data } = await json<{ data: Json[] }>(callWithKey(key.key, "/v1/agent/runs"));
		expect(data).toMatchObject([{ run_id: once.run_id }]);
		expect(JSON.stringify(data)).not.toContain(once.salt);
	});

	it("is null while the user's meter does not give it, beside all else", async () => {
		const { id, salt } = await askChat("Say hello");
		await eventually(async () => (await settledCount(key)) === 1);
		vi.spyOn(console, "error").mockImplementation(() => undefined);
		faults = useFaults({ ACCOUNT_METER: onlyFor(["salt"], always("fail")) });
		expect(await json(callWithKey(key.key, `/v1/requests/${id}`))).toMatchObject({ request_id: id, salt: null });
		faults.restore();
		expect(await saltOf(key, id)).toBe(salt);
	});

	it("that was ever given stays, though the object dies at any moment of making the key or using it", async () => {
		for (let round = 0; round < 12; round++) {
			const userId = `usr_dies_${round}`;
			const meter = meterClient(env.ACCOUNT_METER, userId);
			const asking = Promise.all(["a", "b", "a"].map((id) => meter.salt(`svc-${id}`).catch(() => null)));
			for (let turn = 0; turn < round; turn++) await Promise.resolve();
			await killObject(env.ACCOUNT_METER.getByName(userId) as unknown as DurableObjectStub<undefined>);
			const given = await asking;
			const now = await Promise.all(["a", "b", "a"].map((id) => meter.salt(`svc-${id}`)));
			expect(now[0]).toBe(now[2]);
			for (const [at, salt] of given.entries()) if (salt !== null) expect(salt).toBe(now[at]);
		}
	});

	it("of a request stays what it was when the object begins anew, and each request has its own", async () => {
		const before = await askChat("Say hello");
		await killObject(env.ACCOUNT_METER.getByName(key.user_id) as unknown as DurableObjectStub<undefined>);
		const after = await askChat("Say hello");
		expect(after.salt).not.toBe(before.salt);
		expect(await saltOf(key, before.id)).toBe(before.salt);
		expect((await proofOf(after.id)).receipt).toMatchObject({ output_hash: saltedHash(after.salt, after.output) });
	});
});

describe("a request whose process dies before it settled", () => {
	it("has a receipt that names no input, and an empty output over the salt of its request", async () => {
		const caller = await inProcessCaller(key);
		const call = { messages: [{ role: "user" as const, content: [{ type: "text" as const, text: MARK }] }], tools: [] };
		const limits = { output: { type: "text" as const }, maxTokens: 50, stop: [], sampling: {}, unknownFields: {} };
		const options = { model: CATALOG.models[0]?.id ?? "", mode: null, config: null, gate: null };
		const plan = planCall({ call: { ...call, ...limits }, options }, caller.account.plan, caller.settings, Date.now());
		if (!plan.ok) throw new Error(JSON.stringify(plan.failure));
		const reserve: typeof caller.funds.reserve = (reservation) =>
			caller.funds.reserve({ ...reservation, expiresAtMs: 1 });
		const purpose = {
			input: new ReceiptInput(MARK),
			configDigest: null,
			gate: null,
			describe: describeSingleAnswer(null),
		};
		const { settlement } = await reserveCalls({ ...caller, funds: { ...caller.funds, reserve } }, purpose, [
			callSetFor(plan.value, caller),
		]);
		await runDurableObjectAlarm(env.ACCOUNT_METER.getByName(key.user_id));
		await eventually(async () => (await settledCount(key)) === 1);
		const { valid, receipt } = await proofOf(caller.requestId);
		expect({ valid, receipt }).toMatchObject({
			valid: true,
			receipt: {
				type: "svc.receipt.v2",
				outcome: "cut",
				input_hash: null,
				output_hash: saltedHash(settlement.salt, ""),
			},
		});
		expect(await saltOf(key, caller.requestId)).toBe(settlement.salt);
	});
});

describe("texts at rest, without their key", () => {
	it("are not sealed and not stored, and the answer comes all the same", async () => {
		vi.spyOn(console, "error").mockImplementation(() => undefined);
		faults = useFaults({ ACCOUNT_METER: onlyFor(["subkey"], always("fail")) });
		const answer = await json<{ id: string; store: boolean; svc: { warnings: { code: string }[] } }>(
			callWithKey(key.key, "/v1/responses", { model: "auto", input: "Say hello" }),
		);
		expect(answer.store).toBe(false);
		expect(answer.svc.warnings).not.toEqual([]);
		faults.restore();
		expect((await callWithKey(key.key, `/v1/responses/${answer.id}`)).status).toBe(404);
	});

	it("are sealed and opened under a key that an isolate asks for once in five minutes", async () => {
		const owner = { userId: key.user_id };
		const seal = reasoningSealer(owner, { catalog: CATALOG }, env);
		const model = { modelId: CATALOG.models[0]?.id ?? "", account: "" };
		let asked = 0;
		const plan = onlyFor(["subkey"], () => {
			asked++;
			return "pass";
		});
		faults = useFaults({ ACCOUNT_METER: plan });
		const start = Date.now();
		const sealed = (await seal([{ type: "reasoning", text: "so" }], model)) ?? "";
		await openSealedTexts([sealed], owner, env);
		expect(asked).toBe(1);
		for (const [laterMs, times] of [
			[299_000, 1],
			[301_000, 2],
		] as const) {
			vi.spyOn(Date, "now").mockReturnValue(start + laterMs);
			expect((await openSealedTexts([sealed], owner, env)).get(sealed)).not.toBeNull();
			expect(asked).toBe(times);
		}
	});

	it("of reasoning are given to no client, and open again once the meter answers", async () => {
		const owner = { userId: key.user_id };
		const model = { modelId: CATALOG.models[0]?.id ?? "", account: "" };
		const seal = reasoningSealer(owner, { catalog: CATALOG }, env);
		vi.spyOn(console, "error").mockImplementation(() => undefined);
		faults = useFaults({ ACCOUNT_METER: onlyFor(["subkey"], always("fail")) });
		expect(await seal([{ type: "reasoning", text: "so" }], model)).toBeNull();
		faults.restore();
		const sealed = (await seal([{ type: "reasoning", text: "so" }], model)) ?? "";
		const opened = await openSealedTexts([sealed], owner, env);
		expect(opened.get(sealed)).toMatchObject({ parts: [{ type: "reasoning", text: "so" }] });
	});
});

describe("the raw output of an own run", () => {
	async function runAndBundle() {
		const run = await runAgent(key, { policy: "efficiency" });
		const { verify_request } = await readTrajectory(key, run.run_id);
		if (!verify_request) throw new Error("the trajectory has no bundle");
		const { salt, ...bundle } = verify_request;
		return { run, salt, bundle };
	}

	it("is checked with the run's salt, whether it is given or not", async () => {
		const { run, salt, bundle } = await runAndBundle();
		const holds = { valid: true, faults: [], issued: true };
		expect(await postVerify({ ...bundle, output: run.output })).toMatchObject(holds);
		expect(await postVerify({ ...bundle, output_hash: null, output: run.output })).toMatchObject(holds);
		expect(await postVerify({ ...bundle, salt, output: run.output })).toMatchObject(holds);
		expect(await postVerify(bundle)).toMatchObject(holds);
		const wrong = {
			valid: false,
			faults: ["output_hash_mismatch"],
			recomputed_proof: run.trajectory_proof,
			issued: true,
		};
		expect(await postVerify({ ...bundle, output: `${run.output} ` })).toMatchObject(wrong);
		expect(await postVerify({ ...bundle, output_hash: textHash(run.output), output: run.output })).toMatchObject(wrong);
		const ofAnother = { ...bundle, salt: "0".repeat(32), output: run.output };
		expect(await postVerify(ofAnother)).toMatchObject({
			valid: false,
			faults: ["output_hash_mismatch", "root_mismatch"],
		});
	});

	it("is confirmed to nobody who has no whole bundle", async () => {
		const { run, bundle } = await runAndBundle();
		const [first, ...rest] = bundle.steps;
		const without: Json[] = [
			{ ...bundle, steps: [], step_proofs: null },
			{ ...bundle, steps: rest, step_proofs: null },
			{ ...bundle, steps: [{ ...first, cost_usd: 9 }, ...rest] },
			{ ...bundle, step_proofs: bundle.step_proofs.toReversed() },
			{ ...bundle, trajectory_proof: textHash("another") },
		];
		for (const known of without) {
			const answers = await Promise.all(
				[run.output, "a guess"].map((output) => postVerify({ ...known, output_hash: null, output })),
			);
			expect(answers[0]).toMatchObject({ valid: false });
			expect(answers[1]).toEqual(answers[0]);
		}
	});

	it("is not judged while the meter with its salt is away", async () => {
		const { run, bundle } = await runAndBundle();
		await eventually(async () => (await settledCount(key)) === 1);
		faults = useFaults({ ACCOUNT_METER: onlyFor(["salt"], always("fail")) });
		expect(await postVerify({ ...bundle, output: run.output })).toMatchObject({ error: "storage_unavailable" });
		expect(await postVerify(bundle)).toMatchObject({ valid: true });
	});
});
