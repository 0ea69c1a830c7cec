// What follows from the region, the project or the resource that a row of a cloud's template names: its id, its address, and what the
// cloud publishes of the region. The clouds are in clouds.json; templates.sources.json says where their figures are from. Pure.
import { PROJECT } from "../catalog/credentials.ts";
import type { Model, OperatorFacts, Provider } from "../catalog/schema.ts";
import { isJsonObject } from "../json.ts";
import cloudsFile from "./clouds.json" with { type: "json" };

interface CloudRegion {
	/** Where it is called, if not as the cloud's other regions are. */
	host?: string;
	/** Where prompts are processed, by what is published; `*` is anywhere. Absent: nothing is promised. */
	regions?: readonly string[];
}

export interface Cloud {
	templates: readonly string[];
	/** The host of a region, with `{region}` in it. */
	host?: string;
	/** What models of other providers have and those here are not known to have: members of a model. */
	lacks?: readonly (keyof Model)[];
	/** Where the parent company is. Who the contract is with depends on the customer's country, and is the row's to say. */
	parent: string;
	/** What is published for all of its regions. */
	facts: OperatorFacts;
	regions: Readonly<Record<string, CloudRegion>>;
	/** Where prompts may be processed that go to a model across regions, by the first word of its id. */
	profiles?: Readonly<Record<string, readonly string[]>>;
}

const CLOUDS: readonly Cloud[] = Object.values(cloudsFile as unknown as Record<string, Cloud>);

/** The cloud of a template; undefined for a template of none. */
export function findCloud(template: string | undefined): Cloud | undefined {
	return CLOUDS.find(({ templates }) => template !== undefined && templates.includes(template));
}

/** Ids of a cloud's regions. */
export function regionIds({ regions }: Cloud): string[] {
	return Object.keys(regions);
}

/** What is published of a region: of one that is not named or not known, only what holds for all. */
export function publishedFacts({ facts, regions }: Cloud, region: string | undefined): OperatorFacts {
	const places = region === undefined ? undefined : regions[region]?.regions;
	return places ? { ...facts, regions: [...places] } : facts;
}

/** An ARN's kind of resource and its id: `inference-profile/eu.anthropic.claude-…`. */
const ARN = /^arn:[^:]+:bedrock:[^:]*:[^:]*:([^/]+)\/(.+)$/;
/**
 * Ids with a word in front of the company's, such as `mx.anthropic.claude-…`, which is a country or an area that is not known here. A dot
 * in a model's own name is followed by a digit, and no company of Bedrock's models has two letters.
 */
const UNKNOWN_PROFILE = /^(?:[a-z]{2}\.[a-z0-9-]+\.|[a-z-]+\.[a-z0-9-]+\.[a-z])/;
const ANYWHERE = ["*"];

/** Where a model of Bedrock's may be served besides the region that is called, by the id that is sent. */
function profilePlaces({ profiles = {} }: Cloud, upstreamModel: string): readonly string[] {
	const [, kind, inArn] = ARN.exec(upstreamModel) ?? [];
	// An application's profile and a router name no regions.
	if (kind?.startsWith("application-") || kind?.endsWith("-router") || kind?.startsWith("prompt")) return ANYWHERE;
	const id = inArn ?? upstreamModel;
	const [prefix = ""] = id.split(".", 1);
	const known = Object.hasOwn(profiles, prefix) ? profiles[prefix] : undefined;
	return known ?? (UNKNOWN_PROFILE.test(id) ? ANYWHERE : []);
}

/**
 * What is published of the places of providers whose models may be served in other regions than the one that is called: the union over
 * a provider's models, so that none is thought to stay where it may not.
 */
export function withProfiles(
	providers: readonly Provider[],
	models: readonly Pick<Model, "provider" | "upstream_model">[],
): Provider[] {
	const cloud = findCloud("bedrock");
	return providers.map((provider) => {
		const { wire, published } = provider;
		if (!cloud || wire !== "bedrock" || !published?.regions) return provider;
		const own = models.filter((model) => model.provider === provider.id);
		const places = new Set([
			...published.regions,
			...own.flatMap((model) => profilePlaces(cloud, model.upstream_model)),
		]);
		return { ...provider, published: { ...published, regions: places.has("*") ? ANYWHERE : [...places] } };
	});
}

/** What a row says that stands in its address. */
export interface AddressParts {
	region?: string | undefined;
	project?: string | undefined;
	resource?: string | undefined;
	api_version?: string | undefined;
}

const PART = /\{(region|resource|api_version|host)\}/g;

/**
 * A template's address, or a path of it, with a row's members in it. A project that no row names is left to the key of each call.
 * @returns the names of the members that are missing.
 */
export function fillAddress(
	written: string,
	parts: AddressParts,
	cloud: Cloud | undefined,
): { address: string; missing: string[] } {
	const { region, project } = parts;
	const ofRegion = region === undefined ? undefined : (cloud?.regions[region]?.host ?? cloud?.host);
	const host = ofRegion?.replace("{region}", region ?? "");
	const missing = new Set<string>();
	const address = written.replace(PART, (whole, name: "host" | keyof AddressParts) => {
		const value = name === "host" ? host : parts[name];
		if (value === undefined) missing.add(name === "host" ? "region" : name);
		return value ?? whole;
	});
	return { address: project === undefined ? address : address.replace(PROJECT, project), missing: [...missing] };
}

/** Rows of a cloud without an id have that of their template and their region, or their resource. */
export function withRowIds(rows: unknown): unknown {
	if (!Array.isArray(rows)) return rows;
	return rows.map((row: unknown) => {
		if (!isJsonObject(row) || row["id"] !== undefined) return row;
		const { template, region, resource } = row;
		const name = [resource, region].find((part) => typeof part === "string");
		if (!findCloud(String(template)) || name === undefined) return row;
		// What is wrong with a name is said of its own member.
		return { id: `${template}-${name}`.toLowerCase().replace(/[^a-z0-9-]/g, "-"), ...row };
	});
}
