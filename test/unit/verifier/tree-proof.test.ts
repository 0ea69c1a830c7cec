// What checking a saved tree proof says. The files are the second implementation's.
import { describe, expect, it } from "vitest";
import { allHold, type Finding } from "../../../src/verifier/findings.ts";
import { PROOF_KINDS } from "../../../src/verifier/kinds.ts";
import { signingKey } from "../../support/second-ed25519.ts";
import { type ChainEntry, chainEntry, checkpointNote, plainHandoff } from "../../support/second-ledger.ts";
import { consistencyPath, inclusionPath, leafOf, treeRoot } from "../../support/second-merkle.ts";

const key = signingKey(Buffer.alloc(32, 7));
const other = signingKey(Buffer.alloc(32, 8));
const OWNER = "0123456789abcdef";
const ORIGIN = `svc.test/${OWNER}/shop`;

const entries: ChainEntry[] = [];
for (let index = 0; index < 7; index++) entries.push(chainEntry(entries.at(-1), plainHandoff(index, OWNER), key));
const leaves = entries.map(({ subject }) => leafOf(subject));
const shown = (hash: Buffer) => `sha256:${hash.toString("hex")}`;
const rootAt = (size: number) => treeRoot(leaves.slice(0, size));
const noteAt = (size: number, origin = ORIGIN) => checkpointNote(origin, size, rootAt(size), key);

function inclusion(index: number, size: number) {
	return {
		...{ object: "handoff.proof", kind: "inclusion", size, index, leaf_hash: shown(leaves[index] as Buffer) },
		...{ root: shown(rootAt(size)), hashes: inclusionPath(index, leaves.slice(0, size)).map(shown) },
	};
}

function consistency(from: number, to: number) {
	return {
		...{ object: "handoff.proof", kind: "consistency", size: to, from, to, leaf_hash: null },
		...{ root: shown(rootAt(to)), hashes: consistencyPath(from, leaves.slice(0, to)).map(shown) },
	};
}

async function check(document: unknown, notes: readonly string[], keys: Uint8Array[] = [key.publicKey]) {
	const checkpoint = notes.length === 0 ? null : notes.join("\n");
	const findings: Finding[] = await PROOF_KINDS["tree-proof"].check(JSON.stringify(document), { keys, checkpoint });
	const faults = findings.filter(({ verdict }) => verdict === "FAIL").map(({ text }) => text);
	return { holds: allHold(findings), faults, texts: findings.map(({ text }) => text) };
}

describe("an inclusion proof", () => {
	it("holds for every leaf of every size, with the checkpoint of that size and the entry beside it", async () => {
		for (let size = 1; size <= entries.length; size++)
			for (let index = 0; index < size; index++) {
				const proof = { ...inclusion(index, size), entry: entries[index] };
				expect((await check(proof, [noteAt(size)])).faults, `${index} of ${size}`).toEqual([]);
			}
	});

	it("says that it does not show which handoff the leaf is, without the handoff", async () => {
		const { holds, texts } = await check(inclusion(2, 7), [noteAt(7)]);
		expect([holds, texts.at(-1)]).toEqual([true, expect.stringMatching(/^entry: the proof does not show which/)]);
	});

	it("does not hold for another leaf, place, path, root or entry", async () => {
		const proof = inclusion(2, 7);
		const changes = [
			{ leaf_hash: shown(leaves[3] as Buffer) },
			{ index: 3 },
			{ hashes: proof.hashes.slice(1) },
			{ hashes: [...proof.hashes].reverse() },
			{ root: shown(rootAt(6)) },
			{ entry: entries[3] },
			{ entry: { ...(entries[2] as ChainEntry), objective: "Hand on nothing" } },
		];
		for (const change of changes)
			expect((await check({ ...proof, ...change }, [noteAt(7)])).holds, JSON.stringify(change)).toBe(false);
	});

	it("does not hold without the checkpoint of its size, or with one that another key has signed", async () => {
		expect((await check(inclusion(2, 7), [])).faults).toEqual([expect.stringMatching(/^root: a checkpoint of size 7/)]);
		expect((await check(inclusion(2, 7), [noteAt(6)])).holds).toBe(false);
		expect((await check(inclusion(2, 7), [noteAt(7)], [other.publicKey])).holds).toBe(false);
		expect((await check(inclusion(2, 7), [noteAt(7)], [])).holds).toBe(false);
	});
});

describe("a consistency proof", () => {
	it("holds for every pair of sizes, with the checkpoints of both", async () => {
		for (let to = 1; to <= entries.length; to++)
			for (let from = 1; from <= to; from++)
				expect((await check(consistency(from, to), [noteAt(from), noteAt(to)])).faults, `${from}, ${to}`).toEqual([]);
	});

	it("does not hold where the history was rewritten, or a checkpoint is missing or of another log", async () => {
		const rewritten = checkpointNote(ORIGIN, 3, treeRoot([...leaves.slice(0, 2), leafOf("other")]), key);
		expect((await check(consistency(3, 7), [rewritten, noteAt(7)])).faults).toEqual([
			expect.stringMatching(/^consistency: the path does not show/),
		]);
		expect((await check(consistency(3, 7), [noteAt(7)])).faults).toEqual([
			expect.stringMatching(/^root: a checkpoint of size 3/),
		]);
		expect((await check(consistency(3, 7), [noteAt(3), noteAt(7, `svc.test/${OWNER}/till`)])).faults).toEqual([
			expect.stringMatching(/^checkpoints: are of several logs/),
		]);
	});
});

it("another document, or a root that is no hash, is no tree proof", async () => {
	for (const document of [{}, { ...inclusion(0, 1), root: "sha256:" }, { ...inclusion(0, 1), kind: "other" }])
		expect((await check(document, [noteAt(1)])).faults).toContain(
			"tree proof: is not what GET /v1/handoff/chain/{workspace_id}/proof answers",
		);
});

it("checkpoints are told apart where an editor has changed line breaks or added blank lines", async () => {
	const pasted = `\r\n${noteAt(3).replaceAll("\n", "\r\n")}\r\n\r\n${noteAt(7).trimEnd()}`;
	expect((await check(consistency(3, 7), [pasted])).faults).toEqual([]);
});
