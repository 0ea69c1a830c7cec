// Who may resolve what: all kinds, roles and relations to the beginning key, against the sentence of the reference.
import { describe, expect, it } from "vitest";
import { mayResolve, type ResolutionKind } from "../../../../src/agents/tools/may-resolve.ts";
import { PENDING_KINDS } from "../../../../src/agents/tools/pending.ts";
import { KEY_ROLES } from "../../../../src/http/endpoint.ts";

const KINDS: readonly ResolutionKind[] = [...PENDING_KINDS, "message"];
const BOOLEANS = [false, true];

const CASES = KINDS.flatMap((kind) =>
	KEY_ROLES.flatMap((role) =>
		// A key that began the run is always of its side.
		[
			{ isBeginner: false, isOfBeginner: false },
			{ isBeginner: false, isOfBeginner: true },
			{ isBeginner: true, isOfBeginner: true },
		].flatMap((relation) =>
			BOOLEANS.flatMap((isAsked) =>
				BOOLEANS.map((isForbidden) => ({
					kind,
					key: { keyId: "key_1", role, ...relation },
					rules: { isAsked, isForbidden },
				})),
			),
		),
	),
);

describe("a key resolves", () => {
	it("approvals and plans as an owner's or approver's that is not of the run's side, or where self-approval counts", () => {
		for (const { kind, key, rules } of CASES.filter(({ kind }) => kind === "approval" || kind === "plan")) {
			const isSelfApproval = key.isOfBeginner;
			const may = key.role !== "agent" && (!isSelfApproval || (rules.isAsked && !rules.isForbidden));
			const verdict = mayResolve(kind, key, rules);
			expect({ kind, key, rules, may: verdict.ok }).toEqual({ kind, key, rules, may });
			if (verdict.ok) expect(verdict.value).toEqual({ isSelfApproval });
		}
	});

	it("results, questions and messages as the key that began the run or an owner's, whatever is said of self-approval", () => {
		for (const { kind, key, rules } of CASES.filter(({ kind }) => kind !== "approval" && kind !== "plan")) {
			const may = key.role === "owner" || (key.role === "agent" && key.isBeginner);
			const verdict = mayResolve(kind, key, rules);
			expect({ kind, key, may: verdict.ok }).toEqual({ kind, key, may });
			if (verdict.ok) expect(verdict.value).toEqual({ isSelfApproval: false });
		}
	});

	it("nothing else, and is told in one sentence which key may", () => {
		const refusals = CASES.flatMap(({ kind, key, rules }) => {
			const verdict = mayResolve(kind, key, rules);
			return verdict.ok ? [] : [verdict.failure];
		});
		expect(refusals.length).toBeGreaterThan(0);
		for (const failure of refusals) {
			if (failure.reason !== "approval_forbidden") throw new Error(failure.reason);
			expect(failure.message).toMatch(
				/ takes (?:an owner's or approver's key|the key that began the run, or an owner's)/,
			);
			expect(failure.message).not.toMatch(/\. /);
		}
	});
});
