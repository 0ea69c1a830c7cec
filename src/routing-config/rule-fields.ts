// The members of a request that say under which rules it stands. Reading them is in-force.edge.ts's.
import * as z from "zod";

/** What every request that calls models may carry; a `null` counts as absent. */
export function ruleFields() {
	return {
		brain_config: z
			.record(z.string(), z.unknown())
			.nullish()
			.describe("A routing config in its normal form, over the server's; validate_brain_config reads one."),
		compliance: z
			.record(z.string(), z.unknown())
			.nullish()
			.describe("A compliance policy: models that it excludes see nothing; before the config's."),
	};
}
