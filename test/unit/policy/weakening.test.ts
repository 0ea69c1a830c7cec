// What the trail says of a manifest that allows more than the one before.
import { describe, expect, it } from "vitest";
import { normalizeManifest } from "../../../src/policy/manifest.ts";
import { findWeakenings } from "../../../src/policy/weakening.ts";

const manifest = (more: Partial<Parameters<typeof normalizeManifest>[0]> = {}) =>
	normalizeManifest({
		workspace_id: "w",
		protected_paths: ["infra/", "!infra/docs"],
		forbidden_commands: ["rm -rf", "terraform apply"],
		require_handoffs: true,
		require_risk_gate: true,
		...more,
	});

describe("a changed manifest", () => {
	it("that says the same, more, or the same in another order is not weaker", () => {
		expect(findWeakenings(manifest(), manifest())).toEqual([]);
		const more = {
			protected_paths: ["a", "!infra/docs", "infra/"],
			forbidden_commands: ["x", "terraform apply", "rm -rf"],
		};
		expect(findWeakenings(manifest(), manifest({ ...more, project_name: "P", stack: [] }))).toEqual([]);
		expect(findWeakenings(manifest(), manifest({ protected_paths: ["infra/"] }))).toEqual([]);
	});

	it("is weaker by each entry that is gone or replaced, once", () => {
		const before = manifest({ forbidden_commands: ["rm -rf", "rm -rf", "x"] });
		expect(findWeakenings(before, manifest({ protected_paths: ["infra/prod/"], forbidden_commands: ["x"] }))).toEqual([
			{ member: "protected_paths", removed: "infra/" },
			{ member: "forbidden_commands", removed: "rm -rf" },
		]);
	});

	it("is weaker by an exception, and by a rule that is off", () => {
		const after = manifest({
			protected_paths: ["infra/", "!infra/x"],
			require_handoffs: false,
			require_risk_gate: null,
		});
		expect(findWeakenings(manifest(), after)).toEqual([
			{ member: "protected_paths", added: "!infra/x" },
			{ member: "require_handoffs" },
			{ member: "require_risk_gate" },
		]);
	});

	it("that is empty is weaker by everything", () => {
		const empty = normalizeManifest({ workspace_id: "w" });
		expect(findWeakenings(manifest(), empty)).toHaveLength(5);
		expect(findWeakenings(empty, manifest())).toEqual([{ member: "protected_paths", added: "!infra/docs" }]);
	});

	it("that allows a command is weaker by it; one that allows fewer is not", () => {
		const allowing = manifest({ allowed_commands: ["npm run *", "make", "make"] });
		expect(findWeakenings(manifest(), allowing)).toEqual([
			{ member: "allowed_commands", added: "npm run *" },
			{ member: "allowed_commands", added: "make" },
		]);
		expect(findWeakenings(allowing, manifest({ allowed_commands: ["make", "just"] }))).toEqual([
			{ member: "allowed_commands", added: "just" },
		]);
		expect(findWeakenings(allowing, manifest())).toEqual([]);
	});

	it("that lets runs approve themselves again is weaker by it; one that forbids it is not", () => {
		const forbidding = manifest({ tools: { self_approval: false } });
		expect(findWeakenings(manifest({}), forbidding)).toEqual([]);
		expect(findWeakenings(forbidding, forbidding)).toEqual([]);
		expect(findWeakenings(forbidding, manifest({ tools: { self_approval: true } }))).toEqual([
			{ member: "tools.self_approval", removed: "false", added: "true" },
		]);
	});

	it("that restricts tools less is weaker by it; one that denies what it asked about is not", () => {
		const asking = manifest({ tools: { ask: ["a__*"], deny: ["b__*"], unknown: "deny" } });
		expect(findWeakenings(manifest(), asking)).toEqual([]);
		expect(findWeakenings(asking, manifest({ tools: { deny: ["a__*", "b__*"], unknown: "deny" } }))).toEqual([]);
		expect(findWeakenings(asking, manifest({ tools: { allow: ["a__*"], unknown: "allow" } }))).toEqual([
			{ member: "tools.deny", removed: "b__*" },
			{ member: "tools.ask", removed: "a__*" },
			{ member: "tools.allow", added: "a__*" },
			{ member: "tools.unknown", removed: "deny", added: "allow" },
		]);
	});
});
