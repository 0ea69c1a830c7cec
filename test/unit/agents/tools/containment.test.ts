// What a run may still do unasked: every combination of what it has read and of what a call does.
import { describe, expect, it } from "vitest";
import { type ContainedCall, contain } from "../../../../src/agents/tools/containment.ts";
import { TOOL_EFFECTS } from "../../../../src/agents/tools/tool.ts";
import { DECISIONS } from "../../../../src/audit/event.ts";
import type { PolicyDecision } from "../../../../src/policy/decide.ts";
import { RISK_THRESHOLDS, toRiskTier } from "../../../../src/policy/factors.ts";

const BOTH = [false, true];
const CALLS: ContainedCall[] = TOOL_EFFECTS.flatMap((effects) =>
	BOTH.flatMap((reachesOut) =>
		BOTH.flatMap((isNamed) =>
			BOTH.flatMap((hasSecret) =>
				BOTH.flatMap((isTainted) =>
					BOTH.map((hasReadPrivate) => ({ effects, reachesOut, isNamed, hasSecret, isTainted, hasReadPrivate })),
				),
			),
		),
	),
);

function decided(decision: (typeof DECISIONS)[number]): PolicyDecision {
	const score = RISK_THRESHOLDS.find((row) => row.decision === decision)?.from ?? 0;
	const { tier } = toRiskTier(score);
	return { decision, risk_score: score, risk_tier: tier, factors: [], reason: `It is ${decision}.` };
}

describe("containment", () => {
	it("lets no write or external call of a tainted run pass unasked unless a pattern names it, and none after private data", () => {
		for (const call of CALLS) {
			const { decision } = contain(call, decided("allow"));
			const mayPass = call.effects === "read" || !call.isTainted || (call.isNamed && !call.hasReadPrivate);
			if (!mayPass) expect(decision, JSON.stringify(call)).not.toBe("allow");
		}
	});

	it("asks before a read goes to an address once private data was read, and before secrets are sent", () => {
		const calm = { isNamed: true, hasSecret: false, isTainted: true, hasReadPrivate: true, effects: "read" } as const;
		expect(contain({ ...calm, reachesOut: true }, decided("allow")).decision).toBe("approve");
		expect(contain({ ...calm, reachesOut: false }, decided("allow")).decision).toBe("allow");
		const sent = { ...calm, effects: "write", isTainted: false, hasSecret: true, reachesOut: false } as const;
		expect(contain(sent, decided("allow"))).toMatchObject({ decision: "confirm", rule: "secret" });
	});

	it("weakens no decision, keeps what is denied as it is, and leaves score, tier and decision of a piece", () => {
		for (const call of CALLS)
			for (const decision of DECISIONS) {
				const before = decided(decision);
				const after = contain(call, before);
				expect(after.risk_score).toBeGreaterThanOrEqual(before.risk_score);
				expect(toRiskTier(after.risk_score)).toEqual({ decision: after.decision, tier: after.risk_tier });
				if (decision === "deny") expect(after).toEqual({ ...before, rule: null });
			}
	});

	it("says nothing of a run that has read nothing and sends no secret", () => {
		for (const call of CALLS)
			if (!call.isTainted && !call.hasSecret)
				expect(contain(call, decided("allow"))).toEqual({ ...decided("allow"), rule: null });
	});
});
