// The Worker's and the meters' side of object `Metrics`.
import { BoundedMap } from "../bounded-map.ts";
import { logError } from "../http/log.edge.ts";
import { cachedSettings, hasMetrics } from "../settings.ts";
import type { ProviderKeyState } from "./metric-store.edge.ts";
import type { Metrics } from "./metrics.object.ts";

const NAME = "metrics";

/** The one object of a deployment. */
export function metricsObject({ METRICS }: Pick<Env, "METRICS">): DurableObjectStub<Metrics> {
	return METRICS.getByName(NAME);
}

/** More than the keys of a deployment. */
const MAX_NOTED_KEYS = 1_000;
/** A wait that grows by less is no news. */
const NEWS_MS = 5_000;

/** What this isolate has last told of each key. */
const told = new BoundedMap<string, ProviderKeyState>(MAX_NOTED_KEYS);

function isNews({ state, untilMs }: ProviderKeyState, last: ProviderKeyState | undefined): boolean {
	if (last === undefined) return state !== "ok";
	if (last.state !== state) return true;
	return (untilMs ?? Number.POSITIVE_INFINITY) > (last.untilMs ?? Number.POSITIVE_INFINITY) + NEWS_MS;
}

/** What is needed of whoever calls a provider. */
interface NotingPlace {
	env: Env;
	waitUntil(work: Promise<unknown>): void;
}

/** Tells the metrics in which state a provider's key was found, where that is news to this isolate. Nobody waits for it. */
export function noteProviderKey({ env, waitUntil }: NotingPlace, found: ProviderKeyState): void {
	if (!hasMetrics(cachedSettings(env).telemetry)) return;
	const id = `${found.provider} ${found.name}`;
	if (!isNews(found, told.get(id))) return;
	told.set(id, found);
	const noted = metricsObject(env).noteKey(found);
	waitUntil(noted.catch((error: unknown) => logError("key_state_not_noted", error)));
}
