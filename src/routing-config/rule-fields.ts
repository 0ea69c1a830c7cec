// The fields of a request's own rules. in-force.edge.ts reads them.
import * as z from "zod";

/** Every request that calls models may have these fields. A `null` counts as absent. */
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
