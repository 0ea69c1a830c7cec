// What the skills promise beyond their form: every skill its language and its stance towards pasted text, single skills what is
// listed for them here. Only what a machine can see.
import { parser } from "@prometheus-io/lezer-promql";
import { parse as parseYaml } from "yaml";
import * as z from "zod";
import type { Skill } from "../../src/skills/skill.ts";

/** A skill's text by headings; the role stands under the empty one. */
export type SkillSections = ReadonlyMap<string, string>;

/** Whether a promise is broken, and the fault to report. */
type SkillCheck = [isBroken: boolean, fault: string];

/** The promises of one skill. Its text comes as one line per paragraph or list item. */
type PromiseChecks = (section: (title: string) => string) => SkillCheck[];

/** An invocation is one request: nobody answers a question or reports a result (docs/reference/chat.md, "Skills"). */
const SECOND_TURN =
	/\b(?:(?:come|report|get|write) back|let me know|tell me (?:what|when|if)|wait for (?:the|their|an|your) (?:answer|reply|results?)|(?:next|following) (?:message|turn|reply)|once you have)\b/i;

/** Limits such as "stop at seven findings" or "at most ten blockers". */
const FINDING_LIMIT =
	/\b(?:stop at|at most|no more than|up to|the first|only the)\b[^.;]{0,20}\b(?:findings|blockers|majors|comments)\b/i;

/** The first limit of findings that is not one of minor findings only. */
function findFindingLimit(text: string): string | undefined {
	const clauses = text.split(/[.;]/).filter((clause) => !/^\s*minors\b/.test(clause));
	return clauses.flatMap((clause) => FINDING_LIMIT.exec(clause)?.[0] ?? [])[0];
}

const YEAR = /\b(?:19|20)\d\d\b/;
const LAWS = [
	/\b(?:EU )?GDPR\b/,
	/\bData \(Use and Access\) Act\b/,
	/\bDigital Omnibus\b/,
	/\bePrivacy\b/,
	/\bPECR\b/,
	/\bCCPA\b/,
	/\bHIPAA\b/,
	/\bCOPPA\b/,
	/\bFTC\b/,
	/\bMy Health My Data Act\b/,
	/\bBIPA\b/,
	/\bart\. \d/,
];
/** Characters between a law's name and its date. */
const DATE_WITHIN = 60;

/** The text with each paragraph and list item on one line. */
function unwrap(text: string): string {
	return text.replace(/\n(?:> ?)?[ \t]*(?=[^\s>|#-])(?!\d+\. |```)/g, " ");
}

const countWords = (text: string) => text.match(/[\p{L}\p{N}][\p{L}\p{N}'’_.,-]*/gu)?.length ?? 0;

/** The first block quote of an example: the answer that it shows. */
function firstAnswer(example: string): string {
	const quoted = /(?:^>.*\n?)+/m.exec(example)?.[0] ?? "";
	return quoted.replace(/^> ?/gm, "");
}

const ruleFileSchema = z.strictObject({
	groups: z.array(
		z.strictObject({
			name: z.string(),
			rules: z.array(
				z.strictObject({
					record: z
						.string()
						.regex(/^[a-zA-Z_:][\w:]*$/)
						.optional(),
					alert: z.string().optional(),
					expr: z.string(),
					for: z.string().optional(),
					labels: z.record(z.string(), z.string()).optional(),
				}),
			),
		}),
	),
});

function isPromql(expression: string): boolean {
	let hasError = expression.trim() === "";
	parser.parse(expression).iterate({
		enter: ({ type }) => {
			hasError ||= type.isError;
		},
	});
	return !hasError;
}

/** What is wrong with the PromQL of a text: rule files in fences, and inline code with a range such as `[5m]`. */
export function findPromqlFaults(text: string): string[] {
	const plain = text.replace(/^> ?/gm, "");
	const files = [...plain.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, file = ""]) =>
		ruleFileSchema.safeParse(parseYaml(file)),
	);
	const rules = files.flatMap(({ data }) => data?.groups.flatMap((group) => group.rules) ?? []);
	const inline = plain.match(/(?<=`)[^`\n]*\[\d+[smhdwy]\][^`\n]*(?=`)/g) ?? [];
	const recorded = new Set(rules.map(({ record }) => record));
	const read = rules.flatMap(({ expr }) => expr.match(/\b[a-z]\w*(?::\w+)+/g) ?? []);
	const misread = [...rules.map(({ expr }) => expr), ...inline].filter((expression) => !isPromql(expression));
	return [
		...(rules.length === 0 ? ["it shows no rules"] : []),
		...files.flatMap(({ error }) => (error ? [`its rule file is none: ${z.prettifyError(error)}`] : [])),
		...misread.map((expression) => `is no PromQL: ${expression}`),
		...read.filter((name) => !recorded.has(name)).map((name) => `an expression reads ${name}, which no rule records`),
	];
}

/** The laws that a text names without a date beside the first mention in each paragraph. */
function findUndatedLaws(text: string): string[] {
	return text.split("\n").flatMap((paragraph) =>
		LAWS.flatMap((law) => {
			const mention = law.exec(paragraph);
			if (!mention) return [];
			const [name] = mention;
			const isArticle = name.startsWith("art.");
			const near = isArticle
				? paragraph
				: (paragraph.slice(mention.index, mention.index + name.length + DATE_WITHIN).split(";")[0] ?? "");
			return YEAR.test(near) ? [] : [`${name} has no date in: ${paragraph.trim().slice(0, 60)}`];
		}),
	);
}

/** The parts of a page with the words that each may have, such as "Hinge (50)". */
function parseBudgets(output: string): Map<string, number> {
	const parts = [...output.matchAll(/(?:: |· )([A-Z][a-z]+)\b[^·()]*\((\d+)\)/g)];
	return new Map(parts.map(([, part = "", words]) => [part, Number(words)]));
}

/** Whether the page's parts add up to its length, and the example keeps to both. */
function checkPage(output: string, example: string): SkillCheck[] {
	const pageWords = Number(/at most (\d+) words/.exec(output)?.[1] ?? 0);
	const budgets = parseBudgets(output);
	const sum = [...budgets.values()].reduce((total, words) => total + words, 0);
	const answer = firstAnswer(example);
	const parts = answer.split(/^\*\*(?=[A-Z][a-z]+\*\*)/m).filter((part) => part.trim() !== "");
	const titles = parts.map((part) => part.slice(0, part.indexOf("**")));
	const long = parts.filter((part, at) => countWords(part) > (budgets.get(titles[at] ?? "") ?? 0));
	return [
		[pageWords === 0 || sum !== pageWords, `its parts have ${sum} words, its page ${pageWords}`],
		[titles.join() !== [...budgets.keys()].join(), `its example has the parts ${titles.join(", ")}`],
		[long.length > 0, `parts of its example are too long: ${long.map((part) => part.slice(0, 12)).join(", ")}`],
		[countWords(answer) > pageWords, `its example has ${countWords(answer)} words on its page`],
	];
}

/** Whether the short form has limits, and the example, whose draft is short, is in that form. */
function checkShortForm(output: string, example: string): SkillCheck[] {
	const draftWords = Number(/\*Short form\*[^\n]*\bup to (\d+) words/.exec(output)?.[1] ?? 0);
	const draft = /Draft: "([^"]+)"/.exec(example.replaceAll("\n", " "))?.[1] ?? "";
	const answer = firstAnswer(example);
	const lines = answer.match(/^- /gm)?.length ?? 0;
	return [
		[draftWords === 0, "it has no short form for drafts up to a length"],
		[draft === "" || countWords(draft) > draftWords, "its example's draft is not a short one"],
		[lines > 3 || /^[*#]/m.test(answer), "its example is not in the short form"],
	];
}

const LIVE_LABELS = [
	"Status",
	"Do now",
	"If not by 14:14",
	"If not by 14:20",
	"Find out",
	"Message",
	"Message when over",
	"Over when",
	"Log",
];

const PROMISES: Readonly<Record<string, PromiseChecks>> = {
	"code-review": (section) => {
		const rules = unwrap(`${section("Method")}\n${section("Output")}`);
		const limit = findFindingLimit(rules);
		return [
			[!/\bevery blocker and every major, however many\b/i.test(rules), "it does not list every blocker"],
			[limit !== undefined, `it cuts findings: ${limit}`],
			[/\bsay that alone\b|\bskip the line comments\b/.test(rules), "it drops blockers for a wrong approach"],
		];
	},
	debugging: (section) => {
		const rows =
			section("Example")
				.match(/^> \|.*\|$/gm)
				?.slice(2) ?? [];
		const hasGap = rows.some((row) =>
			row
				.split("|")
				.slice(1, -1)
				.some((cell) => cell.trim() === ""),
		);
		return [
			[!/\bone answer\b/.test(section("")), "it does not say that it has one answer"],
			[!/\bEach row ends in a fix\b/.test(section("Output")), "an outcome may end without a fix"],
			[rows.length < 2 || hasGap, "its example leaves an outcome without a consequence"],
		];
	},
	"decision-memo": (section) => checkPage(section("Output"), section("Example")),
	editing: (section) => checkShortForm(section("Output"), section("Example")),
	"incident-response": (section) => {
		const labels = [...section("Example").matchAll(/\*\*(.+?)\*\*/g)].map(([, label]) => label);
		return [
			[!/\bspeak once\b/.test(section("")), "it does not say that it answers once"],
			[labels.join() !== LIVE_LABELS.join(), `its example has the parts ${labels.join(", ")}`],
		];
	},
	observability: (section) => {
		const text = ["Method", "Output", "Pitfalls", "Example"].map(section).join("\n");
		return findPromqlFaults(text).map((fault): SkillCheck => [true, fault]);
	},
	"privacy-review": (section) => {
		const text = unwrap(["Method", "Output", "Pitfalls", "Example"].map(section).join("\n"));
		return [
			[!/\bas of [A-Z][a-z]+ 20\d\d\b/.test(text), "it does not say as of when it knows the law"],
			...findUndatedLaws(text).map((fault): SkillCheck => [true, fault]),
		];
	},
	"technical-writing": (section) => [
		[!/\bThe page alone\b/.test(section("Output")), "it does not return the page alone"],
		[/^> ?(?:---|\*\*\*)$/m.test(section("Example")), "its example ends in remarks behind a rule"],
		[/\bAfter it\b|\bTo verify\b/.test(section("Output") + section("Example")), "it adds remarks to the page"],
		[/\[verify: [^\],;]+\]/.test(firstAnswer(section("Example"))), "a gap of its example does not say where to look"],
	],
};

/** The promises of a skill that its text does not keep. */
export function findBrokenPromises({ id, raw }: Skill, sections: SkillSections): string[] {
	const section = (title: string) => sections.get(title) ?? "";
	const role = unwrap(section(""));
	const secondTurn = SECOND_TURN.exec(raw)?.[0];
	const checks: SkillCheck[] = [
		[!/\bin the task's language\b/.test(role), "it does not answer in the task's language"],
		[!/\bmaterial, not instructions\b/.test(role), "it does not treat pasted text as material, not instructions"],
		[secondTurn !== undefined, `it waits for a second turn: ${secondTurn}`],
		...(PROMISES[id]?.(section) ?? []),
	];
	return checks.filter(([isBroken]) => isBroken).map(([, fault]) => fault);
}
