// The badge as SVG: any label is shown or cut safely, its width is measured, a reader who sees nothing is told the same.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BadgeValue, cutToWidth, renderBadge } from "../../../src/routing-config/badge.ts";
import { textWidth } from "../../../src/routing-config/text-width.ts";

const AUTO: BadgeValue = { text: "auto", tone: "auto" };
const TONES = ["budget", "mid", "premium", "frontier", "auto", "valid", "invalid", "unknown"] as const;

/** Elements and attributes as a strict reader of XML sees them; throws for what is not well-formed. */
function readXml(svg: string): { names: string[]; texts: string[] } {
	const names: string[] = [];
	const texts: string[] = [];
	const open: string[] = [];
	const token = /<(\/?)([a-zA-Z]+)((?: [a-zA-Z0-9-]+="[^"<]*")*)(\/?)>|([^<]+)/gy;
	let at = 0;
	for (const match of svg.matchAll(token)) {
		if (match.index !== at) throw new Error(`not well-formed at ${at}: ${svg.slice(at, at + 40)}`);
		at += match[0].length;
		const [, closing, name = "", attributes = "", empty, text] = match;
		if (/&(?!(?:amp|lt|gt|quot|#39);)/.test(text ?? attributes)) throw new Error("a bare ampersand");
		if (text !== undefined) texts.push(text);
		else if (closing) {
			if (open.pop() !== name) throw new Error(`${name} closes nothing`);
		} else {
			names.push(name);
			if (!empty) open.push(name);
		}
	}
	if (at !== svg.length || open.length > 0) throw new Error(`not well-formed at ${at}`);
	return { names, texts };
}

function widthOf(svg: string): number {
	return Number(/^<svg[^>]* width="(\d+)"/.exec(svg)?.[1]);
}

describe("a badge", () => {
	it("tells a screen reader what it shows, once", () => {
		const svg = renderBadge("BRAIN.md", { text: "Tide Mid", tone: "mid" });
		expect(svg).toContain('role="img" aria-label="BRAIN.md: Tide Mid"');
		expect(svg).toContain("<title>BRAIN.md: Tide Mid</title>");
		expect(readXml(svg).texts).toEqual(["BRAIN.md: Tide Mid", "BRAIN.md", "BRAIN.md", "Tide Mid", "Tide Mid"]);
	});

	it("is as wide as its texts, by the widths of Verdana", () => {
		// 7.54 + 4.69 + 6.61 …: the sums that badges of this kind are drawn with.
		expect(textWidth("BRAIN")).toBeCloseTo(7.54 + 7.65 + 7.52 + 4.63 + 8.23, 5);
		expect(textWidth("é")).toBe(textWidth("e"));
		expect(textWidth("e\u0301")).toBe(textWidth("e"));
		expect(textWidth("👩‍👩‍👧‍👦")).toBe(textWidth("😀"));
		expect(textWidth("漢字")).toBe(22);
		expect(textWidth("\u200b\u0301")).toBe(0);
		expect(widthOf(renderBadge("iii", AUTO))).toBeLessThan(widthOf(renderBadge("WWW", AUTO)));
	});

	it("has a colour per tier whose text can be read", () => {
		const luminance = (hex: string) => {
			const full =
				hex.length === 4 ? [...hex.slice(1)].map((digit) => digit + digit) : (hex.slice(1).match(/../g) ?? []);
			const [r = 0, g = 0, b = 0] = full
				.map((part) => Number.parseInt(part, 16) / 255)
				.map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
			return 0.2126 * r + 0.7152 * g + 0.0722 * b;
		};
		const colours = TONES.map((tone) => {
			const svg = renderBadge("x", { text: "y", tone });
			const fill = /<rect x="\d+" width="\d+" height="20" fill="(#\w+)"/.exec(svg)?.[1] ?? "";
			const text = /fill="(#\w+)" textLength="[\d.]+">y</.exec(svg)?.[1] ?? "";
			const [dark = 0, light = 0] = [luminance(fill), luminance(text)].sort((a, b) => a - b);
			expect((light + 0.05) / (dark + 0.05), tone).toBeGreaterThanOrEqual(4.5);
			return fill;
		});
		expect(new Set(colours.slice(0, 4)).size).toBe(4);
	});

	it.each([
		['"><script>alert(1)</script>', "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"],
		["a & b", "a &amp; b"],
		["  two\n\tlines ", "two lines"],
		["\u0000\u0007\u009f\uffff", "\ufffd"],
		["\ud800x\udc00", "\ufffdx\ufffd"],
		["\u202eevil\u2066", "evil"],
		["שלום עולם", "שלום עולם"],
		["مرحبا", "مرحبا"],
		["🇳🇴👩‍👩‍👧‍👦", "🇳🇴👩‍👩‍👧‍👦"],
		["", "BRAIN.md"],
		[" \u2066 ", "BRAIN.md"],
	])("shows the label %j", (label, shown) => {
		const { names, texts } = readXml(renderBadge(label, AUTO));
		expect(names).not.toContain("script");
		expect(texts[1]).toBe(shown);
	});

	it("cuts a long label between what a reader takes for characters", () => {
		const family = "👩‍👩‍👧‍👦";
		expect(cutToWidth("a".repeat(500))).toMatch(/^a{30,40}…$/);
		expect(cutToWidth(family.repeat(45))).toMatch(new RegExp(`^(?:${family})+…$`, "u"));
		expect(cutToWidth("e\u0301".repeat(250))).toMatch(/^(?:e\u0301)+…$/);
		expect(cutToWidth("word ".repeat(100))).toMatch(/word…$/);
		expect(cutToWidth("just fits")).toBe("just fits");
		// Marks have no width and could go on for ever.
		expect(cutToWidth(`a${"\u0301".repeat(499)}b`)).toBe(`a${"\u0301".repeat(31)}b`);
		expect(cutToWidth("\u200b\u0301".repeat(5_000)).length).toBeLessThanOrEqual(2_000);
	});

	it("is well-formed, of bounded size and of one line for every label", () => {
		const unit = fc.oneof(
			fc.string({ unit: "binary", maxLength: 1 }),
			fc.constantFrom("<", "&", '"', "\ud83d", "\u0301", "\u202e", "漢", "😀", "ا"),
		);
		fc.assert(
			fc.property(
				fc.array(unit, { maxLength: 500 }).map((units) => units.join("")),
				fc.constantFrom(...TONES),
				(label, tone) => {
					const svg = renderBadge(label, { text: label, tone });
					readXml(svg);
					expect(svg.isWellFormed()).toBe(true);
					expect(svg).not.toMatch(/\p{Cc}/u);
					expect(widthOf(svg)).toBeLessThanOrEqual(2 * (260 + 2 * 5));
				},
			),
			{ numRuns: 150 },
		);
	});
});
