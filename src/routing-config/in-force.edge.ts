// Finds the routing config and the compliance policies in force for a request: its own, its key's and the server's.
import type { KeyGrant } from "../account/context.ts";
import type { Catalog } from "../catalog/catalog.ts";
import {
	type CompliancePolicy,
	isActivePolicy,
	MODE_IS_OPERATORS,
	parseCompliancePolicy,
} from "../compliance/policy.ts";
import { type PolicyLevels, toPolicyLevels } from "../compliance/policy-levels.ts";
import { fail, type Issue, ok, type Result } from "../failure.ts";
import type { CompiledConfig } from "../routing/routing-config.ts";
import { findMisplacedMembers, mergeConfigs } from "./config.ts";
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
	/** Of all levels in one; null when there is none. */
	config: CompiledConfig | null;
	/** The compliance policies; null when no level has one. */
	levels: PolicyLevels | null;
}

/** A request's own config; null when it has none. A faulty one is a failure. */
async function readOwnConfig(own: unknown, catalog: Catalog): Promise<Result<CompiledConfig | null>> {
	if (own === undefined || own === null) return ok(null);
	const { errors, config, matches } = await readConfigObject(own, catalog);
	const all = [...errors, ...findMisplacedMembers(config)];
	return all.length > 0 ? fail({ reason: "invalid_brain_config", errors: all }) : ok({ config, matches });
}

/** A request's own policy in normal form, or its faults as issues of the request. */
function parseOwnPolicy(compliance: unknown, catalog: Catalog): Result<CompliancePolicy> {
	const { policy, faults } = parseCompliancePolicy(compliance, catalog);
	const issues = faults.map(({ path, message }): Issue => ({ path: pathName(["compliance", ...path]), message }));
	if (policy.mode) issues.push({ path: "compliance.mode", message: MODE_IS_OPERATORS });
	return issues.length > 0 ? fail({ reason: "invalid_request", issues }) : ok(policy);
}

/** The operator's config, with its blocked models marked as the operator's. */
function withOperatorBlocked({ config, matches }: CompiledConfig): CompiledConfig {
	return { config: { ...config, operator_blocked: config.blocked }, matches };
}

/**
 * The rules in force for a request, under those of its key and the server. Its policy is its `compliance`, or else that of its
 * config. A policy that says nothing counts as absent.
 */
export async function rulesInForce(own: RequestRules, context: RulesContext): Promise<Result<RulesInForce>> {
	const { catalog } = context.settings;
	const policy = parseOwnPolicy(own.compliance, catalog);
	if (!policy.ok) return policy;
	const request = await readOwnConfig(own.brain_config, catalog);
	if (!request.ok) return request;
	const operator = await findDefaultConfig(context);
	if (!operator.ok) return operator;
	const server = operator.value && withOperatorBlocked(operator.value);
	const key = await compileKeyConfig(context.account.key.rules);
	const configs = [request.value, key, server].filter((config) => config !== null);
	const levels = toPolicyLevels({
		operator: operator.value?.config.compliance ?? null,
		key: key?.config.compliance ?? null,
		request: isActivePolicy(policy.value) ? policy.value : (request.value?.config.compliance ?? null),
	});
	return ok({ config: configs.length > 0 ? configs.reduce(mergeConfigs) : null, levels });
}
