// The Worker's and the meters' side of object `Metrics`.
import type { Metrics } from "./metrics.object.ts";

const NAME = "metrics";

/** The one object of a deployment. */
export function metricsObject({ METRICS }: Pick<Env, "METRICS">): DurableObjectStub<Metrics> {
	return METRICS.getByName(NAME);
}
