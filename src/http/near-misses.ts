// Finds members of a request that are nearly named as a rule. Unknown members are ignored, and a mistyped limit or policy would
// be ignored with them, so these are refused. Pure.
import type { Issue } from "../failure.ts";
import { isJsonObject } from "../json.ts";
import { allowedSlips, areWithinSlips, foldName } from "../suggest.ts";
import { MAX_REPORTED_ISSUES } from "./array-limits.ts";
import type { Endpoint } from "./endpoint.ts";
import { membersIn, toJsonSchema } from "./json-schema.ts";
import { pathText } from "./json-shape.ts";
import { PROVIDER_REQUESTS } from "./provider-fields.ts";

/**
 * Members that limit what a request may do, and those that say what a policy decides on: without its commands, an action is
 * allowed. They stand at the top of a body.
 */
export const RULE_NAMES = [
	"compliance",
	"brain_config",
	"max_cost_usd",
	"max_cost_per_step",
	"routing_mode",
	"commands",
	"files_affected",
	"action_kind",
	"protected_paths",
	"forbidden_commands",
	"allowed_commands",
	"tools",
] as const;

const FOLDED_RULES = RULE_NAMES.map((name) => ({ name, folded: foldName(name), slips: allowedSlips(name) }));

/** The rule that a name is a slip away from; null for a rule's own name and for any other. */
function findIntendedRule(name: string): string | null {
	const folded = foldName(name);
	const near = FOLDED_RULES.filter((rule) => areWithinSlips(folded, rule.folded, rule.slips));
	if (near.some((rule) => rule.name === name)) return null;
	// Names that are spelt alike come before those that are a slip away.
	return (near.find((rule) => rule.folded === folded) ?? near[0])?.name ?? null;
}

const namesByEndpoints = new WeakMap<readonly Endpoint[], ReadonlySet<string>>();

/** Every name that a member at the top of a request may have: of these endpoints, of OpenAI's and of Anthropic's requests. */
export function requestNames(endpoints: readonly Endpoint[]): ReadonlySet<string> {
	const known = namesByEndpoints.get(endpoints);
	if (known) return known;
	const schemas = endpoints.flatMap(({ params, query, body }) => [params, query, body]);
	const own = schemas.flatMap((schema) => (schema ? membersIn(toJsonSchema(schema, "input")).names : []));
	const names = new Set([...own, ...PROVIDER_REQUESTS.flatMap(({ fields }) => fields)]);
	namesByEndpoints.set(endpoints, names);
	return names;
}

/**
 * The mistyped rules among the members of a request. A null counts as absent.
 * @param endpoints of the service: no name of theirs is mistyped. Their schemas are read only when a name is near.
 */
export function findNearMisses(request: unknown, endpoints: readonly Endpoint[]): Issue[] {
	if (!isJsonObject(request)) return [];
	const issues: Issue[] = [];
	for (const [name, value] of Object.entries(request)) {
		if (issues.length === MAX_REPORTED_ISSUES) break;
		const intended = value === null ? null : findIntendedRule(name);
		if (intended === null || requestNames(endpoints).has(name)) continue;
		issues.push({ path: pathText([name]), message: `is no member of any request; did you mean ${intended}?` });
	}
	return issues;
}
