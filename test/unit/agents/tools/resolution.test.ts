// Bodies of /resolve and what they change: a batch counts as a whole, and the same one again changes nothing.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { PendingEntry } from "../../../../src/agents/tools/pending.ts";
import {
	hashResolutions,
	type KnownPending,
	planResolutions,
	readBatch,
	resolutionFields,
} from "../../../../src/agents/tools/resolution.ts";
import { textHash } from "../../../../src/proof/salted.ts";

const schema = z.object(resolutionFields());
const hash = textHash("00112233445566778899aabbccddeeff");
const NOW_MS = 1_000;

const known = (id: string, kind: KnownPending["kind"], more: Partial<KnownPending> = {}): KnownPending => ({
	...{ id, kind, callId: kind === "plan" ? null : `call_${id}`, standing: "open", state: "dispatched" },
	...{ decided: null, expiresAtMs: 2_000, resolution: null, ...more },
});

const OPEN = [known("t", "client_tool"), known("a", "approval"), known("i", "input"), known("p", "plan")];
const PRESENT: PendingEntry[] = OPEN.map(({ id, kind }) => ({
	...{ id, kind, tool: null, action_digest: null, expires_at: "2026-11-29T00:00:00.000Z" },
}));

function plan(body: object, pendings = OPEN, nowMs = NOW_MS) {
	const batch = readBatch(schema.parse(body));
	if (!batch.ok) return batch;
	const hashed = hashResolutions(batch.value.resolutions, hash);
	if (!hashed.ok) return hashed;
	return planResolutions(hashed.value, new Map(pendings.map((pending) => [pending.id, pending])), PRESENT, nowMs);
}

const pathOf = (body: object) => {
	const planned = plan(body);
	return planned.ok || planned.failure.reason !== "invalid_request" ? planned : planned.failure.issues[0]?.path;
};

describe("a batch", () => {
	it("takes each kind in its form, and any JSON as an output", () => {
		const resolutions = [
			{ id: "t", output: null },
			{ id: "a", decision: "edit", arguments: { to: "x" } },
			{ id: "i", payload: "yes" },
			{ id: "p", decision: "reject", reason: "too dear" },
		];
		const planned = plan({ resolutions });
		expect(planned.ok && planned.value.map(({ pending }) => pending.id)).toEqual(["t", "a", "i", "p"]);
		expect(planned.ok && planned.value[0]?.resolution).toMatchObject({ output: "null", isError: false });
	});

	it.each<[object, string]>([
		[{}, "resolutions"],
		[{ resolutions: [{ id: "t" }] }, "resolutions.0"],
		[{ resolutions: [{ id: "t", output: "x", payload: "y" }] }, "resolutions.0"],
		[{ resolutions: [{ id: "t", output: "x".repeat(1_048_577) }] }, "resolutions.0.output"],
		[{ resolutions: [{ id: "a", decision: "approve", arguments: {} }] }, "resolutions.0.arguments"],
		[{ resolutions: [{ id: "a", decision: "edit" }] }, "resolutions.0.arguments"],
		[{ resolutions: [{ id: "i", payload: "x", is_error: true }] }, "resolutions.0.is_error"],
		[{ resolutions: [{ id: "a", output: "x" }] }, "resolutions.0"],
		[{ resolutions: [{ id: "t", decision: "approve" }] }, "resolutions.0"],
		[
			{
				resolutions: [
					{ id: "t", output: "x" },
					{ id: "gone", output: "x" },
				],
			},
			"resolutions.1.id",
		],
		[
			{
				resolutions: [
					{ id: "t", output: "x" },
					{ id: "t", output: "x" },
				],
			},
			"resolutions.1.id",
		],
	])("is refused whole: %#", (body, path) => {
		expect(pathOf(body)).toBe(path);
	});

	it("changes nothing where all of it was taken before, whatever the order of its members", () => {
		const first = plan({ resolutions: [{ id: "t", output: { a: 1, b: 2 } }] });
		const taken = first.ok ? first.value[0]?.hash : null;
		const settled = [known("t", "client_tool", { standing: "resolved", state: "done", resolution: taken ?? null })];
		expect(plan({ resolutions: [{ output: { a: 1, b: 2 }, id: "t" }] }, settled)).toEqual({ ok: true, value: [] });
		const changed = plan({ resolutions: [{ id: "t", output: { a: 1, b: 3 } }] }, settled);
		expect(changed).toMatchObject({ ok: false, failure: { reason: "action_conflict", id: "t", state: "done" } });
	});

	it.each(["expired", "closed", "resolved"] as const)("is refused where a pending is %s", (standing) => {
		const over = [...OPEN.slice(1), known("t", "client_tool", { standing, state: "failed", expiresAtMs: null })];
		const planned = plan(
			{
				resolutions: [
					{ id: "i", payload: "x" },
					{ id: "t", output: "x" },
				],
			},
			over,
		);
		expect(planned).toMatchObject({ ok: false, failure: { reason: "action_conflict", id: "t", pending: PRESENT } });
	});

	it.each([
		["reject", "rejected", "was rejected by key_1 at 2026-11-29T08:00:00.000Z, and its call is rejected; nothing"],
		[
			"edit",
			"done",
			"was approved with other arguments by key_1 at 2026-11-29T08:00:00.000Z, and its call is done; nothing",
		],
	] as const)("is told who decided before, and when: %s", (decision, state, message) => {
		const decided = { decision, keyId: "key_1", at: "2026-11-29T08:00:00.000Z" };
		const settled = [known("a", "approval", { standing: "resolved", state, decided })];
		const late = plan({ resolutions: [{ id: "a", decision: "approve" }] }, settled);
		const failure = { reason: "action_conflict", decided, message: expect.stringContaining(`a ${message}`) };
		expect(late).toMatchObject({ ok: false, failure });
	});

	it("is told what became of a plan as of a plan", () => {
		const decided = { decision: "edit", keyId: "key_1", at: "2026-11-29T08:00:00.000Z" } as const;
		const settled = [known("p", "plan", { standing: "resolved", state: "approved", decided })];
		const late = plan({ resolutions: [{ id: "p", decision: "reject" }] }, settled);
		const message = "p was edited and approved by key_1 at 2026-11-29T08:00:00.000Z; nothing of this request was taken";
		expect(late).toMatchObject({ ok: false, failure: { message: expect.stringContaining(message) } });
	});

	it("is late from the moment on that a pending expires", () => {
		const body = { resolutions: [{ id: "t", output: "x" }] };
		expect(plan(body, OPEN, 1_999).ok).toBe(true);
		expect(plan(body, OPEN, 2_000)).toMatchObject({ ok: false, failure: { reason: "action_conflict" } });
	});
});
