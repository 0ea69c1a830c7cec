// Brackets are counted around strings and comments, in every family of languages, and no sound program is complained of.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bracketFault } from "../../../src/code-mode/brackets.ts";
import { findLanguage } from "../../../src/code-mode/language.ts";
import { LANGUAGES } from "../../../src/code-mode/languages.ts";
import { LEXICAL_RULES } from "../../../src/code-mode/lexis.ts";

function fault(language: string, text: string) {
	const lexis = findLanguage(language)?.lexis;
	if (!lexis) throw new Error(`no rules for ${language}`);
	return bracketFault(text, LEXICAL_RULES[lexis]);
}

/** Sound pieces that a careless reader would stumble over; `\u007b` is an opening brace that the linter does not take for ours. */
const SOUND: [language: string, text: string][] = [
	["javascript", "const re = /[(\\]{]/g; const s = ')';"],
	["javascript", "const t = `a $\u007bf({ b: `}$\u007bc}` })} ) ]`;"],
	["javascript", "const x = a / b / (c); // )"],
	["javascript", "return /\\)/.test(s) && a[b / 2]"],
	["javascript", "const view = <p>Don't (stop :)</p>;"],
	["javascript", 'const view = (\n  <a href="/x" onClick={() => f()}>\n    Go <b>on</b> <br />\n  </a>\n);'],
	["typescript", "const all = [\n\t/^a\\[/,\n\t// Then.\n\t/^\\[(?:b)/, /* last */ /\\(/,\n];"],
	["typescript", "type A<T> = { [K in keyof T]?: (x: `$\u007bstring})`) => T[K] }; /* ( */"],
	["python", "s = '''( [ {'''\nt = \"it's :(\"  # )\nu = f\"{d['(']}\"\n"],
	["python", "r = r'\\('\nx = [1,\n  2]\n"],
	["c", '#define OPEN {\nchar c = \'(\'; /* ) */ char *s = "\\")";'],
	["c", "#define A 1 /* a note\n that goes on ( */\nint a[1];"],
	["c", "#ifdef A\nint f() {\n#else\nint g() {\n#endif\n}"],
	["cpp", "auto s = R\"x()\" ( )x\"; int n = 1'000'000; char q = '\\'';"],
	["csharp", 'var p = @"C:\\"; var q = $@"{x}""("; var c = \'(\';'],
	["java", 'String t = """\n  ( {\n  """; char c = \'{\';'],
	["kotlin", 'val s = """$\u007b"$"}( """; val c = \'(\' /* /* ( */ { */'],
	[
		"rust",
		"fn f<'a>(x: &'a str) -> char { '(' } // )\nlet s = r#\"\" ( \"#; let b = b'{'; 'outer: loop { break 'outer; }",
	],
	["go", 's := `( {`; r := \'(\'; t := "\\")"'],
	["swift", 'let s = #"\\( ("#; let t = """\n (\n """; /* /* ( */ */'],
	["css", "a { background: url(data:image/svg+xml;utf8,//x); content: '}' } /* { */"],
	["scss", "a { background: url(http://x.test/a) } // {\n"],
	["lua", "s = [[ ( ]] --[==[ ( ]==]\nt = { 'x)' } -- }\n"],
	["terraform", 'x = <<-EOT\n  (a) # {\n  EOT\ny = "$\u007bf("a")}" # (\n'],
	["dart", "var s = r'('; var t = '''(''' /* ( */;"],
	["json", '{ "a": [1, "]"] // }\n}'],
	["sql", "SELECT ')', 'it''s (' -- {\nFROM t"],
	["objective-c", '#import "a(.h"\nNSString *s = @"\\"("; // {'],
	["protobuf", 'message A { string b = 1 [default = "{"]; } // ('],
	["solidity", 'string s = "("; // {\nfunction f() public { }'],
];

describe("a sound program", () => {
	it.each(SOUND)("%s: %s", (language, text) => {
		expect(fault(language, text)).toBeNull();
	});

	it("is every file of this service", () => {
		for (const folder of ["../../../src", "../.."]) {
			const root = resolve(import.meta.dirname, folder);
			const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
			expect(files.length).toBeGreaterThan(100);
			for (const name of files) expect(fault("typescript", readFileSync(join(root, name), "utf8")), name).toBeNull();
		}
	});
});

describe("a bracket out of place", () => {
	const readable = SOUND.filter(([, text]) => !/<p>|#else/.test(text));

	it.each(readable)("is found behind all of that, in %s: %s", (language, text) => {
		const lines = text.split("\n").length;
		expect(fault(language, `${text}\n(`)).toEqual({ line: lines + 1, message: "`(` is never closed" });
		expect(fault(language, `${text}\n}`)).toEqual({ line: lines + 1, message: "`}` closes nothing" });
	});

	it("is named with its line", () => {
		expect(fault("python", "a = (\n  [1, 2)\n")).toEqual({
			line: 2,
			message: "`)` stands where `]` would close `[`",
		});
		expect(fault("javascript", "f(`${a`)")).toBeNull();
		expect(fault("javascript", "if (a) {\n  b();\n")).toEqual({ line: 1, message: "`{` is never closed" });
	});
});

it("balanced nestings are sound, and lose that with any bracket", () => {
	const tree = fc.letrec<{ node: string }>((tie) => ({
		node: fc.oneof(
			{ depthSize: "small" },
			fc.constantFrom("a", "1", ", ", "\n", '"("', "/* ] */"),
			fc
				.tuple(fc.constantFrom("()", "[]", "{}"), fc.array(tie("node"), { maxLength: 4 }))
				.map(([pair, inner]) => `${pair[0]}${inner.join("")}${pair[1]}`),
		),
	})).node;
	fc.assert(
		fc.property(tree, fc.nat(), (text, seed) => {
			expect(fault("java", text)).toBeNull();
			const places = [...text.matchAll(/[()[\]{}](?!"| \*\/)/g)].map(({ index }) => index);
			const place = places[seed % places.length];
			if (place !== undefined) expect(fault("java", text.slice(0, place) + text.slice(place + 1))).not.toBeNull();
		}),
	);
});

it("a hostile text of 8,000 characters is read through or given up, whatever it repeats", () => {
	const pieces = [
		"(",
		"/",
		"'",
		'"',
		"`$\u007b",
		"/*",
		"r#",
		'r"',
		"--[[",
		"<<A\n",
		"#define \\\n",
		"# /*",
		'R"(',
		"1'",
	];
	pieces.push("url(", "=/[", "=/a", "=/\\", "=/a[b", '@"', '#"', "/* ", "=`", "\n#", "    ", "r'", "--[[\n", "r'''\n");
	for (const { id, lexis } of LANGUAGES)
		for (const piece of lexis ? pieces : [])
			expect(() => fault(id, piece.repeat(8_000 / piece.length)), `${id} ${piece}`).not.toThrow();
});
