// One model answers. Every other strategy is measured against it.
//
// Call graph: 1 call.
import { fail, ok } from "../failure.ts";
import { Comparison } from "./agreement.ts";
import { supportFor } from "./confidence.ts";
import { combineFailures, type Panel, type Strategy, type Task, toTaskQuestion } from "./strategy.ts";

function answerQuestion(task: Task, { members: [member] }: Panel) {
	return toTaskQuestion(task, { stage: "answer", role: "answerer", member });
}

export const single: Strategy<"single"> = {
	name: "single",
	width: { efficiency: 1, balanced: 1, depth: 1 },
	leastWidth: 1,
	isOneCall: true,
	choosePanel: ({ single: member }, { rounds }) => ({ members: [member], judge: member, rounds }),
	callGraph: (task, panel) => [answerQuestion(task, panel)],
	async run(task, panel, engine) {
		const [reply] = await engine.ask([answerQuestion(task, panel)]);
		if (!reply?.ok) return fail(combineFailures(reply ? [reply] : []));
		const { text, model, isCut } = reply;
		const rating = supportFor(reply, [reply], new Comparison(task));
		reply.rate(rating);
		engine.describe("answer", { model });
		return ok({ text, model, ...rating, agreement: 1, escalated: false, isCut });
	},
};
