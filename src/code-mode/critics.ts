// Asks critics for their verdicts on files. Without a verdict that can be used another critic is asked, once; and where a pass has to
// be confirmed, a second critic gives a verdict of its own, of which the more cautious counts.
//
// Call graph of one review: two calls at most, each with one repair of its JSON. The second is made where what is left covers it.
import { askJson, type JsonReply, longestRepair } from "../orchestration/json-reply.ts";
import type { Member } from "../orchestration/strategy.ts";
import { type CodeEngine, countAffordable } from "./engine.ts";
import type { CodeFile } from "./file-format.ts";
import { reviewQuestion } from "./prompts.ts";
import type { CodeTask } from "./request.ts";
import { type GivenVerdict, isUsable } from "./review.ts";
import type { CodeVerdict } from "./verdict.ts";

/** A review that critics are asked for. */
export interface ReviewPlace {
	task: CodeTask;
	critic: Member;
	engine: CodeEngine;
	stage: string;
}

/** The critic that is asked after the first: one of its fallbacks, not the one that answered; the same where there is no other. */
export function secondCritic(critic: Member, answeredBy: string | null): Member {
	const others = critic.slice(1);
	const [first, ...rest] = [...others.filter((id) => id !== answeredBy), ...others.filter((id) => id === answeredBy)];
	return first === undefined ? critic : [first, ...rest];
}

function toGiven({ value, reply }: JsonReply<CodeVerdict>): GivenVerdict | null {
	return value && reply.ok ? { verdict: value, critic: reply.model } : null;
}

/** What critics said of one draft's files. */
export interface CriticsVerdict {
	/** Null where no critic gave a verdict that can be read. */
	given: GivenVerdict | null;
	/** A second critic was asked, so nobody else is. */
	askedTwice: boolean;
}

/** Asks critics about each draft's files. */
export async function askCritics(
	{ task, critic, engine, stage }: ReviewPlace,
	drafts: readonly (readonly CodeFile[])[],
): Promise<CriticsVerdict[]> {
	const first = await askJson(
		engine,
		drafts.map((files) => reviewQuestion(task, critic, stage, files)),
	);
	const verdicts = first.map((reading): CriticsVerdict => ({ given: toGiven(reading), askedTwice: false }));
	const again = first.flatMap(({ reply }, at) => {
		const given = verdicts[at]?.given;
		if (given && isUsable(given.verdict)) return [];
		const member = secondCritic(critic, reply.ok ? reply.model : null);
		return [{ at, question: reviewQuestion(task, member, stage, drafts[at] ?? []) }];
	});
	const count = countAffordable(
		engine,
		again.map(({ question }) => [question, longestRepair(question)]),
	);
	const asked = again.slice(0, count);
	if (asked.length === 0) return verdicts;
	const second = await askJson(
		engine,
		asked.map(({ question }) => question),
	);
	for (const [place, { at }] of asked.entries()) {
		const reading = second[place];
		const given = (reading && toGiven(reading)) ?? verdicts[at]?.given ?? null;
		verdicts[at] = { given, askedTwice: true };
	}
	return verdicts;
}

/** A second critic's verdict on the same files; null where there is no other critic, no money for it, or nothing that can be read. */
export async function askSecondCritic(
	{ task, critic, engine, stage }: ReviewPlace,
	files: readonly CodeFile[],
	first: GivenVerdict,
): Promise<GivenVerdict | null> {
	const member = secondCritic(critic, first.critic);
	if (member[0] === first.critic) return null;
	const question = reviewQuestion(task, member, stage, files);
	if (!engine.covers([question, longestRepair(question)])) return null;
	const [reading] = await askJson(engine, [question]);
	return reading ? toGiven(reading) : null;
}
