// `npm run verify` as a process: what it prints of saved files, and what it ends with. What each check finds is tested in
// ../verifier.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { signingKey } from "../../support/second-ed25519.ts";
import { canonical, saltedHash, textHash } from "../../support/second-ledger.ts";

const COMMAND = join(import.meta.dirname, "../../../src/cli/verify.ts");
const dir = mkdtempSync(join(tmpdir(), "svc-verify-"));
afterAll(() => rmSync(dir, { recursive: true }));

let files = 0;

/** A file with a text. */
function fileOf(content: unknown): string {
	const file = join(dir, String(files++));
	writeFileSync(file, typeof content === "string" || Buffer.isBuffer(content) ? content : JSON.stringify(content));
	return file;
}

function run(...args: string[]) {
	const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], { encoding: "utf8" });
	return { status, lines: stdout.split("\n").filter((line) => line !== ""), stderr };
}

const failed = (lines: readonly string[]) => lines.filter((line) => line.startsWith("FAIL"));

const key = signingKey(Buffer.alloc(32, 7));
const raw = key.publicKey.toString("base64");
const der = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), key.publicKey]).toString("base64");
const pem = `-----BEGIN PUBLIC KEY-----\n${der}\n-----END PUBLIC KEY-----\n`;
const published = { object: "proof.pubkey", keys: [{ key_id: key.keyId, public_key: raw, pem }] };

const receipt = { type: "svc.receipt.v1", kind: "chat", request_id: "svc-01ARZ3NDEKTSV4RRFFQ69G5FAV", cost_usd: 0.01 };
const proof_hash = textHash(canonical(receipt));
const proof = {
	object: "proof",
	request_id: receipt.request_id,
	proof_hash,
	signature: key.sign(proof_hash),
	key_id: key.keyId,
	receipt,
};

describe("npm run verify", () => {
	it.each([[["receipt"]], [["constructor", "x.json"]], [["receipt", "a", "b"]], [[]]])(
		"%j is answered with the usage",
		(args) => {
			const usage = "usage: npm run verify -- receipt|run|trajectory|step|chain|checkpoint|tree-proof FILE";
			expect(run(...args)).toMatchObject({ status: 2, lines: [], stderr: expect.stringContaining(usage) });
		},
	);

	it("prints a line for each finding, and ends with 0 only when all of them hold", () => {
		const sound = run("receipt", fileOf(proof), "--pubkey", raw);
		expect([sound.status, sound.lines.length, failed(sound.lines)]).toEqual([0, 3, []]);
		const broken = run("receipt", fileOf({ ...proof, signature: null }), "--pubkey", raw);
		expect([broken.status, failed(broken.lines)]).toEqual([1, ["FAIL  signature: the receipt is not signed"]]);
	});

	it.each([
		["PEM", pem],
		["a file of PEM", fileOf(pem)],
		["a file of base64", fileOf(`${raw}\n`)],
		["what GET /v1/proof/pubkey answers", JSON.stringify(published)],
		["a file of what it answers", fileOf(published)],
	])("takes the public key as %s", (_, given) => {
		expect(run("receipt", fileOf(proof), `--pubkey=${given}`).status).toBe(0);
	});

	it("takes a file as Windows writes it", () => {
		const utf16 = fileOf(Buffer.from(`\ufeff${JSON.stringify(proof, null, 1).replaceAll("\n", "\r\n")}`, "utf16le"));
		expect(run("receipt", utf16, "--pubkey", fileOf(`\ufeff${pem.replaceAll("\n", "\r\n")}`)).status).toBe(0);
	});

	it("ends with 1 for a file that holds no proof at all", () => {
		const faults: [string | Buffer, string][] = [
			["{", "the file is not valid JSON"],
			["", "the file is empty"],
			["<!doctype html><title>503</title>", "the file is not valid JSON"],
			[Buffer.from([0x22, 0xff, 0x22]), "the file is no text, neither UTF-8 nor UTF-16"],
			[
				JSON.stringify({ ...proof, receipt: { ...receipt, kind: "\ud800" } }),
				"what the file holds has no hash: a string holds a lone surrogate",
			],
			[
				JSON.stringify(proof).replace("{", '{"receipt":{"type":"svc.receipt.v1"},'),
				'the file has the member "receipt" twice in one object (line 1, column ',
			],
		];
		for (const [content, said] of faults) {
			const { status, lines, stderr } = run("receipt", fileOf(content), "--pubkey", raw);
			expect([status, lines.length, lines[0]?.startsWith(`FAIL  ${said}`), stderr], said).toEqual([1, 1, true, ""]);
		}
	});

	it("ends with 2 where nothing was checked: no such file, no file at all, no key", () => {
		expect(run("receipt", join(dir, "nope"))).toMatchObject({ status: 2, lines: [] });
		expect(run("receipt", dir)).toMatchObject({ status: 2, lines: [] });
		expect(run("receipt", fileOf(proof), "--frob")).toMatchObject({ status: 2, lines: [] });
		for (const given of ["AAAA", pem.replace("MC", "MA").slice(0, -40), '{"keys":[]}', ""])
			expect(run("receipt", fileOf(proof), `--pubkey=${given}`), given).toMatchObject({
				status: 2,
				stderr: expect.stringContaining("--pubkey is no Ed25519 public key"),
			});
	});

	it("compares the texts of files with a receipt, and takes none for a chain", () => {
		const salt = "000102030405060708090a0b0c0d0e0f";
		const input_hash = saltedHash(salt, "Is it so?");
		const members = { ...receipt, type: "svc.receipt.v2", input_hash, output_hash: saltedHash(salt, "yes") };
		const hash = textHash(canonical(members));
		const file = fileOf({ ...proof, proof_hash: hash, signature: key.sign(hash), receipt: members });
		const texts = ["--input", fileOf("Is it so?"), "--output", fileOf("yes\n")];
		const sound = run("receipt", file, "--pubkey", raw, "--salt", salt, ...texts);
		expect([sound.status, sound.lines.slice(3)]).toEqual([
			0,
			[`ok    input: has the hash ${input_hash}`, `ok    output: has the hash ${members.output_hash}`],
		]);
		const closed = run("receipt", file, "--pubkey", raw, ...texts);
		expect([closed.status, failed(closed.lines).length]).toEqual([1, 2]);
		const bare = run("receipt", file, "--pubkey", raw);
		expect([bare.status, bare.lines.at(-1)]).toEqual([0, expect.stringContaining("note  input, output: not compared")]);
		for (const [given, said] of [
			[["--input", join(dir, "nope")], "ENOENT"],
			[["--output", fileOf(Buffer.from([0xff]))], "is no text"],
		] as const)
			expect(run("receipt", file, ...given)).toMatchObject({ status: 2, stderr: expect.stringContaining(said) });
		for (const given of [texts.slice(0, 2), texts.slice(2), ["--salt", salt]])
			expect(run("chain", file, ...given)).toMatchObject({
				status: 2,
				stderr: expect.stringContaining("--salt, --input and --output are for a receipt"),
			});
	});

	it("takes a checkpoint for a chain alone", () => {
		expect(run("receipt", fileOf(proof), "--checkpoint", fileOf("x"))).toMatchObject({
			status: 2,
			stderr: expect.stringContaining("--checkpoint is for a chain"),
		});
	});
});
