// `svc orchestrate` and `svc code`: work of several calls, with its progress on standard error.

import type { Progress, WorkEvent } from "../../client/progress.ts";
import type { EndpointAnswer, EndpointId } from "../../client/transport.ts";
import { STRATEGIES } from "../../orchestration/strategies.ts";
import { POLICIES } from "../../orchestration/strategy.ts";
import { asChoice, FILE_FLAG } from "./chat.ts";
import type { Command, Flag } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { readPrompt } from "./input.ts";
import { firstLine, renderUsd } from "./output.ts";
import type { CommandSession } from "./session.ts";
import { findOutFolder, planFiles, writeFiles } from "./written-files.ts";

export const POLICY_FLAG: Flag = {
	value: "POLICY",
	choices: POLICIES,
	about: "efficiency, balanced (default) or depth",
};
export const MAX_COST_FLAG: Flag = { value: "USD", about: "what it may cost" };

/** A line for what happened: its kind, then its reason, or its members that are short. */
function renderProgress({ type, ...members }: Progress): string {
	const { reason } = members;
	const facts = Object.entries(members).flatMap(([name, value]) => {
		if (name === "cost_usd" && typeof value === "number") return [renderUsd(value)];
		if (name === "latency_ms" && typeof value === "number") return [`${value} ms`];
		if (typeof value === "number") return [`${name.replaceAll("_", " ")} ${value}`];
		return typeof value === "string" && value.length < 80 ? [value] : [];
	});
	const shown = typeof reason === "string" ? [firstLine(reason, 160)] : facts;
	return [type.replaceAll("_", " "), ...shown].join("  ");
}

/** Follows work to its result. */
async function followToResult<Id extends EndpointId>(session: CommandSession, events: AsyncIterable<WorkEvent<Id>>) {
	let result: Extract<WorkEvent<Id>, { type: "result" }>["result"] | undefined;
	for await (const event of events) {
		if (event.type === "progress") session.note(renderProgress(event.progress), "dim");
		else result = event.result;
	}
	// readWork throws when a stream ends without one.
	if (result === undefined) throw new TypeError("the stream ended without a result");
	return result;
}

export const orchestrateCommand: Command = {
	name: "orchestrate",
	about: "ask several models for one answer",
	operands: "PROMPT…",
	flags: {
		strategy: { value: "NAME", choices: STRATEGIES, about: `by the prompt, or ${STRATEGIES.join(", ")}` },
		policy: POLICY_FLAG,
		k: { value: "N", about: "answers that are compared" },
		"max-cost": MAX_COST_FLAG,
		file: FILE_FLAG,
	},
	async run(given, session) {
		const content = await readPrompt(given, session.terminal, "the prompt");
		const body = {
			messages: [{ role: "user" as const, content }],
			strategy: asChoice(given.text("strategy"), STRATEGIES) ?? null,
			policy: asChoice(given.text("policy"), POLICIES) ?? null,
			k: given.number("k") ?? null,
			max_cost_usd: given.number("max-cost") ?? null,
		};
		const events = session.client().orchestrateStream(body, { signal: session.signal });
		const result = await followToResult<"orchestrate">(session, events);
		session.answer(result, ({ choices }) => [choices[0].message.content]);
		for (const { message } of result.svc.warnings) session.note(`warning: ${message}`, "yellow");
		const { strategy, confidence, confidence_basis, models_used } = result.svc.orchestration;
		session.note(
			`${strategy} · ${models_used.join(", ")} · confidence ${confidence.toFixed(2)} (${confidence_basis}) · ${renderUsd(result.svc.cost.total_usd)} · ${result.id}`,
			"dim",
		);
		return EXIT.ok;
	},
};

function printFiles(session: CommandSession, files: readonly { path: string; content: string }[]): void {
	for (const { path, content } of files) session.lines([session.paint("bold", `── ${path}`), content.trimEnd(), ""]);
}

/** Writes the files below `out`; when that fails, prints them, because they are paid for. */
function keepFiles(session: CommandSession, out: string, result: EndpointAnswer<"write_code">, force: boolean): void {
	try {
		const planned = planFiles(session.terminal.folder, out, result.files, force);
		writeFiles(planned);
		for (const { path } of planned) session.note(`wrote ${path}`);
	} catch (error) {
		if (!session.isJson) printFiles(session, result.files);
		session.note(`${renderUsd(result.svc.cost.total_usd)} · ${result.id}`, "dim");
		throw error;
	}
}

export const codeCommand: Command = {
	name: "code",
	about: "write code that another model reviews",
	operands: "TASK…",
	details: ["Ends with 1 when the review found faults or there was none. Nothing that is written is run."],
	flags: {
		out: { value: "DIR", short: "o", about: "write the files there; without it they are printed" },
		force: { about: "overwrite files of the same names" },
		language: { value: "NAME", about: "told from the task where it is left out" },
		policy: POLICY_FLAG,
		"max-cost": MAX_COST_FLAG,
		file: FILE_FLAG,
	},
	async run(given, session) {
		const task = await readPrompt(given, session.terminal, "the task");
		const out = given.text("out");
		// Before anything is paid for.
		if (out !== undefined) findOutFolder(session.terminal.folder, out);
		const body = {
			task,
			language: given.text("language") ?? null,
			policy: asChoice(given.text("policy"), POLICIES) ?? null,
			max_cost_usd: given.number("max-cost") ?? null,
		};
		const events = session.client().codeStream(body, { signal: session.signal });
		const result = await followToResult<"write_code">(session, events);
		if (session.isJson) session.json(result);
		else if (out === undefined) printFiles(session, result.files);
		if (out !== undefined) keepFiles(session, out, result, given.is("force"));
		for (const issue of result.review?.issues ?? []) session.note(`issue: ${issue}`, "yellow");
		const verdict = result.passed ? "reviewed" : result.review === null ? "not reviewed" : "the review found faults";
		session.note(
			`${verdict} · ${renderUsd(result.svc.cost.total_usd)} · ${result.id}`,
			result.passed ? "green" : "yellow",
		);
		return result.passed ? EXIT.ok : EXIT.failed;
	},
};
