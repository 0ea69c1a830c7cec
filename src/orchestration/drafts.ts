// The answers of members that answer in several rounds: each member has one draft, its latest whole answer. Pure.
import type { Answer, Member, NoAnswer } from "./strategy.ts";

/** A member with its latest answer. */
export interface Draft {
	member: Member;
	answer: Answer;
}

/** The drafts of a first round. A member that gave no answer has none. */
export function toDrafts(members: readonly Member[], replies: readonly (Answer | NoAnswer)[]): Draft[] {
	return members.flatMap((member, at) => {
		const answer = replies[at];
		return answer?.ok ? [{ member, answer }] : [];
	});
}

/** The drafts after another round. A member that fell silent, or whose new answer was cut, keeps the answer it had. */
export function reviseDrafts(before: readonly Draft[], replies: readonly (Answer | NoAnswer)[]): Draft[] {
	return before.map((draft, at) => {
		const reply = replies[at];
		if (!reply?.ok || (reply.isCut && !draft.answer.isCut)) return draft;
		return { ...draft, answer: reply };
	});
}
