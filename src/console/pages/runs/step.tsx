// The text that a step of a run wrote.
import type { z } from "zod";
import type { stepTextSchema } from "../../../agents/response.ts";
import { failurePage } from "../../failure-page.tsx";
import type { ConsolePage, PageAnswer } from "../../page.ts";
import { CodeBlock, Definitions, Notice } from "../../views/parts.tsx";
import { RUNS_FRAME, RUNS_PATH, runApiPath, runPath } from "./frame.ts";

type StepText = z.output<typeof stepTextSchema>;

export const runStepPage: ConsolePage = {
	id: "run_step",
	method: "GET",
	path: `${RUNS_PATH}/{run_id}/steps/{index}`,
	async handle(request): Promise<PageAnswer> {
		const { params, api } = request;
		const step = await api.get<StepText>(runApiPath(request, `/steps/${encodeURIComponent(params["index"] ?? "")}`));
		const title = `Step ${params["index"] ?? ""}`;
		if (!step.ok) return failurePage({ ...RUNS_FRAME, title }, step.failure);
		const { run_id, role, subtask, text, truncated, output_hash } = step.value;
		return {
			...RUNS_FRAME,
			title,
			content: (
				<>
					<Definitions
						entries={[
							["Run", <a href={runPath(run_id)}>{run_id}</a>],
							["Role", role],
							["Purpose", subtask],
							["Hash of the text", <code>{output_hash}</code>],
						]}
					/>
					{truncated ? <Notice kind="warning" title="The text is longer; this is its beginning" /> : null}
					<CodeBlock label="The step's text" text={text} />
				</>
			),
		};
	},
};
