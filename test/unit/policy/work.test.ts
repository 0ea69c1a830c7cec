// The bound on a check's work: charged before the work, in proportion to it, and what is decided once it is spent.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decide, decideInSteps, type PolicyInput, scoreRisk } from "../../../src/policy/decide.ts";
import { checkWork, MAX_CHECK_WORK, WorkBudget } from "../../../src/policy/work-budget.ts";
import { HOSTILE_INPUTS } from "../../bench/policy-inputs.ts";

const RULES = { protectedPaths: [], forbiddenCommands: [], budgetUsd: Number.POSITIVE_INFINITY };

/** Notes what is charged, and how often something is still charged after all was spent. */
class CountingBudget extends WorkBudget {
	charged = 0;
	chargesAfterSpent = 0;

	override charge(units: number): boolean {
		if (this.spent) this.chargesAfterSpent += 1;
		else this.charged += units;
		return super.charge(units);
	}
}

function input(commands: readonly string[]): PolicyInput {
	return { action: "Change something", action_kind: "edit", files_affected: [], commands };
}

/** The units that one command is charged where there is enough of them. */
function workOf(command: string): number {
	const work = new CountingBudget(Number.MAX_SAFE_INTEGER);
	decide(input([command]), RULES, work);
	return work.charged;
}

function fired(commands: readonly string[], work?: WorkBudget): readonly string[] {
	return decide(input(commands), RULES, work).factors.flatMap(({ id, triggered }) => (triggered ? [id] : []));
}

describe("a check of many things", () => {
	const COMMANDS = Array.from({ length: 500 }, (_, at) => `cp src/a${at} b/${at} && rm c${at}`);
	const FILES = Array.from({ length: 500 }, (_, at) => `src/${at}.ts`);

	it.each<[string, Partial<PolicyInput>]>([
		["commands", { commands: COMMANDS }],
		["commands in one line", { commands: [COMMANDS.join("; ")] }],
		["files", { files_affected: FILES }],
	])("pauses between %s, with the work done since", (_, some) => {
		const work = new CountingBudget();
		const steps = decideInSteps({ ...input([]), ...some }, RULES, work);
		const pauses: number[] = [];
		for (let step = steps.next(); !step.done; step = steps.next()) pauses.push(step.value);
		expect(pauses.length).toBeGreaterThan(500);
		expect(20 * pauses.reduce((sum, chars) => sum + chars, 0)).toBeCloseTo(work.charged, 3);
		// One in a hundred of the whole, besides a line's parse and the patterns'.
		expect(pauses.filter((chars) => 20 * chars > work.charged / 100).length).toBeLessThanOrEqual(2);
	});

	it("pauses for nothing once its work is spent", () => {
		const steps = decideInSteps(input(COMMANDS), RULES, new WorkBudget(100_000));
		const pauses = [...steps];
		expect(pauses.every(Number.isFinite)).toBe(true);
		expect(20 * pauses.reduce((sum, chars) => sum + chars, 0)).toBeLessThanOrEqual(100_000);
	});
});

describe("a budget of work", () => {
	it("affords what is left, and nothing after a charge of more than that", () => {
		const work = new WorkBudget(10);
		expect([work.charge(6), work.charge(4), work.spent]).toEqual([true, true, false]);
		expect([work.charge(1), work.spent, work.charge(0)]).toEqual([false, true, false]);
	});

	it("affords nothing once it was given up", () => {
		const work = new WorkBudget(10);
		work.exhaust();
		expect([work.spent, work.charge(0)]).toEqual([true, false]);
	});

	it("of a short check is a small part of the whole, and a long check has all of it", () => {
		expect(checkWork(1_000)).toBeLessThan(MAX_CHECK_WORK / 5);
		expect(checkWork(30_000)).toBeLessThan(MAX_CHECK_WORK / 4);
		expect(checkWork(500_000)).toBe(MAX_CHECK_WORK);
	});

	it("says once what was done until it was spent", () => {
		const work = new WorkBudget(checkWork(1_000));
		const calls = Array.from({ length: 40 }, (_, at) => `f${at}() { f${at + 1} a; f${at + 1} b; };`).join(" ");
		const pauses = [...decideInSteps(input([`${calls} f0 a`]), RULES, work)];
		expect(work.spent).toBe(true);
		expect(20 * pauses.reduce((sum, chars) => sum + chars, 0)).toBeCloseTo(checkWork(1_000), 0);
	});

	it("is a small part of what even a short check may take, for ordinary commands", () => {
		for (const command of [
			"ls",
			"npm ci && npm test -- --run",
			'git commit -m "Fix the sorting" && git push origin main',
			"cat <<'EOF' > src/a.ts\nexport const a = 1;\nEOF",
			"find . -name '*.ts' -not -path './node_modules/*' | xargs grep -l foo | sort | head -20",
			"for f in src/*.ts; do sed -i 's/a/b/' \"$f\"; done",
			'python3 -c \'import json; print(json.load(open("a.json"))["b"])\'',
		])
			expect(workOf(command)).toBeLessThan(checkWork(command.length) / 100);
	});
});

describe("work is charged in proportion to", () => {
	const LONG = 5_000;
	const value = "a".repeat(LONG);
	/** Repeats a piece with a different number in each, because an equal command is not followed again. */
	const repeatNumbered = (times: number, piece: (at: number) => string) =>
		Array.from({ length: times }, (_, at) => piece(at)).join("");
	/** Different ones, because what is known of a path is not found again. */
	const numbered = (text: string, n: number) => Array.from({ length: n }, (_, at) => `${text}${at} `).join("");

	it.each<[string, (times: number) => string, number]>([
		[
			"the folder that each redirect's path is seen from",
			(n) => `cd ${"a/".repeat(LONG / 2)}; ${numbered("> b", n)}`,
			LONG,
		],
		["the value that is replaced in", (n) => `x=${value}; ${repeatNumbered(n, (at) => `y${at}=\${x//b/c};`)}`, LONG],
		["what is put in for what is replaced", (n) => `x=${"a".repeat(n)}; y=\${x//a/${value}}`, LONG],
		["the value that is expanded", (n) => `x=${value}; echo ${"$x ".repeat(n)}`, LONG],
		["IFS", (n) => `IFS=${value}; x=a; ${repeatNumbered(n, (at) => `echo $x ${at};`)}`, LONG],
		["the parameters", (n) => `f() { ${repeatNumbered(n, (at) => `echo "$@" ${at};`)} }; f ${value}`, LONG],
		["the words that braces multiply", (n) => `echo {a,b}{a,b}{a,b}{a,b}${"x'y'".repeat(n)}`, 32],
		["the values that a command is tried with", (n) => `for i in a b c d ; do echo $i ${"w ".repeat(n)}; done`, 100],
		[
			"the functions that a call copies",
			(n) => `${Array.from({ length: n }, (_, at) => `f${at}() { :; };`).join("")}${"f0 a;".repeat(100)}`,
			100,
		],
		["what is printed into each file", (n) => repeatNumbered(n, (at) => `echo ${value} ${at} >> f;`), LONG],
		["what is passed through each pipe", (n) => `echo ${value} ${"| rev ".repeat(n)} | sh`, LONG],
		["the sets of tr", (n) => `tr ${"a-z".repeat(n)} b <<< x | sh`, 100],
		["a format of printf that is used again", (n) => `printf %.${"0".repeat(LONG)}s ${"'' ".repeat(n)} | sh`, LONG],
		["what a file holds that is run", (n) => `echo ${value} > f; ${repeatNumbered(n, (at) => `sh f ${at};`)}`, LONG],
		["what a list is put into", (n) => `xargs -I{} echo ${"{}".repeat(n)} <<< ${value}`, LONG],
		["the commands that xargs may mean", (n) => `xargs ${"-a b ".repeat(10)} ls ${"w ".repeat(n)} <<< x`, 200],
		["the wrappers that a wrapper may mean", (n) => `${"timeout -a b -c d ".repeat(2)} ls ${"w ".repeat(n)}`, 200],
		["the folders that paths are seen from", (n) => `cd a; cd b; cd c; touch ${numbered(".w", n)}`, 1_000],
		["the paths that a model looks at", (n) => `chmod 777 ${"/a ".repeat(n)}`, 500],
		["the code that is searched", (n) => `python -c '${"aa(".repeat(n)}'`, 90],
		[
			"the script that is read again in a script",
			(n) => `bash -c "bash -c '${repeatNumbered(n, (at) => `ls ${at};`)}'"`,
			400,
		],
		["the characters that look-alikes fold to", (n) => `touch ${"\ufdfa".repeat(n)}`, 500],
	])("%s", (_, command, unitsEach) => {
		expect(workOf(command(120)) - workOf(command(20))).toBeGreaterThan(100 * unitsEach);
	});
});

describe("work stays in proportion to what is written, for", () => {
	const numbered = (text: string, n: number) =>
		Array.from({ length: n }, (_, at) => text.replaceAll("@", `${at}`)).join("");

	it.each<[string, (times: number) => string]>([
		["the sources of a copy", (n) => `cp ${numbered("a@ ", n)}to`],
		["links to different files", (n) => numbered("ln -s /srv/a@ l@; ", n)],
		["copies of folders", (n) => numbered("cp -r a@ b@; ", n)],
		["folders that are unpacked", (n) => numbered("curl https://example.test/a | tar xz -C d@; ", n)],
		["groups whose output is read", (n) => `{ ${numbered("echo a@; ", n)}} | sort`],
	])("%s", (_, command) => {
		expect(workOf(command(800))).toBeLessThan(6 * workOf(command(200)));
	});

	it.each([
		["here-documents without a body", `cat ${"<<E ".repeat(400_000)}`],
		["equal words that are expanded a second time", `echo ${"'a[$(b)]' ".repeat(150_000)}`],
	])("%s, so that they are judged", (_, command) => {
		expect(workOf(command)).toBeLessThan(MAX_CHECK_WORK);
	});

	it("here-documents without a body beside what they are for", () => {
		expect(fired([`rm -rf / ${"<<E ".repeat(1_000)}`])).toContain("forbidden_command");
		expect(fired(["sh <<E\nrm -rf /\nE\nls <<F <<F"])).toContain("forbidden_command");
	});

	it("many sources of a copy, so that they are judged", () => {
		const command = (last: string) => `cp ${numbered("a@ ", 10_000)}${last}`;
		expect(decide(input([command("to")]), RULES).decision).toBe("allow");
		expect(fired([command("/etc/passwd")])).toEqual(["forbidden_command"]);
	});
});

describe("once the work is spent", () => {
	it("each command of the check counts as everything that it could be", () => {
		expect(fired(["ls", "touch a"], new WorkBudget(100))).toEqual([
			"forbidden_command",
			"oversize_command",
			"protected_path",
			"delete_action",
			"risky_command",
			"deploy_action",
			"exec_action",
			"unparsable_command",
		]);
	});

	it("files count as protected", () => {
		const files = Array.from({ length: 1000 }, (_, at) => `src/${at}.ts`);
		const check = { action: "Change", action_kind: "edit" as const, files_affected: files, commands: [] };
		expect(decide(check, RULES, new WorkBudget(100_000)).decision).toBe("approve");
		expect(decide(check, RULES).decision).toBe("allow");
		expect(scoreRisk({ kind: "edit", targets: files }, undefined, new WorkBudget(1_000)).tier).toBe("block");
	});

	it("a smaller budget never lowers the score", () => {
		const piece = fc.constantFrom(
			"rm -rf /",
			"ls",
			"| sh",
			"; ",
			"&& ",
			"echo a > .env",
			"$(",
			")",
			"x=a",
			"$x",
			"sudo ",
			"\n",
		);
		const commands = fc.array(
			fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(" ")),
			{ maxLength: 4 },
		);
		fc.assert(
			fc.property(commands, fc.integer({ min: 0, max: 60_000 }), (given, units) => {
				const score = (work: WorkBudget) => decide(input(given), RULES, work).risk_score;
				expect(score(new WorkBudget(units))).toBeGreaterThanOrEqual(score(new WorkBudget()));
			}),
			{ numRuns: 500 },
		);
	});
});

describe("a hostile check", () => {
	const SIZE = { chars: 300_000, repeats: 3_000, commands: 1 };
	/** A twenty-fifth of what a check may take: so many checks have to be decided here. */
	const FEW_UNITS = MAX_CHECK_WORK / 25;

	it.each(HOSTILE_INPUTS.map((hostile) => [hostile.name, hostile] as const))("is not allowed: %s", (_, hostile) => {
		const { input: check, rules } = hostile.build(SIZE);
		const work = new CountingBudget(FEW_UNITS);
		const { decision, factors } = decide(check, rules, work);
		expect(decision).toBe("deny");
		// Nothing goes on working on what was given up.
		expect(work.chargesAfterSpent).toBeLessThan(100_000);
		const triggered = factors.flatMap(({ id, triggered }) => (triggered ? [id] : []));
		// What was not looked at could touch anything.
		if (work.spent) expect(triggered).toContain("protected_path");
	});

	it.each([
		["a long folder and hundreds of redirects", `cd ${"a/".repeat(400_000)}; ${"> a ".repeat(400)}`],
		["long sets of tr", `tr ${"abc".repeat(30_000)} ${"def".repeat(30_000)} <<< ${"xyz".repeat(30_000)} | sh`],
		["a long value replaced in, over and over", `x=${"a".repeat(60_000)}; ${`y=\${x//a/b};`.repeat(5_000)}`],
		["a long value replaced in by a longer one", `x=${"a".repeat(60_000)}; y=\${x//a/${"b".repeat(900_000)}}`],
		["a long line filled in over and over", `xargs -I{} echo ${"{}".repeat(200_000)} <<< '${"a".repeat(500_000)}'`],
		["a long text appended over and over", `echo ${"a".repeat(900_000)} ${">> f ".repeat(10_000)}`],
		["an option of letters before a new line", `bash '-${"c".repeat(900_000)}\n'`],
		["quotes that escapes hide", `node -e "'${"\\\\'".repeat(80_000)}"`],
		["marks that would have to be put in order", `touch a${"\u0301\u0316".repeat(200_000)}`],
	])("of the largest size hides nothing: %s", (_, command) => {
		expect(decide(input([command, "rm -rf ~"]), RULES).decision).toBe("deny");
	});
});
