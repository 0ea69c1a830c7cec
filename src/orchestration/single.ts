// One model answers. Nothing to cite: it is what every other strategy is measured against.
//
// Call graph: 1 call.
import { fail, ok } from "../failure.ts";
import { supportFor } from "./confidence.ts";
import { ask, type Cast, failureOf, type Strategy, type Task } from "./strategy.ts";

function question(task: Task, { members: [member] }: Cast) {
	return ask(task, { stage: "answer", role: "answerer", member });
}

export const single: Strategy = {
	callGraph: (task, cast) => [question(task, cast)],
	async run(task, cast, engine) {
		const [reply] = await engine.ask([question(task, cast)]);
		if (!reply?.ok) return fail(failureOf(reply ? [reply] : []));
		const { text, model, quality } = reply;
		const confidence = supportFor(text, [{ text, quality }], task.kind);
		reply.rate(confidence);
		engine.describe("answer", { model });
		return ok({ text, model, confidence, agreement: 1, escalated: false });
	},
};
