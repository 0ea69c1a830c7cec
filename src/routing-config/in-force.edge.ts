// Finds the routing config and the compliance policy in force for a request: its own merged with its key's and the server's.
import type { KeyGrant } from "../account/context.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { type CompliancePolicy, isActivePolicy, parseCompliancePolicy } from "../compliance/policy.ts";
import { fail, type Issue, ok, type Result } from "../failure.ts";
import type { CompiledConfig } from "../routing/routing-config.ts";
import { mergeConfigs } from "./config.ts";
import { type DefaultConfigContext, findDefaultConfig } from "./default-config.store.ts";
import { compileKeyConfig } from "./key-config.ts";
import { pathName, readConfigObject } from "./read.ts";

/** The rules in a request's body. */
export interface RequestRules {
	brain_config?: unknown;
	compliance?: unknown;
}

/** What the rules of a request depend on besides its body. */
export type RulesContext = DefaultConfigContext & { account: { key: Pick<KeyGrant, "rules"> } };

/** The rules that hold for a request. */
interface RulesInForce {
	/** Null when there is none. */
	config: CompiledConfig | null;
	/** Null when there is none that is active. */
	policy: CompliancePolicy | null;
}

/** The config in force for a request; null when there is none. A faulty config in the request is a failure. */
async function findConfigInForce(own: unknown, context: RulesContext): Promise<Result<CompiledConfig | null>> {
	const server = await findDefaultConfig(context);
	const ofKey = await compileKeyConfig(context.account.key.rules);
	const floor = ofKey && server ? mergeConfigs(ofKey, server) : (ofKey ?? server);
	if (own === undefined || own === null) return ok(floor);
	const { errors, config, matches } = await readConfigObject(own, context.settings.catalog);
	if (errors.length > 0) return fail({ reason: "invalid_brain_config", errors });
	const compiled = { config, matches };
	return ok(floor ? mergeConfigs(compiled, floor) : compiled);
}

/** A request's own policy in normal form, or its faults as issues of the request. */
function parseOwnPolicy(compliance: unknown, catalog: Catalog): Result<CompliancePolicy> {
	const { policy, faults } = parseCompliancePolicy(compliance, catalog);
	if (faults.length === 0) return ok(policy);
	const issues = faults.map(({ path, message }): Issue => ({ path: pathName(["compliance", ...path]), message }));
	return fail({ reason: "invalid_request", issues });
}

/**
 * The rules in force for a request, under those of its key and the server. Its `compliance` wins over that of its config, and this over the server's. A policy that
 * says nothing counts as absent.
 */
export async function rulesInForce(own: RequestRules, context: RulesContext): Promise<Result<RulesInForce>> {
	const policy = parseOwnPolicy(own.compliance, context.settings.catalog);
	if (!policy.ok) return policy;
	const config = await findConfigInForce(own.brain_config, context);
	if (!config.ok) return config;
	const configured = config.value?.config.compliance ?? null;
	return ok({ config: config.value, policy: isActivePolicy(policy.value) ? policy.value : configured });
}
