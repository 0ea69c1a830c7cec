import { describe, expect, it } from "vitest";
import type { ListedRequest } from "../../../src/meter/request-page.ts";
import { toSettlementDetail } from "../../../src/meter/stored-request.ts";
import { toRequestDetailView, toRequestView } from "../../../src/usage/request-views.ts";

const { request: REQUEST, calls: CALLS } = toSettlementDetail({
	usage: {
		...{ request_id: "svc-1", user_id: "usr_1", api_key_id: "key_1", created_at: "2026-01-01T00:00:00.000Z" },
		...{ kind: "chat", model: "b", provider: "p", mode: "balanced", tokens: 10, input_tokens: 4, cost_nano_usd: 1 },
		...{ estimated: false, outcome: "complete", latency_ms: 5, fallback: false },
		calls: [
			{ model: "b", provider: "p", tokens: 6, input_tokens: 2, cost_nano_usd: 1 },
			{ model: "a", provider: "p", tokens: 4, input_tokens: 2, cost_nano_usd: 0, requests: 3 },
		],
	},
	receipt: {
		...{ request_id: "svc-1", kind: "chat", proof_hash: "sha256:0", signature: "s", key_id: "k", created_at: "" },
		receipt: "{}",
	},
});

const viewOf = (more: Partial<ListedRequest>) => toRequestView({ ...REQUEST, ...more });
const from = (fallback_from: string | null) => ({ decision: { ...REQUEST.decision, fallback_from } });

describe("a request's view", () => {
	it("is exact to the nano-dollar, and never shows its user", () => {
		const view = toRequestDetailView({ request: REQUEST, calls: CALLS });
		expect(view).toMatchObject({ cost_usd: 1e-9, output_tokens: 6, calls: 4, models: ["a", "b"], signed: true });
		expect(view.call_costs.map(({ model, calls }) => [model, calls])).toEqual([
			["b", 1],
			["a", 3],
		]);
		expect(JSON.stringify(view)).not.toContain("usr_1");
	});

	it("names the model that was asked for where one was: also where another served", () => {
		expect(viewOf({}).requested_model).toBeNull();
		expect(viewOf(from("a")).requested_model).toBeNull();
		expect(viewOf({ mode: "direct" }).requested_model).toBe("b");
		expect(viewOf({ mode: "direct", ...from("a") }).requested_model).toBe("a");
	});

	it("says that an answer was cut, which is not that its client has left", () => {
		expect(viewOf({ outcome: "cut" }).truncated).toBe(true);
		expect(viewOf({ outcome: "client_closed" }).truncated).toBe(false);
	});
});
