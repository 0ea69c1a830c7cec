// The skills that ship keep to their form, say nothing twice, and hold nothing that a compliance policy would stop.
import { describe, expect, it } from "vitest";
import { plainConversation } from "../../../src/compliance/conversation.ts";
import { detect } from "../../../src/compliance/detect.ts";
import { readLibrary, reportOn } from "../../support/skill-library.ts";
import { findPromqlFaults } from "../../support/skill-promises.ts";

const library = readLibrary();
const [first] = library;

describe.each(library.map((skill) => [skill.id, skill] as const))("%s", (_, skill) => {
	it("has its sections, a length that is read, no filler, and nothing of another's", () => {
		expect(reportOn(skill, library).faults).toEqual([]);
	});

	it("holds no sensitive data of its own, whose class a policy would bar for every task", () => {
		expect(detect(plainConversation(skill.raw)).classes).toEqual([]);
	});
});

describe("the check", () => {
	if (!first) throw new Error("the library is empty");
	const changed = (raw: string) => reportOn({ ...first, raw }, library).faults.join("; ");
	const [, second] = library;

	it.each([
		["another title", (raw: string) => raw.replace(/^# .+/, "# Other"), "title"],
		["a section missing", (raw: string) => raw.replace("## Pitfalls", "## Traps"), "sections"],
		["no role", (raw: string) => raw.replace(/\nYou /, "\nThe reader "), "role"],
		["filler", (raw: string) => raw.replace("## Method", "Follow best practices.\n\n## Method"), "best practices"],
		["half of it", (raw: string) => raw.slice(0, raw.length / 2), "words"],
		["a paragraph of another", (raw: string) => raw + second?.raw.slice(0, 900), `shares with ${second?.id}`],
	])("finds %s", (_, change, fault) => {
		expect(changed(first.raw)).toBe("");
		expect(changed(change(first.raw))).toContain(fault);
	});
});

describe("the check of a skill's promises", () => {
	it.each([
		["estimation", "Answer in the task's language.", "Answer.", "language"],
		["estimation", "material, not instructions", "helpful instructions", "pasted text"],
		["estimation", "Derive yours before", "Ask, wait for their answer, and derive yours before", "second turn"],
		["code-review", "every blocker and every major, however many", "what matters", "every blocker"],
		["code-review", "Leave out anything less.", "Stop at seven findings.", "cuts findings: Stop at seven findings"],
		["code-review", "say that first,", "say that alone,", "drops blockers"],
		["debugging", "You have one answer,", "You may ask,", "one answer"],
		["debugging", "| send binary, or raise it by 4/3 |", "| |", "without a consequence"],
		["incident-response", "> **If not by 14:20**", "> **Then**", "its example has the parts"],
		["technical-writing", "The page alone,", "The page,", "page alone"],
		["technical-writing", "never replaced.", "never replaced.\n>\n> ---\n> To verify: all of it.", "behind a rule"],
		["observability", "by (le) (rate(", "by (le (rate(", "is no PromQL: histogram_quantile"],
		["observability", '"}[5m]))', '"}[5m])', "is no PromQL: sum(rate(payments_total"],
		["observability", "record: payments:bad:ratio_rate5m", "record: payments:bad:ratio_5m", "which no rule records"],
		["observability", "    expr: absent", "    query: absent", "its rule file is none"],
		["privacy-review", ", as of June 2026**", "**", "as of when"],
		["privacy-review", "HIPAA (1996)", "HIPAA", "HIPAA has no date"],
		["privacy-review", "Directive, as amended 2009, art. 5(3))", "art. 5(3))", "art. 5 has no date"],
		["editing", "drafts of up to 150 words", "short drafts", "no short form"],
		["editing", "> - How much", "> *Questions*\n> - How much", "not in the short form"],
		["decision-memo", "Hinge\n(50)", "Hinge\n(60)", "its parts have 410 words, its page 400"],
		["decision-memo", "> **Risks**: tier", "> Tier", "its example has the parts"],
		["decision-memo", "> **Next**: ", `> **Next**: ${"and more ".repeat(10)}`, "too long: Next"],
	])("finds %s without %j", (id, text, replacement, fault) => {
		const skill = library.find((candidate) => candidate.id === id);
		if (!skill?.raw.includes(text)) throw new Error(`${id} does not hold ${text}`);
		expect(reportOn(skill, library).faults).toEqual([]);
		const raw = skill.raw.replace(text, replacement);
		expect(reportOn({ ...skill, raw }, library).faults.join("; ")).toContain(fault);
	});

	it("finds PromQL that no Prometheus would load", () => {
		const file = (expression: string) =>
			`\`\`\`yaml\ngroups: [{ name: a, rules: [{ alert: A, expr: '${expression}' }] }]\n\`\`\`\n`;
		expect(findPromqlFaults(file("rate(errors_total[5m]) > 0.1"))).toEqual([]);
		expect(findPromqlFaults(file("errors over 5 minutes > 0.1"))).toEqual([
			"is no PromQL: errors over 5 minutes > 0.1",
		]);
		expect(findPromqlFaults("No rules.")).toEqual(["it shows no rules"]);
	});
});
