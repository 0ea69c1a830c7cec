// Looks at a result of a tool before any model reads it: at what it holds, under the policies on the run, and for secrets. What is
// masked in it is up to the gate of the run, which reads it from then on (goal-gate.edge.ts).
import { plainConversation } from "../../compliance/conversation.ts";
import { gateConversation } from "../../compliance/gate.edge.ts";
import type { PolicyLevels } from "../../compliance/policy-levels.ts";
import { scanConversation } from "../../compliance/scans.edge.ts";
import type { Failure } from "../../failure.ts";
import { loadDetector } from "../../load-detector.ts";
import type { Settings } from "../../settings.ts";
import { inTurns, type TurnOwner } from "../../turns/turns.edge.ts";
import type { RunSpec } from "../run/run.ts";
import { countReadChars, type ReadTexts } from "./taint.ts";
import type { ReadResult, ResultToRead } from "./tool-services.ts";
import { takeOutLinks } from "./untrusted-links.ts";

/** Under each of the policies on a run: its own, and those of its last resumption. */
type RunPolicies = readonly (PolicyLevels | null)[];

/** What the model is told of a result that no model of the step may read. */
function withheldText(tool: string, classes: readonly string[]): string {
	const held = classes.length === 0 ? "content" : classes.join(" and ");
	return (
		`The result of ${tool} was withheld: it holds ${held}, which the compliance policy keeps from the models of this run. ` +
		"A call whose result holds none of it would pass."
	);
}

/** Those of a run's models that may read a text, and the classes of data that keep it from others. */
async function findReaders(
	text: string,
	models: readonly string[],
	policies: RunPolicies,
	{ settings, owner }: { settings: Settings; owner: TurnOwner },
): Promise<{ readers: readonly string[]; held: readonly string[] }> {
	const conversation = plainConversation(text);
	let readers = models;
	const held = new Set<string>();
	for (const levels of policies) {
		if (!levels) continue;
		const gate = await gateConversation(levels, conversation, settings, owner);
		const toModel = (id: string) => settings.catalog.findModel(id);
		const barred = readers.filter((id) => gate.reasonsAgainst(toModel(id) ?? { provider: "" }).length > 0);
		for (const name of gate.explain(barred.flatMap((id) => toModel(id) ?? [])).classes) held.add(name);
		readers = readers.filter((id) => !barred.includes(id));
	}
	return { readers, held: [...held] };
}

/** Why a message may not steer a run: policies keep it from all models of the run's step. Null where one may read it. */
export async function findMessageRefusal(
	{ spec, text, models }: { spec: Pick<RunSpec, "userId">; text: string; models: readonly string[] },
	policies: RunPolicies,
	settings: Settings,
): Promise<Failure | null> {
	const owner: TurnOwner = { user: spec.userId, signal: null };
	const { readers, held } = await findReaders(text, models, policies, { settings, owner });
	if (readers.length > 0 || models.length === 0) return null;
	const what = held.length === 0 ? "content" : held.join(" and ");
	const message = `the message holds ${what}, which the compliance policy keeps from the models of this run; nothing of this request was taken, and a message without it would pass`;
	return { reason: "compliance_blocked", message, excluded: {} };
}

/**
 * A result as models may read it. Where policies keep it from all models of the step, the model gets an error result that names the
 * classes; where they keep it from some, only the others go on.
 */
export async function judgeResult(
	{ spec, tool, result, isError, models }: ResultToRead,
	policies: RunPolicies,
	settings: Settings,
): Promise<ReadResult> {
	const owner: TurnOwner = { user: spec.userId, signal: null };
	const conversation = plainConversation(result);
	const { detectInSteps } = await loadDetector();
	const { classes } = await scanConversation(conversation, detectInSteps, owner);
	const hasSecret = classes.includes("SECRETS");
	const { readers, held } = await findReaders(result, models, policies, { settings, owner });
	if (readers.length > 0 || models.length === 0) return { result, isError, hasSecret, models: readers };
	return { result: withheldText(tool.name, held), isError: true, hasSecret: false, models };
}

/**
 * A text without images and links but those that may stay, in turns with the long computations of others.
 * @param isJson a program reads it.
 */
export function withoutTaintedLinks(userId: string, text: string, texts: ReadTexts, isJson = false): Promise<string> {
	return inTurns(takeOutLinks(text, texts, isJson), text.length + countReadChars(texts), {
		user: userId,
		signal: null,
	});
}
