// How a text is cut into the units that the classifier of statements reads.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textUnits } from "../../../../src/compliance/statements/units.ts";

function cut(text: string): string[] {
	return [...textUnits(text)].map(({ start, end }) => text.slice(start, end));
}

describe("the units of a text", () => {
	it("are its sentences, in scripts with spaces and without", () => {
		expect(cut("We moved. Where is Dr. Hall? Thanks!")).toEqual(["We moved.", "Where is Dr. Hall?", "Thanks!"]);
		expect(cut("明日行きます。駅で会いましょう。")).toEqual(["明日行きます。", "駅で会いましょう。"]);
		expect(cut("वह आया। फिर गया।")).toEqual(["वह आया।", "फिर गया।"]);
		expect(cut("It is 3.5 m. by 2.25 m wide")).toEqual(["It is 3.5 m. by 2.25 m wide"]);
	});

	it("hold short lines together, and end before an empty one", () => {
		expect(cut("name: A\nroom: 4\n\nSecond block")).toEqual(["name: A\nroom: 4", "Second block"]);
	});

	it("are parts of a long sentence", () => {
		const units = cut(`${"one two three, ".repeat(60)}end`);
		expect(units.length).toBeGreaterThan(3);
		expect(Math.max(...units.map(({ length }) => length))).toBeLessThanOrEqual(200);
	});

	it("cover all of any text but white space, in order", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary", maxLength: 600 }), (text) => {
				let last = 0;
				let between = "";
				for (const { start, end } of textUnits(text)) {
					expect(start).toBeGreaterThanOrEqual(last);
					expect(end).toBeGreaterThan(start);
					between += text.slice(last, start);
					last = end;
				}
				expect((between + text.slice(last)).replace(/[\0-\u0020\u00a0\u3000]/g, "")).toBe("");
			}),
		);
	});
});
