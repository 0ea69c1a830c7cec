// Snapshots: sums and the last handoffs in the shape of docs/reference/workspaces.md, "Workspaces"; and the answers' schemas.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultManifest, manifestDigest } from "../../../src/policy/manifest.ts";
import { generateArtifacts } from "../../../src/workspace/artifacts.ts";
import { scoreReadiness } from "../../../src/workspace/readiness.ts";
import {
	artifactsResultSchema,
	manifestResultSchema,
	readinessResultSchema,
	snapshotResultSchema,
} from "../../../src/workspace/schemas.ts";
import { type HandoffSummary, HandoffSums, toSnapshot } from "../../../src/workspace/snapshot.ts";

const INTACT = { ok: true, n: 0, first_broken_index: null, reasons: [] };

function handoff(id: string) {
	return {
		id,
		objective: "Speed up the order list",
		from_tool: "editor",
		to_tool: null,
		created_at: "2026-01-02T03:04:05.678Z",
		risk_tier: "confirm",
		risk_score: 35,
		signed: true,
	};
}

/** The sums of some handoffs, keeping the last two. */
function sumsOf(...handoffs: HandoffSummary[]): HandoffSums {
	const sums = new HandoffSums(2);
	for (const one of handoffs) sums.add(one);
	return sums;
}

describe("a snapshot", () => {
	it("of an empty workspace has every tier at 0, no average and no signed share", () => {
		const snapshot = toSnapshot("acme/web", sumsOf(), INTACT);
		expect(snapshot).toEqual({
			object: "workspace.snapshot",
			workspace_id: "acme/web",
			count: 0,
			risk_distribution: { auto: 0, confirm: 0, approve: 0, block: 0, unknown: 0 },
			avg_risk_score: null,
			signed_share: 0,
			integrity: INTACT,
			tail: [],
		});
		expect(snapshotResultSchema.parse(snapshot)).toEqual(snapshot);
	});

	it("sums what it was shown, keeps the last in order and passes the verdict on", () => {
		const integrity = { ok: false, n: 7, first_broken_index: 1, reasons: ["hash_mismatch:1"] };
		const rows = [
			{ ...handoff("ho_1"), risk_tier: "auto", risk_score: 10 },
			{ ...handoff("ho_2"), risk_tier: null, risk_score: null },
			{ ...handoff("ho_3"), risk_tier: "severe", risk_score: 20, signed: false },
			{ ...handoff("ho_4"), risk_tier: "block", risk_score: 20 },
		];
		const snapshot = toSnapshot("acme/web", sumsOf(...rows), integrity);
		expect(snapshot).toMatchObject({
			count: 4,
			risk_distribution: { auto: 1, confirm: 0, approve: 0, block: 1, unknown: 2 },
			avg_risk_score: 16.67,
			signed_share: 3 / 4,
			integrity,
			tail: rows.slice(2),
		});
		expect(snapshotResultSchema.parse(snapshot)).toEqual(snapshot);
	});

	it("says that all are signed only when all are", () => {
		const share = (unsigned: number) => {
			const sums = new HandoffSums(0);
			for (let i = 0; i < 100_000; i++) sums.add({ ...handoff("ho_1"), signed: i >= unsigned });
			return toSnapshot("w", sums, INTACT).signed_share;
		};
		expect(share(1)).toBeLessThan(1);
		expect(share(0)).toBe(1);
	});

	it("loses no handoff between the tiers", () => {
		const tiers = fc.array(fc.constantFrom(null, "auto", "confirm", "approve", "block", "toString", ""));
		fc.assert(
			fc.property(tiers, (tiers) => {
				const sums = sumsOf(...tiers.map((risk_tier) => ({ ...handoff("ho_1"), risk_tier })));
				const { risk_distribution } = toSnapshot("w", sums, INTACT);
				expect(Object.values(risk_distribution).reduce((sum, part) => sum + part, 0)).toBe(tiers.length);
			}),
		);
	});
});

describe("the schemas of the other answers", () => {
	const manifest = defaultManifest("acme/web");

	it("take what the cores return, with policy_updated", () => {
		const ledger = { handoffs: 0, signedShare: null, ok: true, signingEnabled: false };
		const reading = { protects: () => () => false, forbids: () => () => false };
		const scored = { ...scoreReadiness(manifest, ledger, reading), policy_updated: true };
		expect(readinessResultSchema.parse(scored)).toEqual(scored);
		const generated = {
			...generateArtifacts(manifest, { protectedPaths: [], forbiddenCommands: [] }),
			policy_updated: false,
		};
		expect(artifactsResultSchema.parse(generated)).toEqual(generated);
	});

	it("take a manifest with its digest, stored or not", () => {
		const answer = {
			object: "workspace.manifest",
			workspace_id: "acme/web",
			source: "default",
			version: null,
			digest: manifestDigest(manifest),
			updated_at: null,
			manifest,
		};
		expect(manifestResultSchema.parse(answer)).toEqual(answer);
		expect(manifestResultSchema.safeParse({ ...answer, digest: "sha256:abc" }).success).toBe(false);
	});
});
