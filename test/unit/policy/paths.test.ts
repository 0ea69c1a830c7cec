// Protected paths: gitignore semantics, every spelling of a path, and time that grows with the path.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_PROTECTED_PATHS } from "../../../src/policy/defaults.ts";
import { compileProtectedPaths } from "../../../src/policy/paths.ts";

const manifest = compileProtectedPaths([
	"infra/",
	"/db/schema.sql",
	"docs/**/secret.md",
	"*.lock",
	"!keep.lock",
	"# no",
]);
const builtIn = compileProtectedPaths(DEFAULT_PROTECTED_PATHS);

describe("a protected path", () => {
	it.each([
		["infra", "infra/"],
		["infra/", "infra/"],
		["infra/deep/main.tf", "infra/"],
		["packages/infra/main.tf", "infra/"],
		["db/schema.sql", "/db/schema.sql"],
		["docs/secret.md", "docs/**/secret.md"],
		["docs/a/b/secret.md", "docs/**/secret.md"],
		["a/b.lock", "*.lock"],
	])("%s is protected by %s", (path, pattern) => {
		expect(manifest.find(path)).toBe(pattern);
	});

	it.each(["infrastructure/x", "src/infra.ts", "a/db/schema.sql", "keep.lock", "secret.md", "", "."])(
		"%j is not protected",
		(path) => {
			expect(manifest.find(path)).toBeNull();
		},
	);

	it.each([
		"./infra/x",
		"src/../infra/x",
		"infra//x",
		"../repo/infra/x",
		"/work/repo/infra/x",
		"/work/repo/db/schema.sql",
		"infra\\x",
		"C:\\repo\\infra\\x",
		"INFRA/x",
		"ｉnfra/x",
		"іnfra/x",
		"in\u200bfra/x",
		"inf*/x",
		"inf[r]a/x",
	])("is known under the spelling %j", (path) => {
		expect(manifest.find(path)).toBeDefined();
	});

	it("is found by a plain name as by any other spelling of it", () => {
		const patterns = [
			"data",
			"!data",
			"lo*",
			"*cal",
			"[xyz]a",
			"a?c",
			"*.d",
			"Q",
			"**/deep",
			"one/two",
			"/root",
			"!b*d",
		];
		const one = compileProtectedPaths(patterns);
		const names = [
			"data",
			"local",
			"vocal",
			"xa",
			"abc",
			"abd",
			"q",
			"Q",
			"deep",
			"one",
			"two",
			"root",
			"bad",
			"d",
			"-",
			"_",
		];
		for (const name of names) expect([name, one.find(name)]).toEqual([name, one.find(`./${name}`)]);
	});

	it("may lie in any folder that a wildcard stands for, but no folder has a file's name", () => {
		expect(manifest.find("*/main.tf")).toBe("infra/");
		expect(manifest.find("**/main.tf")).toBe("infra/");
		expect(builtIn.find("src/**/*.ts")).toBeNull();
		expect(builtIn.find("src/**/*.pem")).toBe("*.pem");
	});

	it("is touched by what happens to a folder above it", () => {
		expect(manifest.find("db")).toBeNull();
		expect(manifest.find("db", "below")).toBe("/db/schema.sql");
		expect(manifest.find(".", "below")).toBeDefined();
		expect(manifest.find("src", "below")).toBeNull();
	});

	it("is known by a glob that means it, not by any glob that could", () => {
		expect(builtIn.find(".e*")).toBeDefined();
		expect(builtIn.find("*.pem")).toBeDefined();
		expect(builtIn.find("src/*.ts")).toBeNull();
		expect(builtIn.find("*.md")).toBeNull();
	});

	it.each([".env", "apps/web/.env.production", ".git/config", ".git", "certs/server.pem", "home/.ssh/config"])(
		"%s is protected without a manifest",
		(path) => {
			expect(builtIn.find(path)).toBeDefined();
		},
	);

	it.each([
		".env.example",
		".env.d.ts",
		".env.schema",
		"apps/web/.env.production.example",
		".github/workflows/ci.yml",
		".gitignore",
		"src/env.ts",
		"id_rsa.pub",
		"keys.ts",
		"certs/cert.pem",
		"certs/ca.pem",
		"fullchain.pem",
		"public-key.pem",
	])("%s is not protected without a manifest", (path) => {
		expect(builtIn.find(path)).toBeNull();
	});

	it.each([".env.local", ".env.example.local", "privkey.pem", "server.pem", "cert-key.pem"])(
		"%s is protected beside what is exempt",
		(path) => {
			expect(builtIn.find(path)).not.toBeNull();
		},
	);

	it("is not exempt where a wildcard in it may stand for more than the exempt names", () => {
		for (const path of [".env.*", "certs/*.pem"]) expect(builtIn.find(path)).not.toBeNull();
		const manifest = compileProtectedPaths(["infra/", "!infra/docs"]);
		for (const path of ["infra/*", "infra/d*", "*/docs"]) expect(manifest.find(path)).toBe("infra/");
		for (const path of ["infra/docs", "infra/docs/*.md"]) expect(manifest.find(path)).toBeNull();
	});

	it("below a protected folder stays protected, however it is spelled", () => {
		const name = fc.stringMatching(/^[a-z0-9_-]{1,8}$/);
		fc.assert(
			fc.property(fc.array(name, { maxLength: 5 }), fc.array(name, { maxLength: 5 }), (above, below) => {
				const detour = [...above, ...above.map(() => "..")];
				expect(manifest.find([...detour, "infra", ...below].join("/"))).toBeDefined();
				expect(manifest.find(["", ...above, ".", "infra", "", ...below].join("/"))).toBeDefined();
			}),
		);
	});

	it("takes any text for a path", () => {
		fc.assert(fc.property(fc.string({ unit: "binary" }), (path) => void manifest.find(path, "below")));
		for (const piece of ["/", "a/", "[", "*", "*a", "../", "\\", "**/"])
			manifest.find(piece.repeat(4096 / piece.length));
		expect(manifest.find("a".repeat(1_000_000))).toBeDefined();
	});

	describe("once there are more patterns and paths than can be compared", () => {
		// Each pair of lists would take from seconds to hours.
		it.each<[string, (at: number) => string, (at: number) => string]>([
			["long segments", (at) => `${"*a".repeat(240)}b*${at}`, (at) => `${"a".repeat(480)}${at}`],
			["short segments", (at) => `${"**/a/".repeat(90)}*${at}`, () => "a/".repeat(120)],
			["deep absolute paths", (at) => `${"a/**/".repeat(90)}*${at}`, () => "/a".repeat(2047)],
			["paths with wildcards", (at) => `${"*a".repeat(240)}${at}`, (at) => `${"*a".repeat(2000)}${at}`],
			["letters that are folded to many", (at) => `${"*ص".repeat(120)}${at}`, (at) => `${"\ufdfa".repeat(1300)}${at}`],
		])("every path counts as protected: %s", (_, pattern, path) => {
			const paths = compileProtectedPaths(Array.from({ length: 200 }, (_, at) => pattern(at)));
			const found = Array.from({ length: 8000 }, (_, at) => paths.find(path(at)));
			expect(found.at(-1)).toBe("(more patterns and paths than can be compared)");
			expect(paths.find("README.md")).toBeDefined();
		});

		it("200 patterns and 10,000 paths are still compared", () => {
			const shapes = ["infra/env#/", "dir#/**/x*", "**/gen#/*.generated.tsx", "packages/*/secrets#/**", "*-secret#.ts"];
			const patterns = Array.from({ length: 200 }, (_, at) => (shapes[at % shapes.length] ?? "").replace("#", `${at}`));
			for (const root of ["", "/home/dev/work/repo/"]) {
				const paths = compileProtectedPaths(patterns);
				for (let at = 0; at < 10_000; at += 1) {
					expect(paths.find(`${root}packages/app${at % 40}/src/feature${at % 97}/part${at}.tsx`)).toBeNull();
				}
				expect(paths.find(`${root}packages/app/secrets3/key`)).toBe("packages/*/secrets3/**");
			}
		});
	});
});
