// Writes the OpenAPI 3.1 document from the endpoint list.
import {
	anthropicErrorSchema,
	type ErrorDialect,
	flatErrorSchema,
	openaiErrorSchema,
	wrappedErrorSchema,
} from "./dialects.ts";
import type { Access, Endpoint } from "./endpoint.ts";
import { type JsonSchema as Schema, toJsonSchema } from "./json-schema.ts";

/** A request to an endpoint and the sandbox's answer, recorded by `npm run generate`; long lists and texts of it are cut. */
export interface EndpointExchange {
	/** Values of the path's parameters. */
	params?: Readonly<Record<string, string>>;
	query?: Readonly<Record<string, string>>;
	body?: unknown;
	answer: unknown;
}

/** By endpoint id. */
export type EndpointExchanges = Readonly<Record<string, EndpointExchange>>;

function toExample(value: unknown): Schema {
	return value === undefined ? {} : { example: value };
}

function toParameters(endpoint: Endpoint, exchange: EndpointExchange | undefined): Schema[] {
	return (["params", "query"] as const).flatMap((place) => {
		const schema = endpoint[place];
		if (!schema) return [];
		const { properties = {}, required = [] } = toJsonSchema(schema, "input") as {
			properties?: Record<string, Schema>;
			required?: string[];
		};
		return Object.entries(properties).map(([name, property]) => {
			const example = exchange?.[place]?.[name];
			return {
				name,
				in: place === "params" ? "path" : "query",
				required: place === "params" || required.includes(name),
				schema: property,
				...(property["type"] === "object" ? { style: "deepObject", explode: true } : {}),
				...toExample(example),
			};
		});
	});
}

function mediaContent(mediaType: string, schema: Schema, example?: unknown): { content: Record<string, Schema> } {
	return { content: { [mediaType]: { schema, ...toExample(example) } } };
}

function jsonContent(schema: Schema, example?: unknown): { content: Record<string, Schema> } {
	return mediaContent("application/json", schema, example);
}

function componentRef(name: string): Schema {
	return { $ref: `#/components/schemas/${name}` };
}

const FLAT_ERROR = componentRef("Error");
const WRAPPED_ERROR = componentRef("WrappedError");
const OPENAI_ERROR = componentRef("OpenAIError");
const ANTHROPIC_ERROR = componentRef("AnthropicError");

/** The error bodies of 401, of 429 and of all others, by the endpoint's dialect. */
const ERRORS: Readonly<Record<ErrorDialect | "caller's", { unauthorized: Schema; limited: Schema; other: Schema }>> = {
	svc: { unauthorized: WRAPPED_ERROR, limited: { anyOf: [WRAPPED_ERROR, FLAT_ERROR] }, other: FLAT_ERROR },
	openai: { unauthorized: OPENAI_ERROR, limited: OPENAI_ERROR, other: OPENAI_ERROR },
	anthropic: { unauthorized: ANTHROPIC_ERROR, limited: ANTHROPIC_ERROR, other: ANTHROPIC_ERROR },
	"caller's": {
		unauthorized: WRAPPED_ERROR,
		limited: { anyOf: [WRAPPED_ERROR, FLAT_ERROR, OPENAI_ERROR] },
		other: { anyOf: [FLAT_ERROR, OPENAI_ERROR] },
	},
};

const CALLERS_FORM =
	"OpenAIError to a request with x-stainless-lang, or from the AI SDK by its user-agent; Error to every other";

/** Security schemes by access. */
const SCHEMES: Readonly<Record<Exclude<Access, "public">, { name: string; scheme: Schema }>> = {
	key: {
		name: "apiKey",
		scheme: { type: "http", scheme: "bearer", description: "A key that starts with svc_sk_" },
	},
	operator: {
		name: "adminToken",
		scheme: { type: "http", scheme: "bearer", description: "ADMIN_TOKEN of the deployment" },
	},
	metrics: {
		name: "metricsToken",
		scheme: { type: "http", scheme: "bearer", description: "METRICS_TOKEN of the deployment" },
	},
	session: {
		name: "session",
		scheme: { type: "apiKey", in: "cookie", name: "session", description: "A signed-in browser" },
	},
};

/** The key in Anthropic's header. */
const KEY_HEADER: { name: string; scheme: Schema } = {
	name: "apiKeyHeader",
	scheme: {
		type: "apiKey",
		in: "header",
		name: "x-api-key",
		description: "The same key, as Anthropic's libraries send it",
	},
};

/** The schemes of which an endpoint takes any one. */
function schemesFor({ access, acceptsApiKeyHeader }: Endpoint): { name: string; scheme: Schema }[] {
	if (access === "public") return [];
	return [SCHEMES[access], ...(acceptsApiKeyHeader ? [KEY_HEADER] : [])];
}

function securitySchemes(endpoints: readonly Endpoint[]): Record<string, Schema> {
	return Object.fromEntries(endpoints.flatMap(schemesFor).map(({ name, scheme }) => [name, scheme]));
}

function textContent(mediaType: string, description: string | undefined): Record<string, Schema> {
	return description === undefined ? {} : mediaContent(mediaType, { type: "string", description }).content;
}

function successResponse({ result, mediaType, eventStream, csv }: Endpoint, answer: unknown): Schema {
	const whole = mediaContent(mediaType ?? "application/json", toJsonSchema(result, "output"), answer);
	const others = { ...textContent("text/event-stream", eventStream), ...textContent("text/csv", csv) };
	return { description: "OK", content: { ...whole.content, ...others } };
}

const ETAG = { ETag: { description: "Send it back as If-None-Match", schema: { type: "string" } } };

const LOCATION = { Location: { description: "Where its state is read", schema: { type: "string" } } };

function toResponses(endpoint: Endpoint, answer: unknown): Record<string, Schema> {
	const { unauthorized, limited, other } = ERRORS[endpoint.errorDialect ?? "caller's"];
	const all: Record<string, Schema> = { "200": successResponse(endpoint, answer) };
	if (endpoint.conditional) {
		all["200"] = { ...all["200"], headers: ETAG };
		all["304"] = { description: "If-None-Match names what would be sent", headers: ETAG };
	}
	if (endpoint.background !== undefined) {
		const answer = jsonContent(toJsonSchema(endpoint.result, "output"));
		all["202"] = { description: endpoint.background, headers: LOCATION, ...answer };
	}
	if (endpoint.protocol) all["202"] = { description: endpoint.protocol.accepted };
	if (endpoint.access !== "public")
		all["401"] = { description: "The key is missing, malformed, revoked or expired", ...jsonContent(unauthorized) };
	if (endpoint.access !== "public" || ("limited" in endpoint && endpoint.limited)) {
		all["429"] = { description: "A limit is exceeded; Retry-After says when to come back", ...jsonContent(limited) };
	}
	if (endpoint.degrades) {
		const degraded = { anyOf: [toJsonSchema(endpoint.result, "output"), other] };
		all["503"] = { description: "Degraded; the answer says what is down", ...jsonContent(degraded) };
	}
	const form = endpoint.errorDialect ? "" : `: ${CALLERS_FORM}`;
	const failure = endpoint.protocol ? { anyOf: [other, toJsonSchema(endpoint.protocol.error, "output")] } : other;
	all["default"] = { description: `Any other failure${form}`, ...jsonContent(failure) };
	return all;
}

/** What a group is named where its paths are shortened. */
const LONG_GROUPS: Readonly<Record<string, string>> = {
	b: "brain",
	"openapi.json": "service",
	health: "service",
	verify: "service",
};

/** Whether an access takes a token of the deployment. */
function isOfDeployment(access: Access): boolean {
	return access === "operator" || access === "metrics";
}

/** The group under which a viewer lists an endpoint: its path's first part after the version. */
function toTag({ path, access }: Endpoint): string {
	if (isOfDeployment(access)) return "operator";
	const part = /^\/(?:v\d+\/)?([^/]+)/.exec(path)?.[1] ?? "";
	return LONG_GROUPS[part] ?? part;
}

function toOperation(endpoint: Endpoint, exchange: EndpointExchange | undefined): Schema {
	const own = toParameters(endpoint, exchange);
	const schemes = schemesFor(endpoint);
	return {
		operationId: endpoint.id,
		tags: [toTag(endpoint)],
		summary: endpoint.summary,
		...(endpoint.description === undefined ? {} : { description: endpoint.description }),
		...(schemes.length > 0 ? { security: schemes.map(({ name }) => ({ [name]: [] })) } : {}),
		...(endpoint.internal || isOfDeployment(endpoint.access) ? { "x-internal": true } : {}),
		...(own.length > 0 ? { parameters: own } : {}),
		...(endpoint.body
			? {
					requestBody: {
						required: !endpoint.isBodyOptional,
						...jsonContent(toJsonSchema(endpoint.body, "input"), exchange?.body),
					},
				}
			: {}),
		responses: toResponses(endpoint, exchange?.answer),
	};
}

/**
 * The document of a service with these endpoints. It is the same at every address of the service.
 * @param endpoints internal ones are marked `x-internal`.
 * @param exchanges examples of their requests and answers.
 */
export function openapiDocument(endpoints: readonly Endpoint[], exchanges: EndpointExchanges = {}): Schema {
	const paths: Record<string, Schema> = {};
	for (const endpoint of endpoints) {
		paths[endpoint.path] = {
			...paths[endpoint.path],
			[endpoint.method.toLowerCase()]: toOperation(endpoint, exchanges[endpoint.id]),
		};
	}
	return {
		openapi: "3.1.0",
		info: {
			title: "svc",
			version: "0.1.0",
			license: { name: "MIT", identifier: "MIT" },
			description: "Routing and agent governance.",
		},
		servers: [{ url: "/" }],
		paths,
		components: {
			securitySchemes: securitySchemes(endpoints),
			schemas: {
				Error: toJsonSchema(flatErrorSchema, "output"),
				WrappedError: toJsonSchema(wrappedErrorSchema, "output"),
				OpenAIError: toJsonSchema(openaiErrorSchema, "output"),
				AnthropicError: toJsonSchema(anthropicErrorSchema, "output"),
			},
		},
	};
}
