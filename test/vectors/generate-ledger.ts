// Writes ledger.json, the vectors of the ledger, from the second implementation:
// node test/vectors/generate-ledger.ts && npx biome check --write test/vectors
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { signingKey } from "../support/second-ed25519.ts";
import { type ChainEntry, chainEntry, checkpointNote, type Handoff, vkeyOf } from "../support/second-ledger.ts";
import { consistencyPath, inclusionPath, leafOf, sha256, treeRoot } from "../support/second-merkle.ts";

const SEED = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";
const USER = "usr_vectors";
/** As entries and the origin name the user. */
const OWNER = sha256(USER).toString("hex").slice(0, 16);
const ORIGIN = `svc.example/${OWNER}/ws-vectors`;
const SIZE = 9;
/** The first entry that names the owner: a chain of version 1 that goes on as version 2. */
const FIRST_OWNED = 4;
/** The size of the tree that RFC 6962, section 2.1.3, draws. */
const DRAWN_SIZE = 7;

const OBJECTIVES = [
	"Start",
	"Naïve café: 日本語, 😀 and \u0000 \u001f \u007f \u2028",
	'quotes " and \\ slashes /',
	" leading and trailing ",
	"x".repeat(500),
	"é", // as one code point …
	"e\u0301", // … and as two: not the same text
	"\ufb33 \ud83d\ude00",
	"End",
];
const COSTS = [null, 0, 0.1, 1e-9, 12.5, 1e21, 0.000001, 333333333.3333333, 5e-324];
const TIERS = ["auto", "confirm", "approve", "block"];

function handoff(index: number): Handoff {
	const digit = index.toString();
	return {
		id: `ho_01K000000000000000000000${digit.padStart(2, "0")}`,
		workspace_id: "ws-vectors",
		owner: index < FIRST_OWNED ? null : OWNER,
		objective: OBJECTIVES[index] ?? "",
		from_tool: index === 0 ? null : `tool-${index - 1}`,
		to_tool: index === SIZE - 1 ? null : `tool-${index}`,
		files_touched: Array.from({ length: index % 3 }, (_, file) => `src/${file}.ts`),
		constraints: index % 2 === 0 ? [] : ["same", "same"],
		risks: index % 4 === 1 ? [{ id: "r1", description: "" }] : [],
		validation: index % 4 === 2 ? [{ id: "v1", description: "tests" }] : [],
		recommended_next_action: index % 2 === 0 ? null : "",
		action_kind: ["edit", "refactor", "deploy", "review", "setup"][index % 5] ?? "edit",
		est_cost: COSTS[index] ?? null,
		risk: { score: index * 12, tier: TIERS[index % 4] ?? "auto", factors: index % 4 === 0 ? [] : ["b", "a"] },
		created_at: `2026-11-21T00:00:0${digit}.000Z`,
	};
}

const hex = (hashes: readonly Buffer[]) => hashes.map((hash) => hash.toString("hex"));

/** A chain of nine signed entries with its tree, a checkpoint and proofs. */
export function ledgerVectors() {
	const key = signingKey(Buffer.from(SEED, "hex"));
	const entries: ChainEntry[] = [];
	for (let index = 0; index < SIZE; index++) entries.push(chainEntry(entries.at(-1), handoff(index), key));
	const leaves = entries.map(({ subject }) => leafOf(subject));
	const sizes = Array.from({ length: SIZE + 1 }, (_, size) => size);
	return {
		source: "test/vectors/generate-ledger.ts, the second implementation; the seed is that of RFC 8032's second test",
		seed: SEED,
		public_key: key.publicKey.toString("hex"),
		key_id: key.keyId,
		user_id: USER,
		origin: ORIGIN,
		vkey: vkeyOf(ORIGIN, key.publicKey),
		entries,
		leaf_hashes: hex(leaves),
		roots: hex(sizes.map((size) => treeRoot(leaves.slice(0, size)))),
		checkpoint: checkpointNote(ORIGIN, SIZE, treeRoot(leaves), key),
		inclusion: [DRAWN_SIZE, SIZE].flatMap((size) =>
			sizes.slice(0, size).map((index) => ({ index, size, proof: hex(inclusionPath(index, leaves.slice(0, size))) })),
		),
		consistency: [DRAWN_SIZE, SIZE].flatMap((to) =>
			sizes.slice(1, to + 1).map((from) => ({ from, to, proof: hex(consistencyPath(from, leaves.slice(0, to))) })),
		),
	};
}

if (import.meta.main) {
	writeFileSync(join(import.meta.dirname, "ledger.json"), `${JSON.stringify(ledgerVectors(), null, 2)}\n`);
}
