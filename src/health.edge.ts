// GET /health: probes each required binding and reports those that fail; shows operators the state of the providers.
import { sql } from "drizzle-orm";
import * as z from "zod";
import { authenticateOperator } from "./account/auth.edge.ts";
import type { ServiceContext } from "./account/context.ts";
import { endpoint } from "./account/endpoint.ts";
import { users } from "./db/schema.ts";
import { logError } from "./http/log.edge.ts";
import { withDeadline } from "./in-time.edge.ts";
import { describeProviders } from "./inference/observe.edge.ts";
import { operatorCatalogHealth } from "./load-settings.edge.ts";
import { defaultConfigState } from "./routing-config/default-config.store.ts";

const CHECK_TIMEOUT_MS = 2_000;
/** The meter of no user. It shows that Durable Objects run, without touching a user's. */
const PROBE_USER_ID = "health-probe";

const checkSchema = z.lazy(() => z.object({ ok: z.boolean(), latency_ms: z.int() }));

/** @throws when `work` fails or takes longer than CHECK_TIMEOUT_MS. */
function withTimeout<T>(name: string, work: Promise<T>): Promise<T> {
	return withDeadline(work, CHECK_TIMEOUT_MS, () => {
		throw new Error(`${name} did not answer within ${CHECK_TIMEOUT_MS} ms`);
	});
}

async function probe(name: string, work: () => Promise<unknown>): Promise<z.infer<typeof checkSchema>> {
	const startedAtMs = Date.now();
	try {
		await withTimeout(name, work());
		return { ok: true, latency_ms: Date.now() - startedAtMs };
	} catch (error) {
		logError("health_check_failed", error, { check: name });
		return { ok: false, latency_ms: Date.now() - startedAtMs };
	}
}

async function runChecks(context: ServiceContext) {
	const [d1, kv, durable_objects] = await Promise.all([
		// Reads a table of the service, so that missing migrations show as well.
		probe("d1", () => context.db.select({ one: sql`1` }).from(users).limit(1)),
		probe("kv", () => context.env.KV.get("health-probe")),
		probe("durable_objects", () => context.meter(PROBE_USER_ID).ping()),
	]);
	return { d1, kv, durable_objects };
}

export const healthEndpoint = endpoint({
	id: "health",
	method: "GET",
	path: "/health",
	access: "public",
	limited: true,
	degrades: true,
	toolGroup: "account",
	command: "health",
	summary:
		"Whether D1, KV and Durable Objects answer, whether answers are signed, how many providers have a key, whether the default routing config is valid.",
	result: z.lazy(() =>
		z.object({
			status: z.enum(["ok", "degraded"]),
			checks: z.object({ d1: checkSchema, kv: checkSchema, durable_objects: checkSchema }),
			signing: z.boolean(),
			providers_configured: z.int(),
			default_config: z
				.enum(["none", "valid", "invalid", "unknown"])
				.describe(
					"The server's routing config. Of an invalid one, the last that could be read is in force; unknown is one that KV did not answer.",
				),
			operator_catalog: z
				.enum(["none", "valid", "invalid", "unknown"])
				.describe(
					"The operator's models and providers. Of an invalid catalog, the last that could be read is in force; unknown is one that KV did not answer.",
				),
			providers: z
				.object({
					open_breakers: z.record(z.string(), z.int()).describe("By provider: for how many ms."),
					throttled: z.record(z.string(), z.int()).describe("By model: ms until it may be called again after a 429."),
					not_served: z
						.record(z.string(), z.object({ provider: z.string(), upstream_model: z.string(), until: z.iso.datetime() }))
						.describe("By model: until when it is passed by, because its provider said that it does not serve it."),
					keys: z
						.record(
							z.string(),
							z.record(
								z.string(),
								z.object({ refused_ms: z.int().nullable().optional(), waits: z.record(z.string(), z.int()) }),
							),
						)
						.describe(
							"By provider that has several keys, and by the key's name: for how many ms it is left alone because it was refused (null: until the isolate ends), and by model for how many ms it waits.",
						),
				})
				.optional()
				.describe("For operators only: what this isolate knows of the providers."),
		}),
	),
	async handle({ context }) {
		const [found, default_config, { state: operator_catalog, settings }] = await Promise.all([
			runChecks(context),
			withTimeout("kv", defaultConfigState(context)).catch(() => "unknown" as const),
			operatorCatalogHealth(context.env, (work) => withTimeout("kv", work)),
		]);
		const documents = [default_config, operator_catalog];
		const healthy = Object.values(found).every((entry) => entry.ok) && !documents.includes("invalid");
		const isOperator = authenticateOperator(context.headers.get("authorization"), context.settings.adminToken) === null;
		const value = {
			status: healthy ? ("ok" as const) : ("degraded" as const),
			checks: found,
			signing: context.settings.signer !== null,
			providers_configured: settings.providers.size,
			default_config,
			operator_catalog,
			...(isOperator ? { providers: describeProviders(settings) } : {}),
		};
		return healthy ? { ok: true, value } : { ok: true, value, status: 503, headers: { "retry-after": "5" } };
	},
});
