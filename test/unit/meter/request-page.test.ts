import { describe, expect, it } from "vitest";
import { isInRequestRange, selectRequests } from "../../../src/meter/request-page.ts";
import type { Settlement } from "../../../src/meter/settlement.ts";

const at = (second: number) =>
	`2026-01-01T00:${String(Math.floor(second / 60)).padStart(2, "0")}:${String(second % 60).padStart(2, "0")}.000Z`;

function settlement(second: number, model: string): Settlement {
	const request_id = `svc-${String(second).padStart(26, "0")}`;
	const call = { model, provider: "p", tokens: 3, input_tokens: 1, cost_nano_usd: 5 };
	return {
		usage: {
			...{
				request_id,
				user_id: "usr_1",
				api_key_id: "key_1",
				created_at: at(second),
				kind: "chat",
				model,
				provider: "p",
			},
			...{ mode: "direct", tokens: 6, input_tokens: 2, cost_nano_usd: 10, estimated: false, outcome: "complete" },
			...{ latency_ms: 1, fallback: false, calls: [call, { ...call, requests: 3 }] },
		},
		receipt: {
			...{ request_id, kind: "chat", proof_hash: "sha256:0", signature: null, key_id: null, created_at: at(second) },
			receipt: JSON.stringify({ reason: "named", fallback_from: null, bound_usd: 1 }),
		},
	};
}

const newestFirst = (count: number, model = "a") =>
	Array.from({ length: count }, (_, n) => settlement(count - n, model));
const page = (limit: number, filter = {}) => ({ filter, after: null, limit });

describe("the requests of a page", () => {
	it("are those that match, one more than fit, with the decision of their receipts and all of their calls", () => {
		const { entries, readTo } = selectRequests(newestFirst(5), page(2, { model: "a" }));
		expect(entries.map(({ created_at }) => created_at)).toEqual([at(5), at(4), at(3)]);
		expect(readTo).toEqual({ created_at: at(3), id: entries[2]?.request_id });
		expect(entries[0]).toMatchObject({ calls: 4, models: ["a"], isSigned: false });
		expect(entries[0]?.decision).toMatchObject({ reason: "named", bound_usd: 1, strategy: null });
		expect(Object.keys(entries[0] ?? {})).not.toContain("user_id");
	});

	it("are looked for among so many settlements, and the rest is not read", () => {
		let read = 0;
		const settlements = function* () {
			for (const each of newestFirst(3_000)) {
				read++;
				yield each;
			}
		};
		const { entries, readTo } = selectRequests(settlements(), page(2, { model: "b" }));
		expect(entries).toEqual([]);
		expect(read).toBe(2_000);
		expect(readTo?.created_at).toBe(at(1_001));
	});

	it("end with the last settlement where all were looked at", () => {
		expect(selectRequests(newestFirst(3), page(5, { kind: "skill" }))).toEqual({ entries: [], readTo: null });
		expect(selectRequests(newestFirst(3), page(3))).toMatchObject({ readTo: null, entries: { length: 3 } });
		expect(selectRequests(newestFirst(3), page(3, { apiKeyIds: ["key_2"] })).entries).toEqual([]);
	});
});

describe("the range of a page", () => {
	const position = { created_at: at(5), id: "b" };
	const isIn = (filter: object, after: typeof position | null = null) =>
		isInRequestRange(position, { filter, after, limit: 1 });

	it("begins at since, ends before until, and lies behind the cursor", () => {
		expect([isIn({}), isIn({ since: at(5) }), isIn({ since: at(6) })]).toEqual([true, true, false]);
		expect([isIn({ until: at(5) }), isIn({ until: at(6) })]).toEqual([false, true]);
		expect(isIn({}, position)).toBe(false);
		expect(isIn({}, { ...position, id: "c" })).toBe(true);
		expect(isIn({}, { ...position, id: "a" })).toBe(false);
		expect(isIn({}, { created_at: at(6), id: "a" })).toBe(true);
	});
});
