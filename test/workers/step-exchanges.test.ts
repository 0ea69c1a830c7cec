// What is kept of steps with tools: sealed, whole until the run's end, then up to a bound for each step, and gone with the texts of steps.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { exchangeHash, toExchange } from "../../src/agents/tools/exchange.ts";
import { toStepExchangeView } from "../../src/agents/tools/step-view.ts";
import { StoredCalls } from "../../src/agents/tools/stored-calls.edge.ts";
import type { ToolCall, ToolCallTexts } from "../../src/agents/tools/tool-call.ts";
import { textHash } from "../../src/proof/salted.ts";
import { toolCall } from "../support/tool-call.ts";

const SALT = "000102030405060708090a0b0c0d0e0f";
const hash = textHash(SALT);
const USER = "usr_1";
const SPEC = { runId: "agt_01ARZ3NDEKTSV4RRFFQ69G5FAV", tools: [] };
const MESSAGES = [{ role: "user" as const, content: "Send it." }];

function madeCall(
	n: number,
	step: number,
	texts: Partial<ToolCallTexts> = {},
): { call: ToolCall; texts: ToolCallTexts } {
	const whole = { arguments: `{"n":${n}}`, result: `result ${n}`, whole: null, ...texts };
	const call = toolCall({
		...{ id: `call_${n}`, step, place: n, modelId: `model_${n}`, state: "done" },
		argumentsHash: hash(whole.arguments),
		resultHash: whole.result === null ? null : hash(whole.result),
	});
	return { call, texts: whole };
}

/** Stored calls of two steps in an object of their own. */
function withCalls(
	name: string,
	calls: { call: ToolCall; texts: ToolCallTexts }[],
	work: (stored: StoredCalls, storage: DurableObjectStorage) => Promise<void>,
): Promise<void> {
	const object = env.AGENT_RUN.getByName(`run:${name}`) as unknown as DurableObjectStub<undefined>;
	return runInDurableObject(object, async (_, { storage }) => {
		StoredCalls.create(storage.sql);
		const stored = StoredCalls.load(storage.sql, SPEC);
		for (const step of [0, 1]) {
			const turn = {
				...{ turn: 0, steering: [{ turn: 0, id: "note", text: "Be short." }], note: null, model: "m" },
				parts: [
					{ type: "text" as const, text: `words of ${step}` },
					{ type: "tool_call" as const, id: "model_1", name: "send", arguments: "{}" },
				],
			};
			const changes = { opening: { messages: MESSAGES }, turn, calls: calls.filter(({ call }) => call.step === step) };
			const sealed = await stored.seal(env, USER, step, changes);
			storage.transactionSync(() => stored.store(sealed));
			stored.apply(sealed);
		}
		await work(stored, storage);
	});
}

/** A step as its owner reads it. */
async function readView(stored: StoredCalls, step: number) {
	const read = await stored.readStep(env, USER, step);
	return read && toStepExchangeView(read, SALT, hash);
}

describe("the exchange of a step with tools", () => {
	const calls = [madeCall(0, 0), madeCall(1, 0), madeCall(2, 1)];

	it("is read as it was stored, step by step, by an object that has just woken, too", async () => {
		await withCalls("agt_read", calls, async (stored, { sql }) => {
			for (const reader of [stored, StoredCalls.load(sql, SPEC)]) {
				const view = await readView(reader, 0);
				expect(view?.said).toEqual([{ turn: 0, text: "words of 0" }]);
				expect(view?.steering).toEqual([{ turn: 0, id: "note", text: "Be short." }]);
				expect(view?.calls.map(({ id, arguments: args, result, truncated }) => [id, args, result, truncated])).toEqual([
					["call_0", { n: 0 }, "result 0", false],
					["call_1", { n: 1 }, "result 1", false],
				]);
				const said = [{ turn: 0, text: "words of 0" }];
				const steering = [{ turn: 0, id: "note", text: "Be short." }];
				const own = calls.slice(0, 2).map(({ call }) => call);
				const exchange = toExchange({ messages: MESSAGES, said, steering }, own, hash);
				expect(view?.exchange).toEqual(exchange);
				expect(view?.input_hash).toBe(exchangeHash(exchange, hash));
				expect((await readView(reader, 1))?.calls.map(({ id }) => id)).toEqual(["call_2"]);
				expect(await readView(reader, 2)).toBe(null);
			}
		});
	});

	it("is stored sealed only, for one user", async () => {
		await withCalls("agt_sealed", calls, async (stored, { sql }) => {
			const rows = ["turns", "tool_calls"].flatMap((table) => sql.exec(`SELECT * FROM ${table}`).toArray());
			const text = rows
				.flatMap((row) => Object.values(row))
				.map((value) => (value instanceof ArrayBuffer ? new TextDecoder().decode(value) : String(value)))
				.join("\n");
			for (const secret of ["Send it.", "words of", "result 0", "Be short."]) expect(text).not.toContain(secret);
			await expect(stored.readStep(env, "usr_2", 0)).rejects.toThrow("does not open");
		});
	});

	it("keeps a bounded part of its texts after the run's end, and says which are not kept", async () => {
		const long = "x".repeat(400_000);
		const many = [0, 1, 2, 3].map((n) => madeCall(n, 0, { result: `${long}${n}`, whole: `${long}${long}` }));
		await withCalls("agt_bounded", [...many, madeCall(4, 1)], async (stored, { sql }) => {
			const bytes = stored.keptBytes;
			const before = await readView(stored, 0);
			stored.keepForReading();
			expect(stored.keptBytes).toBe(bytes);
			for (const reader of [stored, StoredCalls.load(sql, SPEC)]) {
				const view = await readView(reader, 0);
				expect(view?.calls.map(({ truncated }) => truncated)).toEqual([false, false, true, true]);
				expect(view?.calls[3]).toMatchObject({ arguments: null, result: null, state: "done" });
				// The hashes are whole.
				expect(view?.exchange).toEqual(before?.exchange);
				expect((await readView(reader, 1))?.calls[0]).toMatchObject({ arguments: { n: 4 }, truncated: false });
			}
			expect(sql.exec("SELECT * FROM tool_calls WHERE whole IS NOT NULL").toArray()).toEqual([]);
			expect(bytes).toBeLessThan(1_100_000);
			stored.keepForReading();
			expect(stored.keptBytes).toBe(bytes);
		});
	});

	it("is gone when it is deleted", async () => {
		await withCalls("agt_deleted", calls, async (stored) => {
			stored.deleteAll();
			expect(await readView(stored, 0)).toBe(null);
			expect([stored.keptBytes, stored.calls]).toEqual([0, []]);
		});
	});
});
