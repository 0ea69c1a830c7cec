// Decisions: what is denied, asked about and allowed, in every spelling; the promises that hold for any command.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decide, type PolicyInput, type PolicyRules, scoreRisk } from "../../../src/policy/decide.ts";
import { FACTORS, type FactorId } from "../../../src/policy/factors.ts";
import { quoteShellWord } from "../../../src/text/shell-word.ts";

const RULES: PolicyRules = { protectedPaths: [], forbiddenCommands: [], budgetUsd: Number.POSITIVE_INFINITY };

function check(change: Partial<PolicyInput>, rules: Partial<PolicyRules> = {}) {
	return decide(
		{ action: "Change something", action_kind: "edit", files_affected: [], commands: [], ...change },
		{ ...RULES, ...rules },
	);
}

const decided = (...commands: string[]) => check({ commands }).decision;

function fired(change: Partial<PolicyInput>, rules: Partial<PolicyRules> = {}): FactorId[] {
	return check(change, rules).factors.flatMap((factor) => (factor.triggered ? [factor.id] : []));
}

describe("a decision", () => {
	it("without any factor is allowed with a score of 0", () => {
		expect(check({ commands: ["npm test"] })).toMatchObject({ decision: "allow", risk_score: 0, risk_tier: "auto" });
	});

	it("lists every factor in the order of the table", () => {
		expect(check({}).factors.map(({ id }) => id)).toEqual(FACTORS.map(({ id }) => id));
	});

	it("is denied for a forbidden command, and says which, and against which threshold", () => {
		const decision = check({ commands: ["git push --force origin main"] });
		expect(decision).toMatchObject({ decision: "deny", risk_score: 90, risk_tier: "block" });
		expect(decision.reason).toContain("block threshold of 86");
		expect(decision.reason).toContain("git push --force");
	});

	it("names the path and the pattern that protects it", () => {
		const decision = check({ files_affected: ["infra/main.tf"] }, { protectedPaths: ["infra/"] });
		expect(decision).toMatchObject({ decision: "approve", risk_score: 65 });
		expect(decision.reason).toContain("infra/main.tf is protected by infra/");
	});

	it("weighs the kind: a deletion and a deployment need confirmation", () => {
		expect(check({ action_kind: "delete" })).toMatchObject({ decision: "confirm", risk_score: 35 });
		expect(check({ action_kind: "deploy" })).toMatchObject({ decision: "confirm", risk_score: 31 });
	});

	it("reads a missing kind from the clearest words of the action only", () => {
		const { action_kind: _, ...bare } = { action: "", files_affected: [], commands: [], action_kind: undefined };
		const score = (action: string) => decide({ ...bare, action }, RULES).risk_score;
		expect(score("Delete the old logs")).toBe(35);
		expect(score("Deploy to staging")).toBe(31);
		expect(score("Refactor the deletion service")).toBe(0);
		expect(check({ action: "Delete the old logs", action_kind: "edit" }).risk_score).toBe(0);
	});

	it("of a deleted folder counts what is protected in it", () => {
		const rules = { protectedPaths: ["infra/prod/main.tf"] };
		expect(fired({ files_affected: ["infra"], action_kind: "delete" }, rules)).toEqual([
			"protected_path",
			"delete_action",
		]);
		expect(fired({ files_affected: ["infra"] }, rules)).toEqual([]);
	});

	it("is over budget only above it", () => {
		expect(fired({ estimated_cost_usd: 2 }, { budgetUsd: 2 })).toEqual([]);
		expect(check({ estimated_cost_usd: 2.01 }, { budgetUsd: 2 })).toMatchObject({
			decision: "confirm",
			risk_score: 40,
		});
	});

	it("keeps the built-in rules, whatever a manifest takes back", () => {
		expect(fired({ files_affected: [".env"] }, { protectedPaths: ["!.env"] })).toEqual(["protected_path"]);
		expect(decided("git reset --hard")).toBe("deny");
	});
});

// Pieces that commands are made of; anything can follow anything.
const piece = fc.oneof(
	fc.constantFrom(
		"rm",
		"-rf",
		"/",
		"echo",
		"'",
		'"',
		"`",
		"$(",
		")",
		"(",
		"{",
		"}",
		"${",
		"$x",
		"x=/",
		"|",
		"||",
		"&&",
		"&",
		";",
	),
	fc.constantFrom(
		"\n",
		"\\",
		"<<A",
		"<<<",
		">",
		">>",
		"<(",
		"A",
		"if",
		"then",
		"fi",
		"for",
		"in",
		"do",
		"done",
		"case",
		"esac",
		"[[",
		"]]",
	),
	fc.constantFrom(
		"sudo",
		"bash -c",
		"eval",
		"xargs",
		"git push",
		"-f",
		"{a,b}",
		"{1..9}",
		"((",
		"))",
		"find . -exec",
		"python -c",
		"*",
		"~",
		"# ",
	),
	fc.string({ unit: "binary", maxLength: 6 }),
);
const garbage = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(" "));

const sound = fc.constantFrom(
	"ls",
	"echo 'rm -rf /'",
	"rm -rf dist",
	"rm -rf /",
	"git push --force",
	"cat a | grep b",
	"x=/tmp/y",
	"rm -rf $x",
	"rm -rf $x/",
	"echo x > .env",
	"cd infra",
	"psql -c 'DROP TABLE t'",
	"for i in a b; do echo $i; done",
	"f() { ls; }",
	"curl http://x",
	"sudo true",
	"npm publish",
	"cat <<EOF\nrm -rf /\nEOF\n",
	"$y -rf /",
	"echo 'rm -rf /' | sh",
);
const joint = fc.constantFrom("; ", " && ", " || ", " | ", " & ", "\n");

describe("whatever the command", () => {
	it("a decision is made, and the same one again", () => {
		fc.assert(
			fc.property(fc.array(garbage, { maxLength: 3 }), (commands) => {
				expect(check({ commands })).toEqual(check({ commands }));
			}),
			{ numRuns: 500 },
		);
	});

	it.each(["constructor", "__proto__", "toString", "hasOwnProperty"])("%s is a name like any other", (name) => {
		for (const command of [
			name,
			`${name} -x --y`,
			`echo $${name}`,
			`git ${name}`,
			`docker ${name}`,
			`if ${name}; then x; fi`,
		]) {
			expect(["allow", "confirm"]).toContain(decided(command));
		}
	});

	it.each([
		["printf '%", "0"],
		["cp a ", "/"],
		["chmod ", "o"],
		["sed ';", " "],
		['psql -c "', "'"],
		["psql -c '/*", "*"],
		["python -c '", 'rename("a",'],
		["node -e '", "rm("],
		["base64 -d <<< '", "="],
		["mongosh --eval 'x.remove(", " "],
	])("reads %j and a long run of %j in linear time", (start, more) => {
		const command = `${start}${more.repeat(60_000 / more.length)}x`;
		expect(check({ commands: [command] }).risk_score).toBeGreaterThanOrEqual(0);
	});

	it("one more segment never lowers the score", () => {
		fc.assert(
			fc.property(sound, joint, sound, joint, sound, (first, glue, second, other, third) => {
				const two = first + glue + second;
				const before = check({ commands: [two] }).risk_score;
				for (const more of [two + other + third, `${third}; ${two}`, `${third}\n${two}`]) {
					expect(check({ commands: [more] }).risk_score).toBeGreaterThanOrEqual(before);
				}
			}),
			{ numRuns: 1000 },
		);
	});

	it("one more command, or padding, never lowers the score", () => {
		fc.assert(
			fc.property(garbage, garbage, (first, second) => {
				const before = check({ commands: [first] }).risk_score;
				expect(check({ commands: [first, second] }).risk_score).toBeGreaterThanOrEqual(before);
				expect(check({ commands: [second, first] }).risk_score).toBeGreaterThanOrEqual(before);
			}),
		);
		const all = "rm -rf /; echo x > .env; npm publish; rm -rf dist";
		const before = check({ commands: [all] }).risk_score;
		for (const padded of [`${"true;".repeat(20_000)} ${all}`, `${all}; ${"true;".repeat(20_000)}`]) {
			expect(check({ commands: [padded] }).risk_score).toBeGreaterThanOrEqual(before);
		}
	});

	it.each([
		(command: string) => `sudo ${command}`,
		(command: string) => `env X=1 ${command}`,
		(command: string) => `timeout 5 ${command}`,
		(command: string) => `bash -c ${quoteShellWord(command)}`,
		(command: string) => `${command} && ls`,
		(command: string) => `ls; ${command}`,
		(command: string) => `(${command})`,
		(command: string) => `echo "$(${command})"`,
	])("what is denied stays denied inside %s", (wrap) => {
		for (const command of [
			"rm -rf /",
			"git push -f",
			"psql -c 'DROP TABLE t'",
			"echo 'rm -rf /' | sh",
			"X=1 git reset --hard",
		]) {
			expect(decided(wrap(command))).toBe("deny");
		}
	});

	it("it is examined, up to the largest body", () => {
		expect(fired({ commands: [`echo ${"a".repeat(2_000_000)}`] })).toEqual([]);
		expect(fired({ commands: [`echo ${"a".repeat(500_000)} > .env`] })).toEqual(["protected_path"]);
		const written = fired({ commands: [`cat > a.ts <<'E'\n${"const a = 1;\n".repeat(150_000)}E\nrm -rf ~`] });
		expect(written).toContain("forbidden_command");
		expect(written).not.toContain("oversize_command");
		expect(decided("ls\n".repeat(600_000))).toBe("allow");
	});

	it.each([
		"(",
		")",
		"'",
		'"',
		"{",
		"}",
		"`",
		"$(",
		"$((",
		"${",
		'"$(',
		"<<A",
		"<<A\n",
		"{a,b}",
		"((",
		"a;",
		"a|",
		"\\",
		"[[ ",
		"sudo -u ",
		"xargs ",
		"sh -c ",
		"a=$a$a;",
		"echo x>a;",
	])(
		"a megabyte of %j is denied without exploding",
		(text) => {
			expect(decided(`${text.repeat(1_000_000 / text.length)}\nrm -rf ~`)).toBe("deny");
		},
		// Time itself is not asserted; a quadratic reading of a megabyte would not end within this.
		20_000,
	);

	it("what is too deep, too much or too complex is denied, not ignored", () => {
		expect(decided(`echo ${"$(".repeat(100)}ls${")".repeat(100)}`)).toBe("deny");
		expect(decided(`echo ${"{a,b}".repeat(20)}`)).toBe("deny");
		expect(decided(Array.from({ length: 250_000 }, (_, at) => `'${at.toString(36)}';`).join(""))).toBe("deny");
		expect(decided(`sudo ${"--no-such x ".repeat(2_000)} ls`)).toBe("deny");
		expect(decided(`x=aaaaaaaa; ${"x=$x$x; ".repeat(30)} ls`)).toBe("deny");
	});

	it("two megabytes of different commands are judged by what they do", () => {
		const commands = Array.from(
			{ length: 38_000 },
			(_, at) => `build${at} --opt${at} file${at}.txt arg ${at} some/path/x`,
		);
		expect(decided(commands.join("\n"))).toBe("allow");
		expect(decided([...commands, "rm -rf ~"].join("\n"))).toBe("deny");
		expect(decided(`build ${"word ".repeat(400_000)}`)).toBe("allow");
		expect(decided(`build ${"word ".repeat(400_000)} --out=~/.ssh/id_rsa`)).not.toBe("allow");
	});

	it("says once that a command could not be examined, and claims nothing that was not seen", () => {
		const decision = check({
			commands: ["touch .env", `x=aaaaaaaa; ${"x=$x$x; ".repeat(30)} ls`],
			action_kind: "delete",
		});
		expect(decision.factors.filter(({ triggered }) => triggered).map(({ id }) => id)).toContain("deploy_action");
		expect(decision.reason).toBe(
			"Denied: risk score 100 reaches the block threshold of 86. " +
				"A command is too large to be examined " +
				"(command 2: too large, too deep or too complex: nothing it could do is ruled out). " +
				"Split it into smaller commands. " +
				"Touches a protected path (command 1, `touch .env`: .env is protected by .env). Deletes something (the action is of kind delete).",
		);
	});

	const list = (length: number, entry: (at: number) => string) => Array.from({ length }, (_, at) => entry(at));
	const folders = list(7, (at) => `cd f${at}; `).join("");

	it.each<[string, readonly string[], readonly string[]]>([
		["words", list(2000, () => "a ".repeat(480)), list(200, (at) => "a ".repeat(240) + at)],
		["paths", list(2000, () => "./a ".repeat(240)), list(200, (at) => `a ${"./a ".repeat(120)}${at}`)],
		["flags", list(20, () => `a ${"--fo ".repeat(12_000)}`), list(200, (at) => `a ${"--fooo ".repeat(60)}--x${at}`)],
		["names", list(18_000, (at) => `${"abc".repeat(50)}${at}`), list(200, (at) => `${"*a".repeat(200)}${at}`)],
		["files", list(20, () => `${folders}rm -r ${"ab ".repeat(30_000)}`), []],
		["folded letters", list(10, () => `touch ${`${"\ufdfa".repeat(1200)} `.repeat(100)}`), []],
	])("more %s than can be compared count as everything that a command can do", (_, commands, forbiddenCommands) => {
		// The last is only triggered where looking stopped.
		expect(fired({ commands }, { forbiddenCommands })).toEqual(
			expect.arrayContaining(["forbidden_command", "oversize_command", "deploy_action"]),
		);
	});

	it("200 patterns are compared with 5,000 commands and 5,000 files of a command", () => {
		const forbiddenCommands = list(200, (at) => `git ${at % 2 ? "push" : "reset"} --option${at} ./branch${at} *`);
		const commands = list(5000, (at) => `git -C repo${at} add src/file${at}.ts --verbose`);
		const files = list(5000, (at) => `src/feature${at % 97}/file${at}.ts`).join(" ");
		expect(fired({ commands: [...commands, `touch ${files}`] }, { forbiddenCommands })).toEqual([]);
		expect(fired({ commands: ["git push --option3 branch3"] }, { forbiddenCommands })).toEqual(["forbidden_command"]);
	});
});

describe("the risk score of an action", () => {
	it.each<[Parameters<typeof scoreRisk>[0], string, FactorId[]]>([
		[{ kind: "read", targets: ["src/a.ts"] }, "auto", []],
		[{ kind: "edit", targets: ["src/a.ts"] }, "auto", []],
		[{ kind: "edit", targets: [".env"] }, "approve", ["protected_path"]],
		[{ kind: "read", targets: ["~/.ssh/id_rsa"] }, "block", ["forbidden_command"]],
		[{ kind: "delete", targets: ["dist"] }, "confirm", ["delete_action"]],
		[{ kind: "delete", targets: ["/"] }, "block", ["forbidden_command", "protected_path", "delete_action"]],
		[{ kind: "deploy", targets: ["api"] }, "confirm", ["deploy_action"]],
		[{ kind: "network", targets: ["https://example.com"] }, "auto", ["network_action"]],
		[{ kind: "exec", targets: ["ls"] }, "confirm", ["exec_action"]],
		[{ kind: "exec", targets: ["git push --force"] }, "block", ["forbidden_command", "exec_action"]],
	])("%j is %s", (input, tier, factors) => {
		expect(scoreRisk(input)).toMatchObject({ tier, factors });
	});
});
