// Makes providers of an operator's rows: those of templates, those that ship with other members, and the operator's own. Pure.
import type { Catalog } from "../catalog/catalog.ts";
import type { OperatorFacts, Provider } from "../catalog/schema.ts";
import { TIERS } from "../catalog/vocabulary.ts";
import type { Path } from "../faults.ts";
import { quoteInput, renderSuggestion } from "../suggest.ts";
import { type AddressRules, findAddressFault, stripTrailingSlash } from "./address.ts";
import { checkTwins, type Faults, ROUTED_IDS } from "./checks.ts";
import { fillAddress, findCloud, publishedFacts, regionIds } from "./clouds.ts";
import type { ProviderRow } from "./rows.ts";
import templates from "./templates.json" with { type: "json" };

/** Words of lists of models, and the name under which clients keep the service's own key. */
const RESERVED_PROVIDERS: readonly string[] = [...ROUTED_IDS, ...TIERS, "svc"];

/** What is known of the dialect of a provider of the operator's: the plainest form. */
const PLAIN_DIALECT = {
	key_env_alternatives: [],
	drops: [],
	renames: {},
	stream_usage: "ask",
	tool_call_ids: "common",
	shows_reasoning: false,
	passes: [],
	custom_tools: false,
	returns_reasoning: false,
} as const;

/** The members of an object that have a value. */
export function given<T extends object>(row: T): Partial<T> {
	return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as Partial<T>;
}

const toPrefix = (id: string) => id.toUpperCase().replaceAll("-", "_");

/** The template that a row names, or whose name is its id. */
export function templateName({
	id,
	template,
}: Pick<ProviderRow, "id" | "template">): keyof typeof templates | undefined {
	return template ?? (Object.hasOwn(templates, id) ? (id as keyof typeof templates) : undefined);
}

/** The members of a row's template. Two providers of one template do not share its name. */
export function findTemplate(row: Pick<ProviderRow, "id" | "template">): Partial<ProviderRow> {
	const found = templateName(row);
	if (!found) return {};
	const { name, ...members } = templates[found] as Partial<ProviderRow>;
	return { ...members, ...(name === undefined ? {} : { name: row.id === found ? name : `${name} (${row.id})` }) };
}

/** What an operator says of a provider, with the parent that is known of its cloud. */
function toFacts({ facts }: ProviderRow, parent: string | undefined, path: Path, faults: Faults): OperatorFacts {
	const { jurisdiction, ...others } = facts ?? {};
	if (!jurisdiction) return given(others);
	const known = jurisdiction.parent ?? parent;
	if (known === undefined) faults.add([...path, "facts", "jurisdiction"], "needs parent");
	return { ...given(others), jurisdiction: { contract: jurisdiction.contract, parent: known ?? "" } };
}

/** The address and paths of a row, and what its cloud publishes of the region that is called there; null where it lacks something. */
function toPlace(
	row: ProviderRow,
	{ base_url, paths, api_version }: Partial<ProviderRow>,
	path: Path,
	faults: Faults,
): Pick<Provider, "base_url" | "paths" | "published"> | null {
	const cloud = findCloud(templateName(row));
	const isCloudsOwn = cloud !== undefined && row.base_url === undefined;
	if (isCloudsOwn && row.region !== undefined && !regionIds(cloud).includes(row.region)) {
		const hint = renderSuggestion(row.region, regionIds(cloud));
		const way = "one that is new needs base_url and facts.regions";
		faults.add([...path, "region"], `${quoteInput(row.region)} is no region that is known here${hint}; ${way}`);
		return null;
	}
	if (base_url === undefined) {
		faults.add(path, "needs base_url");
		return null;
	}
	const parts = { ...row, api_version };
	const filled = [base_url, paths?.whole ?? "", paths?.stream ?? ""].map((text) => fillAddress(text, parts, cloud));
	const [address = "", whole = "", stream = ""] = filled.map((each) => each.address);
	const missing = [...new Set(filled.flatMap((each) => each.missing))];
	if (missing.length > 0) {
		faults.add(path, `needs ${missing.join(", ")}${isCloudsOwn ? ", or base_url" : ""}`);
		return null;
	}
	return {
		base_url: address,
		...(paths ? { paths: { whole, stream } } : {}),
		...(isCloudsOwn ? { published: publishedFacts(cloud, row.region) } : {}),
	};
}

/** Members of a row that its provider does not have as they are written. */
const NOT_PROVIDERS: readonly string[] = [
	"template",
	"max_tokens_field",
	"project",
	"resource",
	"api_version",
	"remote_images",
	"facts",
];

/** The members of a row, or of its template, that its provider has as they are. */
function toMembers(row: Partial<ProviderRow>): Partial<ProviderRow> {
	const members = Object.entries(row).filter(([name, value]) => value !== undefined && !NOT_PROVIDERS.includes(name));
	return Object.fromEntries(members);
}

/** A provider of a row; null where it lacks something. */
function toProvider(row: ProviderRow, path: Path, shipped: Catalog, faults: Faults): Provider | null {
	const known = shipped.findProvider(row.id);
	if (known && row.template !== undefined)
		faults.add([...path, "template"], `${row.id} ships with the service and has no template`);
	if (known && row.wire !== undefined && row.wire !== known.wire)
		faults.add([...path, "wire"], `${row.id} ships with the service and speaks ${known.wire}; give another id`);
	const template = findTemplate(row);
	const base = known ?? { ...PLAIN_DIALECT, name: row.id, wire: "openai" as const, ...toMembers(template) };
	const provider = { ...base, ...toMembers(row), owner: "operator" as const };
	// A signature is for one region, wherever the address leads.
	if (provider.auth === "aws" && !faults.require(provider, ["region"], path)) return null;
	const place = toPlace(row, known ? { ...known, ...given(row) } : { ...template, ...given(row) }, path, faults);
	if (!place) return null;
	const isMoved = known !== undefined && stripTrailingSlash(known.base_url) !== stripTrailingSlash(place.base_url);
	return {
		env_prefix: toPrefix(row.id),
		...provider,
		...place,
		...((row.remote_images ?? template.remote_images) === false ? { remote_images: false } : {}),
		...(row.facts ? { facts: toFacts(row, findCloud(templateName(row))?.parent, path, faults) } : {}),
		...(isMoved ? { product_url: known.base_url } : {}),
	} as Provider;
}

/** The providers of an extended catalog. */
export function toProviders(
	rows: readonly (ProviderRow | null)[],
	shipped: Catalog,
	rules: AddressRules,
	faults: Faults,
): Provider[] {
	const own = new Map<string, Provider>();
	for (const [index, row] of rows.entries()) {
		if (!row) continue;
		const path = ["providers", index];
		if (own.has(row.id)) faults.add([...path, "id"], `${quoteInput(row.id)} stands here twice`);
		if (RESERVED_PROVIDERS.includes(row.id)) faults.add([...path, "id"], `${quoteInput(row.id)} is taken`);
		const provider = toProvider(row, path, shipped, faults);
		if (!provider) continue;
		own.set(row.id, provider);
		const addressFault = findAddressFault(provider.base_url, rules);
		if (addressFault !== null) faults.add(row.base_url === undefined ? path : [...path, "base_url"], addressFault);
		const others = [...shipped.providers.filter(({ id }) => !own.has(id)), ...own.values()];
		checkTwins(
			provider,
			others.filter(({ id }) => id !== row.id),
			path,
			faults,
		);
	}
	const kept = shipped.providers.map((provider) => own.get(provider.id) ?? provider);
	return [...kept, ...[...own.values()].filter(({ id }) => !shipped.findProvider(id))];
}
