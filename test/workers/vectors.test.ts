/// <reference types="vite/types/importMeta.d.ts" />
// Vectors on the platform that serves: those of test/vectors everywhere, the published sets where they are on the machine.
// DSSE envelopes are not among them: nothing here uses them.
import * as noble from "@noble/ed25519";
import { hexToBytes as fromHex, bytesToHex as toHex } from "@noble/hashes/utils.js";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/proof/canonical.ts";
import { isSoundPoint, isSoundScalar } from "../../src/proof/ed25519-encoding.ts";
import { hashText } from "../../src/proof/hash.ts";
import {
	appendLeaf,
	consistencyProof,
	EMPTY_RANGE,
	inclusionProof,
	leafHash,
	merkleRoot,
	nodeHash,
	rangeRoot,
	verifyConsistency,
	verifyInclusion,
} from "../../src/proof/merkle.ts";
import { parseCheckpoint, parseNote, renderCheckpoint, signNote, toVkey, verifyNote } from "../../src/proof/note.ts";
import { createSigner, createVerifier, toKeyId } from "../../src/proof/signing.ts";
import { noteSharedData } from "../support/absent-data.ts";
import ledger from "../vectors/ledger.json" with { type: "json" };
import rfc8032 from "../vectors/rfc8032.json" with { type: "json" };
import rfc8785 from "../vectors/rfc8785.json" with { type: "json" };

const FOLDER = "../../../shared/data/vectors";
// A test in workerd has no file system: Vite hands the files over. The pattern must be a literal.
const files = import.meta.glob<string>("../../../shared/data/vectors/**/*.{json,txt}", {
	query: "?raw",
	import: "default",
});
const arePublishedThere = noteSharedData("vectors", Object.keys(files).length > 0);

async function published(path: string): Promise<string> {
	const load = files[`${FOLDER}/${path}`];
	if (!load) throw new Error(`${path} is missing among the published vectors`);
	return load();
}

const utf8 = (text: string) => new TextEncoder().encode(text);
const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

function doubleFromHex(hex: string): number {
	return new DataView(fromHex(hex.padStart(16, "0")).buffer).getFloat64(0);
}

describe("canonical JSON on workerd", () => {
	it.each(rfc8785.objects)("writes RFC 8785's example %#", ({ input, output }) => {
		expect(canonicalJson(JSON.parse(input))).toBe(output);
	});

	it("writes RFC 8785's numbers", () => {
		for (const [hex = "", text] of rfc8785.numbers) expect(canonicalJson(doubleFromHex(hex)), hex).toBe(text);
	});

	it.runIf(arePublishedThere)("writes the published files and 11,000 numbers", async () => {
		for (const name of ["arrays", "french", "structures", "unicode", "values", "weird"]) {
			const input = await published(`rfc8785/testdata/input/${name}.json`);
			expect(canonicalJson(JSON.parse(input))).toBe(await published(`rfc8785/testdata/output/${name}.json`));
		}
		const texts = await Promise.all(["1000", "10000"].map((size) => published(`rfc8785/es6-numbers-${size}.txt`)));
		const lines = texts.flatMap((text) => text.trim().split("\n"));
		const wrong = lines.filter((line) => {
			const [hex = "", text] = line.split(",");
			return canonicalJson(doubleFromHex(hex)) !== text;
		});
		expect(lines.length).toBe(11_000);
		expect(wrong).toEqual([]);
	});
});

/** One signature to judge, in hex. */
interface SignatureVector {
	pub: string;
	msg: string;
	sig: string;
}

function nativeVerdict({ pub, msg, sig }: SignatureVector): Promise<boolean> {
	return createVerifier(fromHex(pub)).verifyBytes(fromHex(msg), fromHex(sig));
}

/** noble's opinion behind the same checks of encodings. */
function nobleVerdict({ pub, msg, sig }: SignatureVector): boolean {
	const [key, signature] = [fromHex(pub), fromHex(sig)];
	return (
		signature.length === 64 &&
		isSoundPoint(key) &&
		isSoundPoint(signature.subarray(0, 32)) &&
		isSoundScalar(signature.subarray(32)) &&
		noble.verify(signature, fromHex(msg), key, { zip215: false })
	);
}

describe("Ed25519 on workerd", () => {
	it.each(rfc8032.vectors)("signs and verifies RFC 8032's message %#", async (vector) => {
		const seed = fromHex(vector.priv);
		const signer = createSigner(seed);
		expect(signer.publicKey).toEqual(fromHex(vector.pub));
		expect(await nativeVerdict(vector)).toBe(true);
		expect(nobleVerdict(vector)).toBe(true);
		const text = new TextDecoder().decode(fromHex(vector.msg));
		const isText = toHex(utf8(text)) === vector.msg;
		const signatures = isText
			? [await signer.sign(text), signer.signSync(text)].map((signature) => toHex(bytesOf(signature)))
			: [toHex(noble.sign(fromHex(vector.msg), seed))];
		expect(new Set(signatures)).toEqual(new Set([vector.sig]));
	});

	it("refuses a key of small order, under which the platform would take one signature for every text", async () => {
		const vector = {
			pub: `01${"00".repeat(31)}`,
			msg: toHex(utf8("anything")),
			sig: `${noble.Point.BASE.multiply(5n).toHex()}05${"00".repeat(31)}`,
		};
		const key = await crypto.subtle.importKey("raw", fromHex(vector.pub), "Ed25519", false, ["verify"]);
		expect(await crypto.subtle.verify("Ed25519", key, fromHex(vector.sig), fromHex(vector.msg))).toBe(true);
		expect(await nativeVerdict(vector)).toBe(false);
	});

	it.runIf(arePublishedThere)("judges 151 Wycheproof signatures as published, and noble agrees", async () => {
		const { testGroups } = JSON.parse(await published("wycheproof/ed25519_test.json")) as {
			testGroups: { publicKey: { pk: string }; tests: { tcId: number; msg: string; sig: string; result: string }[] }[];
		};
		let judged = 0;
		for (const { publicKey, tests } of testGroups) {
			for (const { tcId, msg, sig, result } of tests) {
				const vector = { pub: publicKey.pk, msg, sig };
				expect(await nativeVerdict(vector), `${tcId}`).toBe(result === "valid");
				expect(nobleVerdict(vector), `${tcId}, noble`).toBe(result === "valid");
				judged++;
			}
		}
		expect(judged).toBe(151);
	});

	it.runIf(arePublishedThere)("verifies and repeats RFC 8032's and 200 of Bernstein's signatures", async () => {
		const printed = JSON.parse(await published("rfc8032/rfc8032-ed25519.json")) as ({
			priv: string;
		} & SignatureVector)[];
		const lines = (await published("rfc8032/bernstein-sign.first200.txt")).trim().split("\n");
		const bernstein = lines.map((line) => {
			const [keys = "", pub = "", msg = "", signed = ""] = line.split(":");
			return { priv: keys.slice(0, 64), pub, msg, sig: signed.slice(0, 128) };
		});
		for (const vector of [...printed, ...bernstein]) {
			expect(await nativeVerdict(vector)).toBe(true);
			expect(nobleVerdict(vector)).toBe(true);
			expect(toHex(noble.sign(fromHex(vector.msg), fromHex(vector.priv)))).toBe(vector.sig);
		}
		expect(bernstein.length).toBe(200);
	});

	it.runIf(arePublishedThere)("refuses every one of ZIP-215's signatures: all are of small order", async () => {
		const vectors = JSON.parse(await published("rfc8032/zip215.json")) as { vk_bytes: string; sig_bytes: string }[];
		for (const { vk_bytes, sig_bytes } of vectors) {
			expect(isSoundPoint(fromHex(vk_bytes))).toBe(false);
			expect(await nativeVerdict({ pub: vk_bytes, msg: toHex(utf8("Zcash")), sig: sig_bytes })).toBe(false);
		}
		expect(vectors.length).toBe(196);
	});

	it.runIf(arePublishedThere)("accepts of the 12 edge cases only that which every check lets through", async () => {
		const vectors = JSON.parse(await published("rfc8032/edge-cases.json")) as {
			message: string;
			pub_key: string;
			signature: string;
		}[];
		const verdicts = await Promise.all(
			vectors.map(({ message, pub_key, signature }) => nativeVerdict({ pub: pub_key, msg: message, sig: signature })),
		);
		// "Taming the many EdDSAs", table 6: 0 to 2 small order; 3 mixed order, and the equation holds without the cofactor;
		// 4 and 5 only with it; 6 and 7 S above L; 8 and 9 R, 10 and 11 A not canonical and of small order.
		expect(verdicts.flatMap((verdict, at) => (verdict ? [at] : []))).toEqual([3]);
		expect(verdicts.length).toBe(12);
	});
});

const hashesOf = (proof: readonly string[] | null) => (proof ?? []).map(bytesOf);

describe.runIf(arePublishedThere)("Merkle trees on workerd", () => {
	it("have the published hashes and roots", async () => {
		const vectors = JSON.parse(await published("rfc6962/merkle-vectors.json")) as {
			leaf_inputs_hex: string[];
			root_hashes_hex: string[];
			hasher: { leaf_utf8?: string; left_utf8?: string; right_utf8?: string; want: string }[];
		};
		for (const { leaf_utf8, left_utf8, right_utf8 = "", want } of vectors.hasher) {
			const hash =
				left_utf8 !== undefined
					? nodeHash(utf8(left_utf8), utf8(right_utf8))
					: leaf_utf8 !== undefined
						? leafHash(utf8(leaf_utf8))
						: merkleRoot([]);
			expect(toHex(hash)).toBe(want);
		}
		const leaves = vectors.leaf_inputs_hex.map((hex) => leafHash(fromHex(hex)));
		let range = EMPTY_RANGE;
		for (const [size, root] of vectors.root_hashes_hex.entries()) {
			expect(toHex(merkleRoot(leaves.slice(0, size)))).toBe(root);
			expect(toHex(rangeRoot(range))).toBe(root);
			const leaf = leaves[size];
			if (leaf) range = appendLeaf(range, leaf);
		}
		expect(range.size).toBe(8);
	});

	it("pass the published probes and refuse the mutated ones", async () => {
		interface Probe {
			desc: string;
			proof: string[] | null;
			wantErr: boolean;
		}
		type InclusionProbe = Probe & { leafIdx: number; leafHash: string; root: string };
		const { inclusion, subtreeinclusion, consistency } = JSON.parse(await published("rfc6962/merkle-vectors.json")) as {
			inclusion: (InclusionProbe & { treeSize: number })[];
			subtreeinclusion: (InclusionProbe & { start: number; end: number })[];
			consistency: (Probe & { size1: number; size2: number; root1: string; root2: string })[];
		};
		// The tree of a subtree is a tree of its own, counted from its start.
		const inTrees = [
			...inclusion.map((probe) => ({ ...probe, start: 0, end: probe.treeSize })),
			...subtreeinclusion,
		].map((probe) => ({ ...probe, index: probe.leafIdx - probe.start, size: probe.end - probe.start }));
		for (const { index, size, leafHash, proof, root, wantErr, desc } of inTrees) {
			const claim = { index, size, leafHash: bytesOf(leafHash), proof: hashesOf(proof), root: bytesOf(root) };
			expect(verifyInclusion(claim), desc).toBe(!wantErr);
		}
		for (const { size1, size2, root1, root2, proof, wantErr, desc } of consistency) {
			const roots = { fromRoot: bytesOf(root1), toRoot: bytesOf(root2) };
			expect(verifyConsistency({ from: size1, to: size2, proof: hashesOf(proof), ...roots }), desc).toBe(!wantErr);
		}
		expect(inTrees.length + consistency.length).toBe(400);
	});
});

describe.runIf(arePublishedThere)("signed notes on workerd", () => {
	interface NoteVectors {
		signing: { skey: string; vkey: string; text: string; want_signature_line: string };
		bad_vkeys: string[];
		vectors: {
			name: string;
			note: string;
			vkeys: string[];
			expect: "ok" | "error" | "malformed" | "unverified";
			error?: string;
			verified?: string[];
			unverified?: string[];
		}[];
	}
	const read = async (): Promise<NoteVectors> => JSON.parse(await published("signed-note/note-vectors.json"));

	function refusal({ expect: expected, error = "" }: NoteVectors["vectors"][number]): string {
		if (expected !== "error") return expected === "malformed" ? "malformed_note" : "unverified";
		return error.startsWith("ambiguous") ? "ambiguous_key" : "invalid_signature";
	}

	it("are accepted and refused as golang.org/x/mod/sumdb/note does", async () => {
		const { vectors } = await read();
		for (const vector of vectors) {
			const verdict = await verifyNote(vector.note, vector.vkeys);
			if (vector.expect === "ok") {
				expect(verdict, vector.name).toMatchObject({
					outcome: "verified",
					verified: vector.verified?.map((name) => ({ name })),
					unknown: vector.unverified?.map((name) => ({ name })),
				});
			} else {
				expect(verdict, vector.name).toEqual({ outcome: refusal(vector) });
			}
			expect(parseNote(new Uint8Array([0xff, ...utf8(vector.note)])), "no UTF-8").toBeNull();
			expect(parseNote(utf8(vector.note))).toEqual(parseNote(vector.note));
		}
		expect(vectors.length).toBe(15);
	});

	it("are signed with the published bytes", async () => {
		const { signing } = await read();
		const [, , name = "", , ...key] = signing.skey.split("+");
		const signer = createSigner(bytesOf(key.join("+")).subarray(1));
		expect(toVkey(name, signer.publicKey)).toBe(signing.vkey);
		expect(signNote(signing.text, name, signer)).toBe(`${signing.text}\n${signing.want_signature_line}`);
	});

	it("are not verified with a verifier key that is none", async () => {
		const { bad_vkeys, vectors } = await read();
		for (const vkey of bad_vkeys) {
			expect(await verifyNote(vectors[0]?.note ?? "", [vkey])).toEqual({ outcome: "malformed_vkey" });
		}
	});
});

describe("the ledger that the second implementation wrote", () => {
	const signer = createSigner(fromHex(ledger.seed));
	const leaves = ledger.entries.map(({ subject }) => leafHash(utf8(subject)));

	it("has the same subjects, hashes and signatures here", async () => {
		expect(toHex(signer.publicKey)).toBe(ledger.public_key);
		expect(toKeyId(signer.publicKey)).toBe(ledger.key_id);
		const verifier = createVerifier(signer.publicKey);
		for (const { subject, hash, signature, key_id, owner, ...members } of ledger.entries) {
			const version = owner === null ? { type: "svc.handoff.v1" } : { type: "svc.handoff.v2", owner };
			expect(canonicalJson({ ...version, ...members })).toBe(subject);
			expect(hashText(subject)).toBe(hash);
			expect(signer.signSync(subject)).toBe(signature);
			expect(await signer.sign(subject)).toBe(signature);
			expect(await verifier.verify(subject, signature)).toBe(true);
			expect(key_id).toBe(ledger.key_id);
		}
		expect(ledger.entries.length).toBe(9);
	});

	it("has the same tree at every size", () => {
		expect(leaves.map((leaf) => toHex(leaf))).toEqual(ledger.leaf_hashes);
		let range = EMPTY_RANGE;
		for (const [size, root] of ledger.roots.entries()) {
			expect(toHex(merkleRoot(leaves.slice(0, size)))).toBe(root);
			expect(toHex(rangeRoot(range))).toBe(root);
			const leaf = leaves[size];
			if (leaf) range = appendLeaf(range, leaf);
		}
	});

	it("has the same proofs, and they hold", () => {
		const rootAt = (size: number) => fromHex(ledger.roots[size] ?? "");
		for (const { index, size, proof } of ledger.inclusion) {
			expect(inclusionProof(leaves, index, size).map((hash) => toHex(hash))).toEqual(proof);
			const leaf = leaves[index] ?? new Uint8Array();
			const claim = { index, size, leafHash: leaf, proof: proof.map(fromHex), root: rootAt(size) };
			expect(verifyInclusion(claim)).toBe(true);
		}
		for (const { from, to, proof } of ledger.consistency) {
			expect(consistencyProof(leaves, from, to).map((hash) => toHex(hash))).toEqual(proof);
			const roots = { fromRoot: rootAt(from), toRoot: rootAt(to) };
			expect(verifyConsistency({ from, to, proof: proof.map(fromHex), ...roots })).toBe(true);
		}
	});

	it("has the same checkpoint, and it verifies", async () => {
		const { origin, vkey, checkpoint } = ledger;
		const claim = { origin, size: leaves.length, root: merkleRoot(leaves) };
		expect(toVkey(origin, signer.publicKey)).toBe(vkey);
		expect(signNote(renderCheckpoint(claim), origin, signer)).toBe(checkpoint);
		expect(await verifyNote(checkpoint, [vkey])).toMatchObject({ outcome: "verified", text: renderCheckpoint(claim) });
		expect(parseCheckpoint(parseNote(checkpoint)?.text ?? "")).toEqual(claim);
	});
});
