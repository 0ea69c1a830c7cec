// One model answers. Nothing to cite: it is what every other strategy is measured against.
//
// Call graph: 1 call.
import { fail, ok } from "../failure.ts";
import { supportFor } from "./confidence.ts";
import { askOne, combineFailures, type Panel, type Strategy, type Task } from "./strategy.ts";

function question(task: Task, { members: [member] }: Panel) {
	return askOne(task, { stage: "answer", role: "answerer", member });
}

export const single: Strategy<"single"> = {
	name: "single",
	width: { efficiency: 1, balanced: 1, depth: 1 },
	leastWidth: 1,
	isOneCall: true,
	choosePanel: ({ single: member }, { rounds }) => ({ members: [member], judge: member, rounds }),
	callGraph: (task, cast) => [question(task, cast)],
	async run(task, cast, engine) {
		const [reply] = await engine.ask([question(task, cast)]);
		if (!reply?.ok) return fail(combineFailures(reply ? [reply] : []));
		const { text, model, quality } = reply;
		const confidence = supportFor(text, [{ text, quality }], task.kind);
		reply.rate(confidence);
		engine.describe("answer", { model });
		return ok({ text, model, confidence, agreement: 1, escalated: false });
	},
};
