// What `svc hook` reads and prints. What a call amounts to is tested with the service's hooks.
import { describe, expect, it } from "vitest";
import { nameWorkspace, parseHookInput, toHookOutput } from "../../../../src/cli/svc/hook-inputs.ts";

describe("a hook's input", () => {
	it.each(["", "null", "[]", "{}", '{"hook_event_name":7}'])("that is %j is none", (text) => {
		expect(parseHookInput(text)).toBeNull();
	});

	it("has a workspace by the name of its folder", () => {
		expect([nameWorkspace("/home/ada/my shop"), nameWorkspace("/"), nameWorkspace("/a/..x")]).toEqual([
			"my-shop",
			"workspace",
			"..x",
		]);
	});
});

it("an answer is printed as it is, and an empty one not at all", () => {
	expect(toHookOutput({})).toEqual({ stdout: "", stderr: "", exitCode: 0 });
	const answer = { hookSpecificOutput: { permissionDecision: "deny" } };
	expect(toHookOutput(answer)).toEqual({ stdout: `${JSON.stringify(answer)}\n`, stderr: "", exitCode: 0 });
});
