// The prompts of coder and critic, each with a bound on what is embedded in it. Files and issues that other models wrote, and the task
// where a critic must know it, are material between the request's marks (inference/material.ts). Pure.
import { fitPlaceholder, placeholder, placeholderBytes } from "../inference/answer-placeholder.ts";
import { materialRule, renderMaterial } from "../inference/material.ts";
import type { JsonQuestion } from "../orchestration/json-reply.ts";
import { nonceFor, verdictTokens } from "../orchestration/prompt.ts";
import { type Member, type Question, systemMessage, userMessage } from "../orchestration/strategy.ts";
import { boundaryFrom, type CodeFile, deletionRule, fileBlock, formatRules, markFor } from "./file-format.ts";
import { type CodeTask, languageDisplay } from "./request.ts";
import { type CodeVerdict, codeVerdictSchema, VERDICT_FORM, VERDICT_SCHEMA } from "./verdict.ts";

/** Room for the files of all cycles so far, as a multiple of one answer's. An answer that was continued is twice as long. */
const FILES_SHARE = 2;
/** The least and the most room for files, however long an answer may be: about 50,000 tokens fit into every model. */
const LEAST_FILES_BYTES = 1_000;
const MOST_FILES_BYTES = 200_000;
/** Room for the issues in the prompt of a repair, and for those of earlier repairs, in bytes of JSON. */
const ISSUES_BYTES = 6_000;
const TRIED_BYTES = 3_000;
/** Room for a verdict and for reasoning before it. */
const CODE_VERDICT_TOKENS = 1_024;

export const CODER_ROLE = "coder";
const REVIEWER_ROLE = "reviewer";

/** Said to coder and critic, since neither can know what the other did. */
const NOTHING_RUNS =
	"The service executes neither the code nor tests of it. Never say or imply that anything was run, tested or measured.";

function coderRules(task: CodeTask, boundary: string): string {
	const language = languageDisplay(task.language);
	return [
		`You are a senior engineer. You write complete, working ${language} for the task that the user gives you.`,
		"Write every file in full. Nothing is left out, abbreviated or left to do, and no text stands for code that is not there.",
		"Handle errors and edge cases. Use no dependency that the task does not call for.",
		`Write comments, and what little you say outside of the files, in the language that the user writes in, unless the task says otherwise. Names and idioms in the code stay those customary in ${language}.`,
		NOTHING_RUNS,
		"",
		formatRules(boundary),
	].join("\n");
}

/** A question to a coder, and the boundary that its files are written with. */
export interface CoderQuestion {
	question: Question;
	boundary: string;
}

function coderQuestion(
	{ maxTokens, temperature, language }: CodeTask,
	member: Member,
	stage: string,
	messages: Question["messages"],
): Question {
	return { stage, role: CODER_ROLE, member, messages, maxTokens, temperature, json: false, asksFor: language.id };
}

/** Asks for a first draft. */
export function draftQuestion(task: CodeTask, member: Member, stage: string): CoderQuestion {
	const boundary = boundaryFrom(markFor(task.nonce, [task.text]));
	const messages = [systemMessage(coderRules(task, boundary)), userMessage(task.text)];
	return { question: coderQuestion(task, member, stage, messages), boundary };
}

function writtenSlot({ maxTokens }: Pick<Question, "maxTokens">): number {
	return Math.min(placeholderBytes(maxTokens), MOST_FILES_BYTES);
}

function continuedMessages({ question, boundary }: CoderQuestion, written: string): Question["messages"] {
	const prompt =
		"Your last message was cut off at its length limit. Continue it with the line that follows its last line. Repeat nothing, and " +
		"write no introduction and no Markdown fence. If a file is open, go on inside it and close it with " +
		`<<<END ${boundary}>>>; then write the files that are still missing.`;
	const said = { role: "assistant" as const, content: [{ type: "text" as const, text: written }] };
	return [...question.messages, said, userMessage(prompt)];
}

/** Asks a model to continue its cut answer. @param beginning the part of the answer that is kept. */
export function codeContinuation(asked: CoderQuestion, member: Member, stage: string, beginning: string): Question {
	const written = fitPlaceholder(beginning, writtenSlot(asked.question));
	return { ...asked.question, stage, member, messages: continuedMessages(asked, written) };
}

/** The longest question that continues an answer to a question. */
export function longestCodeContinuation(asked: CoderQuestion, stage: string): Question {
	const messages = continuedMessages(asked, placeholder(writtenSlot(asked.question)));
	return { ...asked.question, stage, messages };
}

function filesSlot({ maxTokens }: CodeTask): number {
	const share = Math.ceil(FILES_SHARE * placeholderBytes(maxTokens));
	return Math.min(Math.max(share, LEAST_FILES_BYTES), MOST_FILES_BYTES);
}

function listing(task: CodeTask, files: readonly CodeFile[], mark: string): string {
	return fitPlaceholder(files.map((file) => fileBlock(boundaryFrom(mark), file)).join(""), filesSlot(task));
}

/** A repair that made the files worse. */
export interface FailedRepair {
	/** Paths that it wrote or removed. */
	changed: readonly string[];
	issues: readonly string[];
}

/** What a repair starts from. */
export interface RepairInput {
	files: readonly CodeFile[];
	issues: readonly string[];
	/** Repairs of these files that made them worse. */
	tried: readonly FailedRepair[];
}

const REPAIR_NOTE =
	"Mend every issue of the files, and nothing that is not wrong. Where a file is cut in the middle by the line […], that line is not part of it.";
const TRIED_NOTE =
	"The files above were repaired before, and that made them worse, so it was undone. Avoid these faults, and mend those that the files have too:";

/** The texts of a repair's prompt, each within its room. Empty where there is none. */
interface RepairTexts {
	files: string;
	issues: string;
	tried: string;
}

function repairText(task: CodeTask, mark: string, { files, issues, tried }: RepairTexts): string {
	return [
		files === ""
			? "There are no files yet: the last answer had none that could be read."
			: renderMaterial(mark, "Files", [files]),
		renderMaterial(mark, "Issues", [issues]),
		...(tried === "" ? [] : [TRIED_NOTE, renderMaterial(mark, "Faults", [tried])]),
		`The task that the files are written for:\n\n${task.text}`,
		`${REPAIR_NOTE}\n${deletionRule(boundaryFrom(mark))}`,
	].join("\n\n");
}

function repairPrompt(task: CodeTask, member: Member, stage: string, mark: string, texts: RepairTexts): CoderQuestion {
	const boundary = boundaryFrom(mark);
	const rules = `${coderRules(task, boundary)}\n\n${materialRule(mark)}`;
	const messages = [systemMessage(rules), userMessage(repairText(task, mark, texts))];
	return { question: coderQuestion(task, member, stage, messages), boundary };
}

function toIssueList(issues: readonly string[]): string {
	return issues.map((issue) => `- ${issue}`).join("\n");
}

function describeFailedRepair({ changed, issues }: FailedRepair): string {
	return `A repair that changed ${changed.length > 0 ? changed.join(", ") : "nothing"}:\n${toIssueList(issues)}`;
}

/** Asks for a repair of files, given their issues. */
export function repairQuestion(
	task: CodeTask,
	member: Member,
	stage: string,
	{ files, issues, tried }: RepairInput,
): CoderQuestion {
	// The last one first: of a text that is too long, the middle is left out.
	const failed = tried.map(describeFailedRepair).toReversed().join("\n");
	const contents = files.map(({ path, content }) => `${path}\n${content}`);
	const mark = markFor(task.nonce, [task.text, ...issues, failed, ...contents]);
	return repairPrompt(task, member, stage, mark, {
		files: listing(task, files, mark),
		issues: fitPlaceholder(toIssueList(issues), ISSUES_BYTES),
		tried: fitPlaceholder(failed, TRIED_BYTES),
	});
}

/** The longest question for a repair. */
export function longestCodeRepair(task: CodeTask, member: Member, stage: string): CoderQuestion {
	return repairPrompt(task, member, stage, markFor(task.nonce, [task.text]), {
		files: placeholder(filesSlot(task)),
		issues: placeholder(ISSUES_BYTES),
		tried: placeholder(TRIED_BYTES),
	});
}

const CRITIC = [
	"You review code that another model wrote for a task of a user. The task is quoted, so that you know what the code is to do.",
	"Does it do all of that? Look for errors, missing parts, unhandled cases, security holes, and code that does not compile.",
	"Style counts for nothing. Name an issue only where something is wrong that the user would have to mend, with its path and how to mend it; at most ten, the gravest first. A remark that nobody has to act on belongs into the reason.",
	"Where the line […] stands in the middle of what you are shown, the service has cut it out for its length: that is no fault of the code.",
	`You judge by reading. ${NOTHING_RUNS}`,
	"First give your reason, then the issues. The code has passed exactly when there is no issue. The score is your confidence that it is right: 1 is flawless, 0.7 good enough to use.",
	"Write reason and issues in the language that the task is written in.",
	`Answer with a JSON object and nothing else: ${VERDICT_FORM}`,
].join("\n");

function criticQuestion(
	task: CodeTask,
	member: Member,
	stage: string,
	mark: string,
	files: string,
): JsonQuestion<CodeVerdict> {
	const request = [
		renderMaterial(mark, "Task", [task.text]),
		renderMaterial(mark, "Files", [files]),
		`The files are to be in ${languageDisplay(task.language)}. Your verdict as ${VERDICT_FORM}`,
	].join("\n\n");
	return {
		stage,
		role: REVIEWER_ROLE,
		member,
		messages: [systemMessage(`${CRITIC}\n\n${materialRule(mark)}`), userMessage(request)],
		maxTokens: verdictTokens(task, { most: CODE_VERDICT_TOKENS }),
		temperature: 0,
		json: true,
		mayBeLeft: true,
		schema: codeVerdictSchema,
		form: VERDICT_FORM,
		jsonSchema: VERDICT_SCHEMA,
		repairNonce: nonceFor(task, "review repair"),
	};
}

/** Asks for a review of files. */
export function reviewQuestion(
	task: CodeTask,
	member: Member,
	stage: string,
	files: readonly CodeFile[],
): JsonQuestion<CodeVerdict> {
	const mark = markFor(task.nonce, [task.text, ...files.map(({ path, content }) => `${path}\n${content}`)]);
	return criticQuestion(task, member, stage, mark, listing(task, files, mark));
}

/** The longest question for a review. */
export function longestReview(task: CodeTask, member: Member, stage: string): JsonQuestion<CodeVerdict> {
	return criticQuestion(task, member, stage, markFor(task.nonce, [task.text]), placeholder(filesSlot(task)));
}
