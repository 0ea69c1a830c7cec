// The routing config that a call is made under: the request's over the server's.
import { fail, ok, type Result } from "../failure.ts";
import { logError } from "../http/log.edge.ts";
import type { CompiledConfig } from "../routing/routing-config.ts";
import { asksTooMuch, over } from "./config.ts";
import { type DefaultConfigContext, defaultConfig } from "./default-config.store.ts";
import { readConfigObject } from "./read.ts";

const NOT_APPLIED = "compliance: is not applied by this version of the service";

/**
 * The config in force for a request; null when there is none. A faulty one of the request's is its failure, a server's that
 * cannot be kept is the operator's.
 * @param own the request's `brain_config`.
 */
export async function configInForce(
	own: unknown,
	context: DefaultConfigContext,
): Promise<Result<CompiledConfig | null>> {
	const server = await defaultConfig(context);
	if (server && asksTooMuch(server.config)) {
		logError("default_config_not_applied", new Error(NOT_APPLIED));
		return fail({ reason: "misconfigured" });
	}
	if (own === undefined || own === null) return ok(server);
	const { errors, config, matches } = await readConfigObject(own, context.settings.catalog);
	if (errors.length > 0) return fail({ reason: "invalid_brain_config", errors });
	if (asksTooMuch(config)) return fail({ reason: "invalid_brain_config", errors: [NOT_APPLIED] });
	const compiled = { config, matches };
	return ok(server ? over(compiled, server) : compiled);
}
