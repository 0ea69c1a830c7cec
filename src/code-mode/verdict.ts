// A critic's verdict: its form, and a lenient reader of what critics write instead. Pure.
import * as z from "zod";
import { isJsonObject } from "../json.ts";

const MAX_VERDICT_ISSUES = 20;
const MAX_ISSUE_CHARACTERS = 500;

/** A critic's verdict. */
export interface CodeVerdict {
	reason: string;
	issues: string[];
	/** Null where the critic did not say it: then score and issues decide. */
	passed: boolean | null;
	/** 0 to 1. */
	score: number;
}

export const VERDICT_FORM =
	'{"reason": "one or two sentences", "issues": ["path: what is wrong and how to mend it", …], "passed": true or false, "score": a number from 0 to 1}';

export const VERDICT_SCHEMA = {
	type: "object",
	properties: {
		reason: { type: "string" },
		issues: { type: "array", items: { type: "string" } },
		passed: { type: "boolean" },
		score: { type: "number" },
	},
	required: ["reason", "issues", "passed", "score"],
	additionalProperties: false,
};

/** What critics write where there is no issue. */
const NO_ISSUE = /^\W*(?:none|no issues?(?: found)?|nothing|n\/a|null)?\W*$/iu;

/** Members of an object that state an issue, and those that name its file. */
const ISSUE_MEMBERS = ["issue", "message", "description", "problem", "detail", "text"];
const PATH_MEMBERS = ["path", "file", "filename"];

function firstText(values: Readonly<Record<string, unknown>>, names: readonly string[]): string | null {
	const text = names.map((name) => values[name]).find((value) => typeof value === "string");
	return typeof text === "string" ? text : null;
}

/** The lines of a text as issues, without the signs of a list. */
function toIssueLines(text: string): string[] {
	return text.split("\n").map((line) => line.replace(/^\s*(?:[-*•]|\d{1,2}[.)])\s+/, ""));
}

/** Issues as critics write them: a sentence, a list, an object that states one, or one whose members are paths. */
function toIssues(written: unknown): string[] {
	if (typeof written === "string") return toIssueLines(written);
	if (Array.isArray(written))
		return written.flatMap((issue) => (typeof issue === "string" ? [issue.replaceAll("\n", " ")] : toIssues(issue)));
	if (!isJsonObject(written)) return [];
	const text = firstText(written, ISSUE_MEMBERS);
	const path = firstText(written, PATH_MEMBERS);
	if (text !== null) return [path === null ? text : `${path}: ${text}`];
	if (path !== null) return [JSON.stringify(written)];
	return Object.entries(written).flatMap(([name, value]) => toIssues(value).map((issue) => `${name}: ${issue}`));
}

const issuesSchema = z.lazy(() =>
	z
		.unknown()
		.optional()
		.transform((written) =>
			toIssues(written)
				.map((issue) => issue.trim().slice(0, MAX_ISSUE_CHARACTERS))
				.filter((issue) => !NO_ISSUE.test(issue))
				.slice(0, MAX_VERDICT_ISSUES),
		),
);

/** A number, alone, as a percentage or out of another, whatever words follow it. */
const WRITTEN_SCORE = /^\s*(\d+(?:[.,]\d+)?)\s*(?:(%)|(?:\/|of|out of)\s*(\d+(?:[.,]\d+)?))?(?![\d.,])/i;

/** A score from 0 to 1, 10 or 100. */
function toScoreShare(score: number): number {
	if (score <= 1) return score;
	return score <= 10 ? score / 10 : score / 100;
}

/** A score as critics write it: `0.9`, `"0,9"`, `9`, `"9/10"`, `90`, `"90 %"`. NaN where it is none. */
function parseScore(written: string): number {
	const [, number = "", percent, most] = WRITTEN_SCORE.exec(written) ?? [];
	const score = Number(number.replace(",", ".") || Number.NaN);
	if (percent) return score / 100;
	return most === undefined ? toScoreShare(score) : score / Number(most.replace(",", "."));
}

const writtenScoreSchema = z.lazy(() =>
	z.union([z.number().transform(toScoreShare), z.string().transform(parseScore)]).pipe(z.number().min(0).max(1)),
);

const PASSED_WORDS: ReadonlyMap<string, boolean> = new Map([
	...["true", "yes", "y", "1", "pass", "passed", "ok", "approved"].map((word) => [word, true] as const),
	...["false", "no", "n", "0", "fail", "failed", "rejected"].map((word) => [word, false] as const),
]);

function parsePassed(written: unknown): boolean | null {
	return PASSED_WORDS.get(String(written).trim().toLowerCase().replace(/[.!]$/, "")) ?? null;
}

/** Whether a value states a verdict. An issue of a verdict that was cut may have a score too. */
function statesVerdict(value: unknown): boolean {
	return isJsonObject(value) && ("passed" in value || "issues" in value);
}

/** Reads verdicts. The score must be there, since nothing else says how sure the critic is. */
export const codeVerdictSchema: z.ZodType<CodeVerdict> = z.lazy(() =>
	z
		.unknown()
		.refine(statesVerdict)
		.pipe(
			z.object({
				reason: z
					.unknown()
					.optional()
					.transform((reason) => (typeof reason === "string" ? reason.trim().slice(0, MAX_ISSUE_CHARACTERS) : "")),
				issues: issuesSchema,
				passed: z.unknown().optional().transform(parsePassed),
				score: writtenScoreSchema,
			}),
		),
);
