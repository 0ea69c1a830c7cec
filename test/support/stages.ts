// Reading the stages of an orchestration or a code run.
import type * as z from "zod";
import type { stagesSchema } from "../../src/inference/workflow-answer.ts";

type Stage = z.output<typeof stagesSchema>[number];

interface Staged {
	svc: { stages?: Stage[] | undefined };
}

/** The stage of a name, which must be there. */
export function stageOf({ svc }: Staged, name: string): Stage {
	const stage = svc.stages?.find((one) => one.name === name);
	if (!stage) throw new Error(`there is no stage ${name}`);
	return stage;
}

/** The calls of all stages, in their order. */
export function resultsOf({ svc }: Staged): Stage["results"] {
	return (svc.stages ?? []).flatMap(({ results }) => results);
}
