// The grammar of programs: how their options are written, and that the tables say nothing unknown.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { parseArguments } from "../../../../src/policy/commands/grammar.ts";
import { findRoleLanguage, parseRole } from "../../../../src/policy/commands/program-tables.ts";

const TABLES = resolve(import.meta.dirname, "../../../../src/policy/commands/grammar");

/** The arguments of a command as `role text`, in the order in which they are found. */
function roles(line: string): readonly string[] {
	const [name = "", ...words] = line.split(" ").map((word) => (word === "''" ? "" : word));
	return parseArguments({ name, words }).map(({ role, text }) => `${role} ${text}`);
}

describe("the words of a command", () => {
	it.each<[string, readonly string[]]>([
		["grep -rn TODO src", ["text TODO", "read src"]],
		["grep -e TODO -r src", ["text TODO", "read src"]],
		["grep -reTODO src", ["text TODO", "read src"]],
		["grep --regexp=TODO src", ["text TODO", "read src"]],
		["grep --exclude-d node_modules TODO src", ["text node_modules", "text TODO", "read src"]],
		["grep -- -e file", ["text -e", "read file"]],
		["grep -lq TODO .env", ["text TODO", "inspect .env"]],
		["uniq a b", ["read a", "write b"]],
		["sed -n 1,5p file", ["code:sed 1,5p", "read file"]],
		["sed -i s/a/b/ one two", ["code:sed s/a/b/", "write one", "write two"]],
		["sed -i.bak -e s/a/b/ one", ["text .bak", "code:sed s/a/b/", "write one"]],
		["sed -i '' s/a/b/ one", ["code:sed s/a/b/", "write one"]],
		["tar xzf a.tgz -C out", ["inspect a.tgz", "inspect out"]],
		["tar cfb a.tar 20 src", ["inspect a.tar", "inspect 20", "inspect src"]],
		["jq --slurpfile a b.json .x c.json", ["name a", "read b.json", "text .x", "read c.json"]],
		["openssl enc -in a -out b", ["read a", "write b", "text enc"]],
		["dd if=a bs=1 status=none", ["inspect a", "text 1", "text none"]],
		["docker exec -it -u root web ls -la /etc", ["text root", "name exec", "name web", "run ls"]],
		["git -C sub -c a.b=c log --oneline -- file", ["folder sub", "text a.b=c", "name log", "inspect file"]],
		["xargs -n 1 -- rm -rf", ["text 1", "run rm"]],
	])("%s", (line, expected) => {
		expect([...roles(line)].sort()).toEqual([...expected].sort());
	});

	it("are one line of shell from the first word of it on", () => {
		const programs = { name: "hyperfine", words: ["-w", "3", "sleep 1", "ls -la"] };
		expect(parseArguments(programs).map(({ role, text }) => [role, text])).toEqual([
			["text", "3"],
			["line", "sleep 1"],
			["line", "ls -la"],
		]);
	});

	it("of a program that no table lists are unknown, and so are values in its options", () => {
		expect(roles("frobnicate --some=a -f.b --quiet c")).toEqual(["unknown a", "unknown .b", "unknown c"]);
		expect(roles("frobnicate --output a --env-file=.env")).toEqual(["write a", "inspect .env"]);
	});

	it("may be the value of an option before them that no table lists", () => {
		const [found] = parseArguments({ name: "xargs", words: ["--unheard-of", "5", "rm", "-rf"] });
		expect(found).toMatchObject({ role: "run", text: "5", at: 1, doubts: 1 });
	});
});

interface Row {
	options?: Record<string, string> | undefined;
	operands?: string[] | undefined;
	operands_with?: Record<string, string[]> | undefined;
	style?: string | undefined;
	language?: string | undefined;
	does?: string | undefined;
	input?: string | undefined;
	subcommands?: Record<string, Row | string> | undefined;
}

const rowSchema: z.ZodType<Row> = z.strictObject({
	style: z.enum(["gnu", "single-dash", "assignments", "dos", "tar", "shell", "none"]).optional(),
	language: z.string().optional(),
	does: z.string().optional(),
	options: z.record(z.string(), z.string()).optional(),
	operands: z.array(z.string()).optional(),
	operands_with: z.record(z.string(), z.array(z.string())).optional(),
	input: z.string().optional(),
	subcommands: z
		.record(
			z.string(),
			z.lazy(() => z.union([rowSchema, z.string()])),
		)
		.optional(),
});
const tableSchema = z.looseObject({
	options: z.record(z.string(), z.string()).optional(),
	programs: z.record(z.string(), z.union([rowSchema, z.string()])).default({}),
});

function rolesIn(row: Row | string): readonly string[] {
	if (typeof row === "string") return [];
	const inFull = (role: string) => role.replace(/^(?:code|script|module)(?=[*?+]?$)/, `$&:${row.language}`);
	return [
		...Object.values(row.options ?? {}).flatMap((written) =>
			written === "flag" ? [] : written.split(" ").map(inFull),
		),
		...(row.operands ?? []).map(inFull),
		...Object.values(row.operands_with ?? {}).flatMap((roles) => roles.map(inFull)),
		...Object.values(row.subcommands ?? {}).flatMap(rolesIn),
	];
}

describe.each(readdirSync(TABLES))("the table %s", (file) => {
	const text = readFileSync(join(TABLES, file), "utf8");
	const { options, programs } = tableSchema.parse(JSON.parse(text));

	it("has only roles that there are", () => {
		const found = [{ options }, ...Object.values(programs)].flatMap(rolesIn);
		expect(found.filter((role) => parseRole(role) === null)).toEqual([]);
		expect(
			found.filter((role) => role.startsWith("code:") && findRoleLanguage(role.replace(/[*?+]$/, "")) === null),
		).toEqual([]);
	});

	it("names each program once", () => {
		const names = Object.keys(programs).flatMap((names) => names.split(" "));
		expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
	});

	it("has an alias only of a row of its own", () => {
		const keys = new Set(Object.keys(programs));
		const aliases = Object.values(programs).flatMap((row) => (typeof row === "string" ? [row] : []));
		expect(aliases.filter((name) => !keys.has(name))).toEqual([]);
	});
});
