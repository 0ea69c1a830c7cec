// Signed notes and checkpoints: what a stranger's reader accepts, and what no reader may accept.
import { describe, expect, it } from "vitest";
import { parseCheckpoint, parseNote, renderCheckpoint, signNote, toVkey, verifyNote } from "../../../src/proof/note.ts";
import { createSigner, toBase64 } from "../../../src/proof/signing.ts";
import { signingKey } from "../../support/second-ed25519.ts";
import { checkpointNote, readCheckpoint, vkeyOf as secondVkeyOf } from "../../support/second-ledger.ts";

const ORIGIN = "svc.example/0123456789abcdef/ws-1";
const seed = new Uint8Array(32).fill(5);
const signer = createSigner(seed);
const other = createSigner(new Uint8Array(32).fill(6));
const vkey = toVkey(ORIGIN, signer.publicKey);
const checkpoint = { origin: ORIGIN, size: 12, root: new Uint8Array(32).fill(1) };
const body = renderCheckpoint(checkpoint);
const note = signNote(body, ORIGIN, signer);

describe("a checkpoint", () => {
	it("is an origin, a size and a root on three lines, a blank line and a signature line", () => {
		expect(note.split("\n")).toEqual([
			ORIGIN,
			"12",
			"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=",
			"",
			expect.stringMatching(/^— svc\.example\/0123456789abcdef\/ws-1 [A-Za-z0-9+/]{91}=$/),
			"",
		]);
	});

	it("has the bytes of the second implementation, which reads it with its vkey alone", () => {
		const key = signingKey(Buffer.from(seed));
		expect(note).toBe(checkpointNote(ORIGIN, 12, Buffer.from(checkpoint.root), key));
		expect(vkey).toBe(secondVkeyOf(ORIGIN, key.publicKey));
		expect(readCheckpoint(note, vkey)).toEqual({ ...checkpoint, root: Buffer.from(checkpoint.root) });
		expect(readCheckpoint(note.replace("\n12\n", "\n13\n"), vkey)).toBeNull();
		expect(readCheckpoint(note, toVkey(ORIGIN, other.publicKey))).toBeNull();
	});

	it("reads back as what was written, with or without extension lines", () => {
		expect(parseCheckpoint(body)).toEqual(checkpoint);
		expect(parseCheckpoint(`${body}extension\n`)).toEqual(checkpoint);
		expect(parseCheckpoint(renderCheckpoint({ ...checkpoint, size: 0 }))?.size).toBe(0);
	});

	it.each([
		["a leading zero", body.replace("\n12\n", "\n012\n")],
		["a sign", body.replace("\n12\n", "\n+12\n")],
		["a size beyond what can be counted", body.replace("\n12\n", "\n18446744073709551615\n")],
		["no origin", body.slice(ORIGIN.length)],
		["a short root", `${ORIGIN}\n12\n${toBase64(new Uint8Array(31))}\n`],
		["base64 with stray bits", body.replace("E=\n", "F=\n")],
		["base64 without padding", body.replace("=\n", "\n")],
		["an empty extension line", `${body}\n`],
		["no final newline", body.slice(0, -1)],
		["a fourth line's worth of carriage return", body.replaceAll("\n", "\r\n")],
	])("is none with %s", (_, text) => {
		expect(parseCheckpoint(text)).toBeNull();
	});
});

describe("a note", () => {
	it("verifies under its key and tells the unknown signatures apart", async () => {
		const stranger = signNote(body, "stranger.example", other).slice(body.length + 1);
		const verdict = await verifyNote(note + stranger, [vkey]);
		expect(verdict).toMatchObject({
			outcome: "verified",
			text: body,
			verified: [{ name: ORIGIN }],
			unknown: [{ name: "stranger.example" }],
		});
		expect(await verifyNote(note, [toVkey("stranger.example", other.publicKey)])).toEqual({ outcome: "unverified" });
	});

	it("keeps blank lines of its text: only the last one separates", async () => {
		const text = "one\n\ntwo\n";
		expect(await verifyNote(signNote(text, ORIGIN, signer), [vkey])).toMatchObject({ outcome: "verified", text });
	});

	it("is refused as a whole when a known key's signature is wrong, even beside a right one", async () => {
		const named = toVkey("other.example", other.publicKey);
		const wrong = signNote("another text\n", "other.example", other).split("\n\n")[1];
		expect(await verifyNote(`${note}${wrong}`, [vkey, named])).toEqual({ outcome: "invalid_signature" });
	});

	it.each([
		["a changed text", note.replace("\n12\n", "\n13\n"), "invalid_signature"],
		["an added line", note.replace("\n12\n", "\n12\nextra\n"), "invalid_signature"],
		["CRLF", note.replaceAll("\n", "\r\n"), "malformed_note"],
		["a control character", note.replace("12", "1\u00002"), "malformed_note"],
		["a lone surrogate", note.replace("12", "1\ud8002"), "malformed_note"],
		["a hyphen for the dash", note.replace("— ", "- "), "malformed_note"],
		["two spaces", note.replace("— ", "—  "), "malformed_note"],
		["no final newline", note.slice(0, -1), "malformed_note"],
		["a blank line at the end", `${note}\n`, "malformed_note"],
		["padding left out", note.replace("=\n", "\n").replace(/=\n$/, "\n"), "malformed_note"],
		["nothing", "", "malformed_note"],
	])("with %s is not accepted", async (_, text, outcome) => {
		expect(text).not.toBe(note);
		expect(await verifyNote(text, [vkey])).toEqual({ outcome });
	});

	it("counts a key's first signature and ignores what repeats it", async () => {
		const line = note.slice(body.length + 1);
		const wrong = signNote("another text\n", ORIGIN, signer).split("\n\n")[1];
		const verdict = await verifyNote(`${note}${line}${wrong}`, [vkey]);
		expect(verdict).toMatchObject({ outcome: "verified", verified: [{ name: ORIGIN }], unknown: [] });
	});

	it("may carry a hundred signatures and not one more", () => {
		const line = note.slice(body.length + 1);
		expect(parseNote(`${body}\n${line.repeat(100)}`)?.signatures.length).toBe(100);
		expect(parseNote(`${body}\n${line.repeat(101)}`)).toBeNull();
	});

	it("is read from bytes as from text, and not when they are no UTF-8", () => {
		const bytes = new TextEncoder().encode(note);
		expect(parseNote(bytes)).toEqual(parseNote(note));
		bytes[0] = 0xff;
		expect(parseNote(bytes)).toBeNull();
		// A byte order mark is part of what was signed.
		expect(parseNote(new TextEncoder().encode(`\ufeff${note}`))?.text).toBe(`\ufeff${body}`);
	});

	it("is not signed by a name, or over a text, that no reader would take", () => {
		for (const name of ["", "a b", "a+b", "a\u00a0b", "a\u2028b", "a\nb"]) {
			expect(() => signNote(body, name, signer), name).toThrow(RangeError);
			expect(() => toVkey(name, signer.publicKey), name).toThrow(RangeError);
		}
		for (const text of ["no newline", "control\u0001\n", "\ud800\n"]) {
			expect(() => signNote(text, ORIGIN, signer)).toThrow(RangeError);
		}
	});
});

describe("a verifier key", () => {
	it.each([
		["another key's hash", vkey.replace(/\+[0-9a-f]{8}\+/, "+00000000+")],
		["another name", `x${vkey}`],
		[
			"another algorithm under this key's hash",
			vkey.replace(/\+[^+]*$/, `+${toBase64(Uint8Array.of(2, ...signer.publicKey))}`),
		],
		["no key", vkey.split("+").slice(0, 2).join("+")],
		["nothing", ""],
	])("with %s verifies nothing", async (_, malformed) => {
		expect(malformed).not.toBe(vkey);
		expect(await verifyNote(note, [malformed])).toEqual({ outcome: "malformed_vkey" });
	});

	it("given twice is ambiguous", async () => {
		expect(await verifyNote(note, [vkey, vkey])).toEqual({ outcome: "ambiguous_key" });
	});
});
