// The form that begins a run, and what it does.
import type { z } from "zod";
import type { runSchema } from "../../../agents/response.ts";
import type { ApiFailure } from "../../api.ts";
import { readNumber } from "../../form-values.ts";
import type { ConsolePage, PageAnswer, ShownPage } from "../../page.ts";
import { Failure, Field, Notice } from "../../views/parts.tsx";
import { RUNS_FRAME, RUNS_PATH, runPath } from "./frame.ts";

type StartedRun = z.output<typeof runSchema>;

/** The form that begins a run. A form that is sent twice begins one run: it carries the run's idempotency key. */
function newRunPage(values: URLSearchParams, requestId: string, failure: ApiFailure | null): ShownPage {
	const value = (name: string) => values.get(name) ?? "";
	const errorAt = (name: string) => failure?.issues.find(({ path }) => path === name)?.message ?? null;
	return {
		...RUNS_FRAME,
		title: "Begin a run",
		status: failure?.status,
		content: (
			<>
				<Notice kind="note" title="A run spends money">
					<p>It calls models until the goal is reached or the cap is. It can be cancelled on its page.</p>
				</Notice>
				{failure ? <Failure failure={failure} /> : null}
				<form method="post" action={`${RUNS_PATH}/new`}>
					<input type="hidden" name="idempotency_key" value={value("idempotency_key") || `console-${requestId}`} />
					<Field name="goal" label="Goal" error={errorAt("goal")}>
						{(attributes) => (
							<textarea {...attributes} rows={5} required>
								{value("goal")}
							</textarea>
						)}
					</Field>
					<Field
						name="max_cost_usd"
						label="Cap in USD"
						hint="It never spends more. Empty: the plan's cap."
						error={errorAt("max_cost_usd")}
					>
						{(attributes) => (
							<input
								{...attributes}
								type="number"
								step="any"
								min="0"
								value={value("max_cost_usd")}
								autocomplete="off"
							/>
						)}
					</Field>
					<Field
						name="max_steps"
						label="Steps at most"
						hint="Plan and final step included."
						error={errorAt("max_steps")}
					>
						{(attributes) => <input {...attributes} type="number" min="1" value={value("max_steps")} />}
					</Field>
					<Field name="policy" label="Policy" error={errorAt("policy")}>
						{(attributes) => (
							<select {...attributes}>
								{["balanced", "efficiency", "depth"].map((policy) => (
									<option value={policy} selected={policy === value("policy")}>
										{policy}
									</option>
								))}
							</select>
						)}
					</Field>
					<Field
						name="workspace_id"
						label="Workspace"
						hint="Where its audit events belong. Empty: none."
						error={errorAt("workspace_id")}
					>
						{(attributes) => <input {...attributes} type="text" value={value("workspace_id")} maxlength={128} />}
					</Field>
					<button type="submit">Begin the run</button>
				</form>
			</>
		),
	};
}

const newPage: ConsolePage = {
	id: "new_run",
	method: "GET",
	path: `${RUNS_PATH}/new`,
	handle: async ({ query, service }) => newRunPage(query, service.requestId, null),
};

const beginPage: ConsolePage = {
	id: "begin_run",
	method: "POST",
	path: `${RUNS_PATH}/new`,
	async handle({ api, form, service }): Promise<PageAnswer> {
		const started = await api.send<StartedRun>("POST", "/v1/agent/run", {
			goal: form.get("goal"),
			max_cost_usd: readNumber(form, "max_cost_usd"),
			max_steps: readNumber(form, "max_steps"),
			policy: form.get("policy") || null,
			workspace_id: form.get("workspace_id") || null,
			idempotency_key: form.get("idempotency_key") || null,
			background: true,
		});
		if (started.ok) return { kind: "redirect", to: runPath(started.value.run_id) };
		return newRunPage(form, service.requestId, started.failure);
	},
};

export const beginRunPages: readonly ConsolePage[] = [newPage, beginPage];
