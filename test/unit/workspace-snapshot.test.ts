// Snapshots: sums and the last handoffs in the shape of spec 2.9; and the answers' schemas.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { generateArtifacts } from "../../src/workspace/artifacts.ts";
import { defaultManifest, manifestDigest } from "../../src/workspace/manifest.ts";
import { readiness } from "../../src/workspace/readiness.ts";
import {
	artifactsResultSchema,
	manifestResultSchema,
	readinessResultSchema,
	snapshotResultSchema,
} from "../../src/workspace/schemas.ts";
import { snapshotOf } from "../../src/workspace/snapshot.ts";

const INTACT = { ok: true, n: 0, first_broken_index: null, reasons: [] };
const NONE = { count: 0, signed: 0, riskScoreSum: 0, riskScoreCount: 0, tiers: [] };

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

describe("a snapshot", () => {
	it("of an empty workspace has every tier at 0, no average and no signed share", () => {
		const snapshot = snapshotOf({ workspaceId: "acme/web", aggregates: NONE, tail: [], integrity: INTACT });
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

	it("sums what the store counted, keeps the tail's order and passes the verdict on", () => {
		const integrity = { ok: false, n: 7, first_broken_index: 3, reasons: ["hash_mismatch:3"] };
		const snapshot = snapshotOf({
			workspaceId: "acme/web",
			aggregates: {
				count: 7,
				signed: 6,
				riskScoreSum: 100,
				riskScoreCount: 6,
				tiers: [
					{ tier: "auto", count: 3 },
					{ tier: "block", count: 2 },
					{ tier: null, count: 1 },
					{ tier: "severe", count: 1 },
				],
			},
			tail: [handoff("ho_6"), handoff("ho_7")],
			integrity,
		});
		expect(snapshot).toMatchObject({
			count: 7,
			risk_distribution: { auto: 3, confirm: 0, approve: 0, block: 2, unknown: 2 },
			avg_risk_score: 16.67,
			signed_share: 6 / 7,
			integrity,
		});
		expect(snapshot.tail).toEqual([handoff("ho_6"), handoff("ho_7")]);
		expect(snapshotResultSchema.parse(snapshot)).toEqual(snapshot);
	});

	it("says that all are signed only when all are", () => {
		const share = (signed: number, count: number) =>
			snapshotOf({ workspaceId: "w", aggregates: { ...NONE, count, signed }, tail: [], integrity: INTACT })
				.signed_share;
		expect(share(999_999, 1_000_000)).toBeLessThan(1);
		expect(share(1_000_000, 1_000_000)).toBe(1);
	});

	it("shows of a row what the summary has and nothing else", () => {
		const row = { ...handoff("ho_1"), subject: "private", user_id: "usr_1" };
		const { tail } = snapshotOf({ workspaceId: "w", aggregates: NONE, tail: [row], integrity: INTACT });
		expect(tail).toEqual([handoff("ho_1")]);
	});

	it("loses no handoff between the tiers", () => {
		const tiers = fc.array(
			fc.record({
				tier: fc.constantFrom(null, "auto", "confirm", "approve", "block", "toString", ""),
				count: fc.nat(1000),
			}),
		);
		fc.assert(
			fc.property(tiers, (tiers) => {
				const count = tiers.reduce((sum, row) => sum + row.count, 0);
				const { risk_distribution } = snapshotOf({
					workspaceId: "w",
					aggregates: { ...NONE, count, tiers },
					tail: [],
					integrity: INTACT,
				});
				expect(Object.values(risk_distribution).reduce((sum, part) => sum + part, 0)).toBe(count);
			}),
		);
	});
});

describe("the schemas of the other answers", () => {
	const manifest = defaultManifest("acme/web");

	it("take what the cores return, with policy_updated", () => {
		const ledger = { handoffs: 0, signedShare: null, ok: true, signingEnabled: false };
		const reading = { protects: () => () => false, forbids: () => () => false };
		const scored = { ...readiness(manifest, ledger, reading), policy_updated: true };
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
			digest: manifestDigest(manifest),
			updated_at: null,
			manifest,
		};
		expect(manifestResultSchema.parse(answer)).toEqual(answer);
		expect(manifestResultSchema.safeParse({ ...answer, digest: "sha256:abc" }).success).toBe(false);
	});
});
