import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeViews, decodeViewsInSteps } from "../../../../src/compliance/detection/views.ts";

const VALUE = "write to marta.kowal@poczta-nowa.pl soon";
const base64 = (text: string) => Buffer.from(text).toString("base64");
const everyByte = (text: string) =>
	[...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
const entities = (text: string) => [...text].map((character) => `&#${character.codePointAt(0)};`).join("");
const wide = (text: string) => text.replace(/[!-~]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0));

const readings = (text: string) => [...decodeViews(text)].map((view) => view.text);

describe("the readings of a text", () => {
	it.each([
		["URL escapes", everyByte(VALUE)],
		["entities", entities(VALUE)],
		["hexadecimal entities", VALUE.replace("@", "&#x40;")],
		["named entities", VALUE.replace("@", "&commat;")],
		["escapes of strings", VALUE.replace("@", "\\u0040")],
		["full-width characters", wide(VALUE)],
		["zero-width characters", [...VALUE].join("\u200b")],
		["soft hyphens", VALUE.replace("kowal", "ko\u00adwal")],
		["base64", base64(VALUE)],
		["base64 of an address", Buffer.from(VALUE).toString("base64url")],
		["base64 of UTF-16", Buffer.from(VALUE, "utf16le").toString("base64")],
		["base64 in base64", base64(base64(VALUE))],
		["base64 in URL escapes", everyByte(base64(VALUE))],
		["URL escapes in base64", base64(everyByte(VALUE))],
		["URL escapes twice", everyByte(VALUE).replaceAll("%", "%25")],
		["three layers", base64(entities(base64(VALUE)))],
	])("include what stands in %s", (_, text) => {
		expect(readings(`see: ${text} .`).some((reading) => reading.includes("marta.kowal@poczta-nowa.pl"))).toBe(true);
	});

	it("begin with the text itself, which is all where nothing is encoded", () => {
		expect(readings("Nothing to see here.")).toEqual(["Nothing to see here."]);
	});

	it("take nothing from bytes that are no text", () => {
		expect(readings("sha 9f3c1e7ab40d2258c6e1f0b7d94a83e5172c6d0f")).toHaveLength(1);
	});

	it("are together at most six times as long as the text", () => {
		const bombs = [base64(base64(base64(base64("lorem ipsum ".repeat(2000))))), "%2525252541".repeat(5000)];
		for (const bomb of bombs) {
			const total = readings(bomb).reduce((sum, reading) => sum + reading.length, 0);
			expect(total).toBeLessThanOrEqual(6 * bomb.length);
		}
	});

	it("know where in the text each of their parts stood", () => {
		fc.assert(
			fc.property(fc.string({ maxLength: 40 }), fc.string({ maxLength: 40 }), fc.nat(5), (before, after, encoding) => {
				const encoded = [VALUE, everyByte(VALUE), entities(VALUE), wide(VALUE), base64(VALUE), base64(base64(VALUE))];
				const text = `${before} "${encoded[encoding] ?? VALUE}" ${after}`;
				const from = before.length + 2;
				const to = text.length - after.length - 2;
				const found = [...decodeViews(text)].flatMap((view) => {
					const at = view.text.indexOf("marta.kowal@poczta-nowa.pl");
					return at < 0 ? [] : [view.origin(at, at + 26)];
				});
				expect(found.length).toBeGreaterThan(0);
				for (const [start, end] of found) {
					expect(start).toBeGreaterThanOrEqual(from);
					expect(end).toBeLessThanOrEqual(to);
					expect(start).toBeLessThan(end);
				}
			}),
		);
	});
});

describe("views in steps", () => {
	const LONG = "The harbour was quiet, and nobody had told the pilot. ".repeat(20_000);

	it("pause at least once for each pattern, and on the way through many words", () => {
		const pauses = [...decodeViewsInSteps(LONG)].filter((step) => typeof step === "number");
		// Four decoders, six more patterns of bytes, and five ways of evening; 200,000 words, 12,500 in a turn.
		expect(pauses.length).toBeGreaterThanOrEqual(4 + 6 + 5 + 15);
		expect(Math.max(...pauses)).toBeLessThanOrEqual(LONG.length / 20);
	});

	it("read bytes on the edge of a piece as anywhere", () => {
		const bytes = Buffer.from("marta.kowal@poczta-nowa.pl").toString("hex");
		for (const shift of [0, 5, 20, 40, 52, 60]) {
			const head = "So it is. ".repeat(26_300).slice(0, 262_144 - shift);
			const found = [...decodeViews(`${head} ${bytes} and so on. `)].map((view) => view.text);
			expect(found.join("\n"), `${shift}`).toContain("marta.kowal@poczta-nowa.pl");
		}
	});

	it("without values are those in which sentences can be read", () => {
		const text = `${"broken at the-\nend of **a line** and 4111.1111.1111.1111 "}me @ example . com`;
		const views = (withValues: boolean) =>
			[...decodeViewsInSteps(text, withValues)].flatMap((step) => (typeof step === "number" ? [] : [step]));
		const all = views(true);
		expect(all.some(({ isValuesOnly }) => isValuesOnly)).toBe(true);
		expect(views(false).map((view) => view.text)).toEqual(
			all.filter(({ isValuesOnly }) => !isValuesOnly).map((view) => view.text),
		);
	});
});
