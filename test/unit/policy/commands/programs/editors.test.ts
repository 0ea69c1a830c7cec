// Lines of editors: what they run, write and remove.
import { describe, expect, it } from "vitest";
import { decide } from "../../../../../src/policy/decide.ts";

const decided = (command: string) =>
	decide(
		{ action: "Change something", action_kind: "edit", files_affected: [], commands: [command] },
		{ protectedPaths: [], forbiddenCommands: [], budgetUsd: Number.POSITIVE_INFINITY },
	).decision;

describe("a line of an editor", () => {
	it.each([
		"vim -c '!rm -rf ~'",
		"vim -c ':silent !rm -rf ~' -c q",
		"nvim --headless -c '!rm -rf ~' +q",
		"vim +'!rm -rf ~' x",
		"vi '+silent! !rm -rf ~' x",
		"vim -es -c 'r !rm -rf ~' -c q",
		"vim -es -c '%!rm -rf ~' x",
		"vim -es -c 'exe \"!rm -rf ~\"' -c q",
		"vim -c 'call system(\"rm -rf ~\")' -c q",
		"vim -c 'let x=1 | !rm -rf ~'",
		'vim -c \'call delete("/home/me", "rf")\' -c q',
		"nvim --cmd 'lua os.execute(\"rm -rf ~\")'",
		"vim -c 'terminal rm -rf ~'",
		"ex -sc '!rm -rf ~' x",
		"ex x <<< '!rm -rf ~'",
		"ed x <<< '!rm -rf ~'",
		"ed -s <<< 'r !rm -rf ~'",
		"printf '%s\\n' '1,$w !rm -rf ~' q | ed x",
	])("%s is denied", (command) => {
		expect(decided(command)).toBe("deny");
	});

	it.each([
		"ed -s x <<< 'w .env'",
		"vim -es -c 'w .env' -c q x",
		"vim .env",
		"ed x < commands.ed",
		"cat script | ex x",
	])("%s is asked about", (command) => {
		expect(["confirm", "approve"]).toContain(decided(command));
	});

	it.each([
		"vim notes.md",
		"vim +42 src/a.ts",
		"vim +/main src/a.ts",
		"nvim -c 'set number' src/a.ts",
		"vim -es -c '%s/a/b/g' -c wq src/a.ts",
		"ed -s src/a.ts <<< $'1,$s/a/b/\\nw\\nq'",
		"nvim --headless '+Lazy! sync' +qa",
	])("%s is allowed", (command) => {
		expect(decided(command)).toBe("allow");
	});
});
