import { describe, expect, it } from "vitest";
import { explainUnknownCommand, matchCommand, parseWords } from "../../../../src/cli/svc/command.ts";
import { COMMANDS } from "../../../../src/cli/svc/commands.ts";
import { UsageError } from "../../../../src/cli/svc/failures.ts";
import { renderCommandHelp, renderOverview } from "../../../../src/cli/svc/help.ts";

const command = (name: string) => {
	const found = matchCommand(COMMANDS, name.split(" "));
	if (!found) throw new Error(`there is no ${name}`);
	return found.command;
};
const parse = (name: string, ...words: string[]) => parseWords(command(name), words);
const refusal = (run: () => unknown): string => {
	try {
		run();
	} catch (error) {
		if (error instanceof UsageError) return error.message;
		throw error;
	}
	return "";
};

describe("a command line", () => {
	it("is found by one word or two, and the rest are its words", () => {
		expect(matchCommand(COMMANDS, ["keys", "rotate", "key_1"])).toMatchObject({ rest: ["key_1"] });
		expect(matchCommand(COMMANDS, ["chat", "keys", "rotate"])?.command.name).toBe("chat");
		expect(matchCommand(COMMANDS, ["keys"])).toBeNull();
	});

	it("takes flags before and behind operands, short ones too, and text behind --", () => {
		const given = parse("check", "-w", "shop", "npm test", "--file=a.ts", "-f", "b.ts", "--", "--version");
		expect([given.text("workspace"), given.list("file"), given.operands]).toEqual([
			"shop",
			["a.ts", "b.ts"],
			["npm test", "--version"],
		]);
	});

	it.each([
		["chat", ["--modle", "x"], "unknown flag --modle; did you mean --model?"],
		["chat", ["--mode", "fast"], '--mode takes quality, balanced, agility, not "fast"'],
		["chat", ["--model"], "--model needs its value: --model ID"],
		["usage", ["today"], 'svc usage takes no "today"'],
		["run", ["--json=yes", "x"], "--json takes no value"],
	])("of %s with %j is refused in its own words", (name, words, text) => {
		const message = refusal(() => parse(name, ...words));
		expect(message).toContain(text);
		expect(message).not.toMatch(/ERR_|Option/);
	});

	it.each(["", " ", "1e999", "ten", "1,5"])("takes %j for no number", (text) => {
		expect(refusal(() => parse("run", "--max-cost", text).number("max-cost"))).toContain("takes a number");
	});

	it("that is no command names the nearest, or what may follow", () => {
		expect(explainUnknownCommand(COMMANDS, ["chekc"])).toContain("did you mean check?");
		expect(explainUnknownCommand(COMMANDS, ["keys", "make"])).toBe(
			'svc keys takes one of: list, create, rotate, revoke; not "make"',
		);
	});
});

describe("the help", () => {
	it("lists every command and every flag of it", () => {
		const overview = renderOverview(COMMANDS).join("\n");
		for (const each of COMMANDS) {
			expect(overview).toContain(`  ${each.name}`);
			const help = renderCommandHelp(each).join("\n");
			for (const flag of Object.keys(each.flags ?? {})) expect(help).toContain(`--${flag}`);
		}
	});

	it("has no line that a terminal of 140 columns would break", () => {
		const lines = [...renderOverview(COMMANDS), ...COMMANDS.flatMap(renderCommandHelp)];
		expect(lines.filter((line) => line.length > 140)).toEqual([]);
	});
});
