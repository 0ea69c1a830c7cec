// Language detection: what a caller forces wins, then what the task names, then its files, frameworks and words.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { detectLanguage, languageForPath, toLanguageId } from "../../../src/code-mode/language.ts";
import languagesFile from "../../../src/code-mode/languages.json" with { type: "json" };
import { LANGUAGES } from "../../../src/code-mode/languages.ts";

describe("a task that names its language", () => {
	it.each([
		["Write a Python function that reverses a list", "python"],
		["write a fibonacci in python3", "python"],
		["Build a REST API in Go", "go"],
		["in go, write a worker pool", "go"],
		["Create a golang HTTP server", "go"],
		["A Rust crate that parses durations", "rust"],
		["write me a rust program", "rust"],
		["Implement quicksort in C", "c"],
		["Implement quicksort in C++", "cpp"],
		["Implement quicksort in C#", "csharp"],
		["Implement quicksort in R", "r"],
		["Implement quicksort using Java 17", "java"],
		["Implement debounce in JavaScript", "javascript"],
		["Node.js script that watches a folder", "javascript"],
		["A TypeScript type guard", "typescript"],
		["Kotlin data class for a user", "kotlin"],
		["Swift struct for a point", "swift"],
		["PHP function that slugifies a title", "php"],
		["A Ruby class for a bank account", "ruby"],
		["bash script that rotates logs", "shell"],
		["PowerShell script that lists users", "powershell"],
		["Write a SQL query for the top ten customers", "sql"],
		["Create an HTML page with a form", "html"],
		["Write a JSON file with three users", "json"],
		["Write a YAML config for the pipeline", "yaml"],
		["Give me a Dockerfile for this service", "dockerfile"],
		["Haskell function that folds a tree", "haskell"],
		["Elixir module with a counter", "elixir"],
		["Solidity contract of a token", "solidity"],
		["Terraform module for a bucket", "terraform"],
		["Scala case class", "scala"],
		["Perl one-liner", "perl"],
		["Lua script for a game", "lua"],
		["Dart class for a stack", "dart"],
		["Julia function for a dot product", "julia"],
		["a Vue component", "vue"],
		["Objective-C category on a string", "objective-c"],
		["Schreibe ein Rust-Programm, das Primzahlen ausgibt", "rust"],
		["a Go-based reverse proxy", "go"],
		["CSS for a sticky header", "css"],
		["A Dockerfile for a Python Flask app", "dockerfile"],
		["protobuf message for an order", "protobuf"],
		["Write a script that reads C code and counts its lines, in Ruby", "ruby"],
	])("%s → %s", (task, id) => {
		expect(detectLanguage(task)).toEqual({ id, evidence: "named" });
	});

	it("gets the target of a translation, not its source", () => {
		expect(detectLanguage("Translate this Python script to Rust: def f(): pass").id).toBe("rust");
		expect(detectLanguage("Port the following Java class into Kotlin").id).toBe("kotlin");
		expect(detectLanguage("Rewrite this from JavaScript in TypeScript").id).toBe("typescript");
	});

	it("does not get one that it does not want", () => {
		expect(detectLanguage("Reverse a list. Not in Python, use Ruby").id).toBe("ruby");
		expect(detectLanguage("A web page without JavaScript").id).toBe("html");
	});

	it("is not misled by words that are names too, or by formats that a program reads", () => {
		for (const task of [
			"Write a function to go through a list and return a swift answer",
			"Write a function that parses JSON",
			"A class that models rust on metal",
			"Write a function that escapes html in user input",
			"Count how often the letter C or R stands in a text",
			"parse JSON for errors",
			"Write code to express the basic idea of sorting",
			"Simulate how an electron moves and how a spring reacts",
			"Compute the angular momentum of a disk, and boost it",
		])
			expect(detectLanguage(task), task).toEqual({ id: "python", evidence: "default" });
		expect(detectLanguage("Write a Python function that parses JSON and returns YAML").id).toBe("python");
	});
});

describe("a task that names no language", () => {
	it.each([
		["Fix the bug in src/server/main.go please", "go", "file_name"],
		["Add a test to app.ts that reads data.json", "typescript", "file_name"],
		["Write config.toml for the tool", "toml", "file_name"],
		["Change the Makefile so that it builds twice", "makefile", "file_name"],
		["A Django view that lists orders", "python", "framework"],
		["A Spring Boot controller for orders", "java", "framework"],
		["React component with a counter", "javascript", "framework"],
		["A counter in React", "javascript", "framework"],
		["An express server with two routes", "javascript", "framework"],
		["Write a ruby gem", "ruby", "framework"],
		["A Flutter screen with a list", "dart", "framework"],
		["Kubernetes deployment with two replicas", "yaml", "framework"],
		["A smart contract that holds a deposit", "solidity", "keyword"],
		["An iOS screen with a table", "swift", "keyword"],
		["A landing page for a bakery", "html", "keyword"],
		["Sort a list of numbers", "python", "default"],
		["", "python", "default"],
	])("%s → %s by its %s", (task, id, evidence) => {
		expect(detectLanguage(task)).toEqual({ id, evidence });
	});
});

describe("a forced language", () => {
	it("wins over everything that the task says", () => {
		expect(detectLanguage("Write a Python function in main.py with Django", "Rust")).toEqual({
			id: "rust",
			evidence: "forced",
		});
	});

	it.each([
		["C++", "cpp"],
		["c#", "csharp"],
		["golang", "go"],
		["JS", "javascript"],
		["ts", "typescript"],
		["Node.js", "javascript"],
		["bash", "shell"],
		[" Python3 ", "python"],
		["brainfuck", "brainfuck"],
	])("%s is %s", (asked, id) => {
		expect(toLanguageId(asked)).toBe(id);
	});
});

describe("the table", () => {
	it("name only rules for brackets that there are", () => {
		expect(LANGUAGES.map(({ lexis }) => lexis)).toEqual(languagesFile.languages.map(({ lexis }) => lexis));
	});

	it("has more than 20 languages, each with an id, an extension and a way to be asked for", () => {
		expect(LANGUAGES.length).toBeGreaterThan(40);
		expect(new Set(LANGUAGES.map(({ id }) => id)).size).toBe(LANGUAGES.length);
		for (const { id, display, extensions } of LANGUAGES) {
			expect([toLanguageId(id), toLanguageId(display)]).toEqual([id, id]);
			expect(languageForPath(`a/b.${extensions[0]}`), id).toBe(id);
		}
		const extensions = LANGUAGES.flatMap((language) => language.extensions);
		expect(new Set(extensions).size).toBe(extensions.length);
	});

	it("knows files by extension, and by name where they have none", () => {
		expect([
			languageForPath("package.json"),
			languageForPath("a/Dockerfile"),
			languageForPath("Cargo.toml"),
			languageForPath("x.unknown"),
		]).toEqual(["json", "dockerfile", "toml", null]);
	});
});

it("any text has a language, in linear time", () => {
	fc.assert(
		fc.property(fc.string({ maxLength: 500 }), fc.option(fc.string({ maxLength: 40 })), (task, forced) => {
			expect(detectLanguage(task, forced).id.length).toBeGreaterThan(0);
		}),
	);
	for (const piece of ["in ", "a.b", "convert ", "write a ", "not using ", "-", "C", "x".repeat(50)])
		expect(detectLanguage(piece.repeat(20_000)).id.length).toBeGreaterThan(0);
});
