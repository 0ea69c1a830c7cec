// TOML with positions: where each key and each value of a text stands.
import fc from "fast-check";
import { parse, stringify } from "smol-toml";
import { describe, expect, inject, it } from "vitest";
import { parseToml } from "../../../src/cli/toml.ts";
import type { Path } from "../../../src/faults.ts";

/** What stands in a text from a position on. */
function textAt(text: string, position: { line: number; column: number } | null): string {
	const line = text.split("\n")[(position?.line ?? 0) - 1] ?? "";
	return line.slice((position?.column ?? 0) - 1);
}

/** The paths of all values inside a value. */
function pathsIn(value: unknown, path: Path = []): Path[] {
	if (typeof value !== "object" || value === null) return [path];
	const below = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
	return [path, ...below.flatMap(([step, member]) => pathsIn(member, [...path, step]))];
}

const TEXT = `# of a comment
[[providers]]
id = "x"
facts.jurisdiction.contract = "DE" # "dotted"

[[models]]
"id" = 'a'
prices = {input = 1, output = 2}
aliases = [
  "b", # [
  """
c""",
  ["d"],
]
[models.limits]
context_window = 1
[[models]]
[[models.prices]]
input = 3
[[models.prices]]
input = 4
`;

describe("a position in TOML", () => {
	it.each<[Path, "key" | "value", string]>([
		[[], "value", "# of a comment"],
		[["providers"], "value", "[[providers]]"],
		[["providers", 0, "id"], "key", 'id = "x"'],
		[["providers", 0, "id"], "value", '"x"'],
		[["providers", 0, "facts", "jurisdiction", "contract"], "value", '"DE" # "dotted"'],
		[["models", 0, "id"], "key", "\"id\" = 'a'"],
		[["models", 0, "prices", "output"], "key", "output = 2}"],
		[["models", 0, "prices", "output"], "value", "2}"],
		[["models", 0, "aliases", 0], "value", '"b", # ['],
		[["models", 0, "aliases", 1], "value", '"""'],
		[["models", 0, "aliases", 2, 0], "value", '"d"],'],
		[["models", 0, "limits"], "value", "[models.limits]"],
		[["models", 0, "limits", "context_window"], "value", "1"],
		[["models", 1, "prices", 1, "input"], "value", "4"],
		[["models", 1, "prices", 0, "missing", "deeper"], "value", "[[models.prices]]"],
	])("of %j is that of its %s", (path, at, expected) => {
		const { value, faults, findPosition } = parseToml(TEXT);
		expect(faults).toEqual([]);
		expect(value).toEqual(parse(TEXT));
		expect(textAt(TEXT, findPosition(path, at))).toBe(expected);
	});

	it("is found for every value of any document", () => {
		const key = fc.oneof(fc.constantFrom("id", "models", "__proto__", 'a "b"', "c.d", "[x]", ""), fc.string());
		const leaf = fc.oneof(
			fc.string(),
			fc.integer(),
			fc.boolean(),
			fc.constantFrom("'", '"""', "a = 1\n[b]", "#", "\\"),
		);
		const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
			tree: fc.oneof({ depthSize: "small" }, leaf, fc.array(tie("tree")), fc.dictionary(key, tie("tree"))),
		}));
		fc.assert(
			fc.property(fc.dictionary(key, tree), (document) => {
				const text = stringify(document);
				const { value, faults, findPosition } = parseToml(text);
				expect(faults).toEqual([]);
				expect(value).toEqual(parse(text));
				for (const path of pathsIn(value)) {
					const name = path.at(-1);
					if (typeof name !== "string") continue;
					const found = textAt(text, findPosition(path, "key"));
					const [, written = ""] = /^(?:\[\[?)?([^\n]*)/.exec(found) ?? [];
					const spelled = /^[\w-]+$/.test(name) ? name : JSON.stringify(name);
					expect(written, `${JSON.stringify(path)} in ${text}`).toContain(spelled);
				}
			}),
			{ numRuns: 300, seed: inject("seed") },
		);
	});

	it("is that of the first mistake in the text's form", () => {
		expect(parseToml('a = 1\nb = "x\nc = 2\n').faults).toMatchObject([{ line: 2 }]);
		expect(parseToml("a = 1\na = 2\n").faults).toMatchObject([{ line: 2, column: 1 }]);
	});
});
