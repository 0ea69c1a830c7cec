// Pages of PDF files: how many a reader can find is bounded whatever a file claims.
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inflate } from "../../../src/inference/inflate.ts";
import { readPdf } from "../../../src/inference/pdf.ts";
import { flatTree, type PageTree, toPdf } from "../../support/sent-files.ts";

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");
const deflate = (plain: string) => new Uint8Array(deflateSync(Buffer.from(plain, "latin1")));
const read = (bytes: Uint8Array) => {
	const pdf = readPdf(text(bytes));
	return pdf.ok ? pdf.pages : pdf.message;
};
const countLeaves = (tree: PageTree): number =>
	tree === "page" ? 1 : tree.reduce((sum, kid) => sum + countLeaves(kid), 0);
const pages = fc.letrec<{ tree: PageTree }>((tie) => ({
	tree: fc.oneof({ maxDepth: 4 }, fc.constant("page" as const), fc.array(tie("tree"), { minLength: 1, maxLength: 6 })),
})).tree;
const changed = (bytes: Uint8Array, from: string | RegExp, to: string) =>
	new Uint8Array(Buffer.from(text(bytes).replace(from, to), "latin1"));

describe("the pages of a PDF", () => {
	it("are counted and bounded in any tree, compressed or not", () => {
		fc.assert(
			fc.property(pages, fc.boolean(), (tree, isCompressed) => {
				const found = read(toPdf(tree, isCompressed ? { deflate } : {}));
				const leaves = countLeaves(tree);
				if (typeof found === "string") return expect.fail(found);
				expect(found.counted).toBe(leaves);
				expect(found.atMost).toBeGreaterThanOrEqual(leaves);
			}),
		);
	});

	it("are exact in a plain list", () => {
		expect(read(toPdf(flatTree(7)))).toEqual({ counted: 7, atMost: 7 });
		expect(read(toPdf("page"))).toEqual({ counted: 1, atMost: 1 });
	});

	it("are more than the file claims, if they are", () => {
		const claims = changed(toPdf(flatTree(1_000)), "/Count 1000", "/Count 1");
		expect(read(claims)).toEqual({ counted: 1_000, atMost: 1_000 });
	});

	it("have no bound where one node stands for many", () => {
		const doubled = changed(toPdf([["page", "page"]]), "/Kids [3 0 R]", "/Kids [3 0 R 3 0 R]");
		expect(read(doubled)).toEqual({ counted: 2, atMost: null });
		const looped = changed(toPdf([["page"]]), "/Kids [4 0 R]", "/Kids [2 0 R 3 0 R]");
		expect(read(looped)).toMatchObject({ atMost: null });
	});

	it.each([
		["a name in hex digits", "/Kids", "/K#69ds"],
		["types without a name", /\/Type \/Page\b/g, "/Kind /Page"],
	])("are bounded behind %s", (_, from, to) => {
		expect(read(changed(toPdf(flatTree(9)), from, to))).toMatchObject({ atMost: 9 });
	});

	it.each([
		["a list elsewhere", "/Kids [3 0 R", "/Kids 9 0 R % [3 0 R"],
		["a comment in the list", "/Kids [3 0 R", "/Kids [3 0 R %\n"],
		["pages within the list", "/Kids [3 0 R", "/Kids [<< /Type /Page >>"],
	])("have no bound behind %s", (_, from, to) => {
		expect(read(changed(toPdf(flatTree(9)), from, to))).toMatchObject({ atMost: null });
	});

	it.each([
		["another filter", "/Filter /LZWDecode"],
		["a second filter", "/Filter [/ASCIIHexDecode /FlateDecode]"],
		["a predictor", "/Filter /FlateDecode /DecodeParms << /Predictor 12 >>"],
		["a string that looks like an end", "/Filter /FlateDecode /X (endobj 9 0 obj <<)"],
		["a comment", "/Filter /FlateDecode % 9 0 obj <<\n"],
		["an end in a comment", "/Filter /FlateDecode % endobj 9 0 obj <<\n"],
		["a beginning on a line of a string", "/Filter /FlateDecode /X (\n9 0 obj <<)"],
	])("have no bound in a stream with %s", (_, members) => {
		const dictionary = (length: number, first: number) =>
			`<< /Type /ObjStm /N 9 /First ${first} /Length ${length} ${members} >>`;
		expect(read(toPdf(flatTree(9), { deflate, dictionary }))).toMatchObject({ atMost: null });
	});

	it("are found in a stream of objects that does not say what it is", () => {
		const dictionary = (length: number, first: number) =>
			`<< /#46irst ${first} /N 9 /Length ${length} /Filter[/FlateDecode] >>`;
		expect(read(toPdf(flatTree(9), { deflate, dictionary }))).toEqual({ counted: 9, atMost: 9 });
	});

	it("have no bound where the stream holds more than is read, or breaks off", () => {
		const bomb = (packed: string) => deflate(packed + " ".repeat(9_000_000));
		expect(read(toPdf(flatTree(2), { deflate: bomb }))).toMatchObject({ atMost: null });
		const cut = (packed: string) => deflate(packed).subarray(0, 20);
		expect(read(toPdf(flatTree(2), { deflate: cut }))).toMatchObject({ atMost: null });
	});

	it("are not read where a password locks them, and only of what is a PDF", () => {
		const locked = toPdf(flatTree(2), { more: "9 0 obj\n<< /Filter /Standard /V 4 >>\nendobj\n" });
		expect(read(changed(locked, "/Root 1 0 R", "/Root 1 0 R /Encrypt 9 0 R"))).toMatch(/encrypted/);
		expect(read(new Uint8Array(Buffer.from("PK\u0003\u0004 hello")))).toMatch(/^is no PDF/);
		expect(read(new Uint8Array())).toMatch(/^is no PDF/);
	});

	it("have no bound where there are more lists, streams or escapes, or longer ones, than in files that people read", () => {
		const more = (parts: string) => read(toPdf("page", { more: parts }));
		expect(more("/Kids [9 0 R] ".repeat(20_001))).toMatchObject({ atMost: null });
		expect(more(`/Kids [${"9 0 R ".repeat(60_000)}]`)).toMatchObject({ atMost: null });
		expect(more("9 0 obj\n<< /L 1 >>\nstream\n".repeat(20_001))).toMatchObject({ atMost: null });
		expect(more("/#41".repeat(50_001))).toMatchObject({ atMost: null });
	});

	it("have no bound where a dictionary that cannot be told stands before the keyword of a stream, whatever follows on its line", () => {
		const hidden = (between: string, after: string) =>
			read(
				toPdf("page", {
					more: `9 0 obj\n<< /Type /ObjStm /First 4 /X (a) >>${between}stream${after}\nabc\nendstream\n`,
				}),
			);
		expect(hidden("\n", " ")).toMatchObject({ atMost: null });
		expect(hidden("", " % pages")).toMatchObject({ atMost: null });
		expect(hidden("% pages\n", "\t")).toMatchObject({ atMost: null });
		expect(hidden(" ".repeat(5_000), " ")).toMatchObject({ atMost: null });
		expect(read(toPdf("page", { more: "% a stream of words, and streams\n" }))).toMatchObject({ atMost: 1 });
	});

	it("have no bound where a kid is named twice in two spellings, or by a number that readers may wrap", () => {
		const kids = (list: string) => read(toPdf("page", { more: `/Kids [${list}]` }));
		expect(kids("5 0 R 6 0 R")).toMatchObject({ atMost: 2 });
		expect(kids("5 0 R 05 0 R")).toMatchObject({ atMost: null });
		expect(kids("5 0 R 4294967301 0 R")).toMatchObject({ atMost: null });
	});

	it("have no bound where a small file unpacks to far more than files that people read, so that many of them are read in no time", () => {
		const long = (packed: string) => deflateSync(Buffer.from(packed.padEnd(100_000, " ")));
		expect(read(toPdf(flatTree(2), { deflate: long }))).toMatchObject({ atMost: null });
		expect(read(toPdf("page", { more: "9 0 obj<<>>stream\n".repeat(2_000) }))).toMatchObject({ atMost: null });
		expect(read(toPdf("page", { more: "/F#41 ".repeat(1_000) }))).toMatchObject({ atMost: null });
	});

	it("have no bound where streams lie within streams, and are told in a moment", () => {
		const nested = Array.from({ length: 400 }, (_, at) => {
			const head = `\n${at + 9} 0 obj\n<< /First 1 /N 1 /Filter /FlateDecode >>\nstream\n\x78\x01`;
			const stored = String.fromCharCode(head.length, 0, 255 - head.length, 255);
			return `\0${stored}${head}${"\0\0\0\xff\xff".repeat(1_000)}`;
		});
		const first = "9 0 obj\n<< /First 1 /N 1 /Filter /FlateDecode >>\nstream\n\x78\x01";
		expect(read(toPdf("page", { more: first + nested.join("") }))).toMatchObject({ atMost: null });
	});

	it("are read of any bytes without a fault", () => {
		const bytes = fc.uint8Array({ maxLength: 300 });
		const pieces = fc.constantFrom(
			"/Kids [",
			"1 0 R ",
			"]",
			"stream\n",
			"endstream",
			"1 0 obj <<",
			">>",
			"/First 3",
			"(",
		);
		fc.assert(
			fc.property(fc.array(fc.oneof(bytes, pieces), { maxLength: 40 }), (parts) => {
				const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
				expect(readPdf(`%PDF-1.4\n${text(body)}`).ok).toBeTypeOf("boolean");
			}),
		);
	});
});

describe("a zlib stream", () => {
	const LARGE = { maxChars: 1_000_000, maxBytes: 1_000_000 };

	it("is inflated to what was deflated, at every level", () => {
		const bytes = fc.oneof(
			fc.uint8Array({ maxLength: 2_000 }),
			fc.string({ maxLength: 400 }).map((word) => new Uint8Array(Buffer.from(word.repeat(50)))),
		);
		fc.assert(
			fc.property(bytes, fc.integer({ min: 0, max: 9 }), fc.nat(20), (plain, level, before) => {
				const packed = Buffer.concat([Buffer.alloc(before), deflateSync(plain, { level })]);
				expect(inflate(text(packed), before, LARGE)).toEqual({ bytes: new Uint8Array(plain), end: expect.any(Number) });
			}),
		);
	});

	it("that breaks off, is none or is too long gives nothing", () => {
		const packed = new Uint8Array(deflateSync(Buffer.from("hello world ".repeat(100))));
		fc.assert(
			fc.property(fc.nat(packed.length - 6), (end) => {
				expect(inflate(text(packed.subarray(0, end)), 0, LARGE)).toBeNull();
			}),
		);
		expect(inflate(text(packed), 0, { ...LARGE, maxBytes: 1_199 })).toBeNull();
		expect(inflate(text(packed), 0, { ...LARGE, maxBytes: 1_200 })?.bytes.length).toBe(1_200);
		expect(inflate(text(packed), 0, { ...LARGE, maxChars: packed.length - 5 })).toBeNull();
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
				const found = inflate(text(bytes), 0, { ...LARGE, maxBytes: 10_000 });
				expect(found === null || found.bytes.length <= 10_000).toBe(true);
			}),
		);
	});
});
