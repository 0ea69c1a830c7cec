// The console's colours: series that people of every kind of sight can tell apart, and text that can be read.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const STYLE = readFileSync("src/console/tokens.css", "utf8");
const [LIGHT = "", DARK = ""] = STYLE.split("@media (prefers-color-scheme: dark)");

type Rgb = readonly [red: number, green: number, blue: number];
type Matrix = readonly [Rgb, Rgb, Rgb];

/** Machado, Oliveira, Fernandes 2009: what is seen without one kind of cones, in linear sRGB. */
const SIGHTS: Readonly<Record<string, Matrix>> = {
	everybody: [
		[1, 0, 0],
		[0, 1, 0],
		[0, 0, 1],
	],
	protanopes: [
		[0.152286, 1.052583, -0.204868],
		[0.114503, 0.786281, 0.099216],
		[-0.003882, -0.048116, 1.051998],
	],
	deuteranopes: [
		[0.367322, 0.860646, -0.227968],
		[0.280085, 0.672501, 0.047413],
		[-0.01182, 0.04294, 0.968881],
	],
	tritanopes: [
		[1.255528, -0.076749, -0.178779],
		[-0.078411, 0.930809, 0.147602],
		[0.004733, 0.691367, 0.3039],
	],
};

/** A distance in OKLab at which two areas of a chart look different at a glance; one that can just be seen is 0.02. */
const APART = 0.1;

function token(scheme: string, name: string): string {
	const found = new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(scheme)?.[1];
	if (found === undefined) throw new Error(`the style has no --${name}`);
	return found;
}

function toLinear(hex: string): Rgb {
	const channel = (at: number) => {
		const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
		return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
	};
	return [channel(1), channel(3), channel(5)];
}

function seenBy([x, y, z]: Matrix, [red, green, blue]: Rgb): Rgb {
	const row = (weights: Rgb) => Math.min(1, Math.max(0, weights[0] * red + weights[1] * green + weights[2] * blue));
	return [row(x), row(y), row(z)];
}

/** Ottosson 2020. */
function toOklab([r, g, b]: Rgb): Rgb {
	const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
	const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
	const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
	return [
		0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
		1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
		0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
	];
}

/** WCAG 2.2, "contrast ratio". */
function contrast(one: string, other: string): number {
	const luminance = (hex: string) => {
		const [red, green, blue] = toLinear(hex);
		return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
	};
	const [brighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
	return (brighter + 0.05) / (darker + 0.05);
}

describe.each([
	["light", LIGHT],
	["dark", DARK],
])("in the %s scheme", (_, scheme) => {
	const series = Array.from({ length: 8 }, (_, index) => token(scheme, `series-${index + 1}`));

	it.each(Object.entries(SIGHTS))("%s can tell all series of a chart apart", (_, sight) => {
		const seen = series.map((hex) => toOklab(seenBy(sight, toLinear(hex))));
		const distances = seen.flatMap((one, index) =>
			seen.slice(index + 1).map((other) => Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2])),
		);
		expect(distances).toHaveLength(28);
		expect(Math.min(...distances)).toBeGreaterThan(APART);
	});

	it.each([
		["text", "canvas"],
		["text", "hover"],
		["faint", "canvas"],
		["faint", "raised"],
		["faint", "hover"],
		["accent", "canvas"],
		["accent", "accent-ground"],
		["on-accent", "accent"],
		["good", "good-ground"],
		["bad", "bad-ground"],
		["warn", "warn-ground"],
	])("%s can be read on %s", (text, ground) => {
		expect(contrast(token(scheme, text), token(scheme, ground))).toBeGreaterThanOrEqual(4.5);
	});

	it("the edge of a field can be seen", () => {
		expect(contrast(token(scheme, "edge"), token(scheme, "ground"))).toBeGreaterThanOrEqual(3);
	});
});
