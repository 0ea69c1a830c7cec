import { describe, expect, it } from "vitest";
import { readSvg } from "../../../src/inference/svg-text.ts";

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><text>ida@fjord-post.no é</text></svg>';

describe("the text of an SVG", () => {
	it.each([
		["base64", `data:image/svg+xml;base64,${Buffer.from(SVG).toString("base64")}`],
		["percent-encoding", `data:image/svg+xml,${encodeURIComponent(SVG)}`],
		["percent-encoding with a charset", `data:image/svg+xml;charset=utf-8,${encodeURIComponent(SVG)}`],
	])("is read in %s", (_, url) => {
		expect(readSvg(url)).toBe(SVG);
	});

	it.each([
		"https://a.test/x.svg",
		"data:image/png;base64,iVBORw0KGgo=",
		"data:image/svg+xml;base64,%%%",
		"data:image/svg+xml,%E0%A4%A",
		`data:image/svg+xml;base64,${Buffer.from("not an image").toString("base64")}`,
	])("is none in %s", (url) => {
		expect(readSvg(url)).toBeNull();
	});
});
