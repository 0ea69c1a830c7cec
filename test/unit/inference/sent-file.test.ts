// Files of text are read whatever a client says of them; others are refused by what they are.
import { describe, expect, it } from "vitest";
import { readSentFile } from "../../../src/inference/sent-file.ts";
import { flatTree, toPdf } from "../../support/sent-files.ts";

const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes).toString("base64");
const read = (content: string, name: string | null = null, mediaType: string | null = null) => {
	const file = readSentFile({ content, name, mediaType });
	return file.ok ? (file.part.type === "text" ? file.part.text : file.part) : new Error(file.message);
};

describe("a file", () => {
	it.each([
		["text/plain", null],
		["text/csv;charset=utf-8", null],
		["application/json", null],
		["application/vnd.api+json", null],
		["application/octet-stream", "main.RS"],
		["", "notes.md"],
	])("of type %s, named %s, is text", (type, name) => {
		const heading = name === null ? "" : `File: ${name}\n\n`;
		expect(read(`data:${type};base64,${base64("né")}`, name)).toBe(`${heading}né`);
	});

	it("without an address is known by its name, or by the type that the client says", () => {
		expect(read(base64("a,b"), "t.csv")).toBe("File: t.csv\n\na,b");
		expect(read(base64("a,b"), null, "text/plain")).toBe("a,b");
	});

	it("of another kind is refused by what it is", () => {
		expect(read(`data:application/zip;base64,${base64("PK")}`, "a.txt")).toEqual(
			new Error("only PDF and files of text can be sent to models, and application/zip is neither"),
		);
		expect(read(base64("x"), "a.docx")).toEqual(
			new Error("only PDF and files of text can be sent to models, and a.docx is neither"),
		);
		expect(read(base64("x"))).toBeInstanceOf(Error);
	});

	it("of another kind is named on one line and in short, whatever it is called", () => {
		for (const [name, type] of [
			[`${"x".repeat(1_000)}.exe`, null],
			["a.exe\r\nX: \u001b[2Jy", null],
			[null, `a/${"z".repeat(100_000)}`],
		] as const) {
			const { message } = read(base64("x"), name, type) as Error;
			expect(message.length).toBeLessThan(200);
			expect(message).not.toMatch(/\p{Cc}/u);
		}
	});

	it("that is an address is not fetched", () => {
		expect(read("https://a.test/a.pdf", "a.pdf")).toEqual(
			new Error("files are not fetched; send the content as file_data"),
		);
	});

	it("of PDF is sent as it is, without its address and line breaks", () => {
		const pdf = Buffer.from(toPdf(flatTree(2))).toString("base64");
		const part = { type: "file", mediaType: "application/pdf", base64: pdf, pages: { counted: 2, atMost: 2 } };
		expect(read(`data:application/pdf;base64,${pdf}`)).toEqual(part);
		expect(read(pdf.replace(/.{76}/g, "$&\r\n"), "q3.PDF")).toEqual({ ...part, name: "q3.PDF" });
	});

	it("that is no base64 or no UTF-8 is refused", () => {
		expect(read("data:text/plain,hello")).toEqual(new Error("must be base64, alone or as a data:…;base64 address"));
		expect(read("data:text/plain;base64,a*b=")).toBeInstanceOf(Error);
		expect(read(`data:text/plain;base64,${base64(Uint8Array.of(0xff, 0xfe))}`)).toEqual(
			new Error("must be text in UTF-8"),
		);
	});
});
