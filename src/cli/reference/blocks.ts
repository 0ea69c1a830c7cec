// Fills the blocks of the reference's pages that are made of the endpoints: lists of endpoints, tables of fields, examples.
import type { Endpoint } from "../../http/endpoint.ts";
import { type JsonSchema, toJsonSchema } from "../../http/json-schema.ts";
import type { EndpointExchanges } from "../../http/openapi.ts";
import { isJsonObject } from "../../json.ts";
import { toAnchor } from "../site/markdown.ts";
import { cutExample, layOutJson } from "./example-text.ts";
import { toMembers, toTypeText, toVariants } from "./schema-text.ts";

/**
 * A block: `<!-- KIND: WHAT -->`, what is written for it, `<!-- end -->`.
 *
 * | kind | what |
 * |---|---|
 * | `endpoints` | `METHOD /path, …`: these; nothing: all, each with a link to its section |
 * | `fields` | `METHOD /path PLACE`: a table of `query`, `body` or `answer`; of something in it, `answer.data[].svc`, or of one of several forms, `answer\|2` |
 * | `example` | `METHOD /path`: the recorded request and its answer |
 * | `answer` | `METHOD /path`: the recorded answer alone |
 */
const BLOCK = /<!-- (endpoints|fields|example|answer)(?:: ([^>]+?))? -->\n[\s\S]*?<!-- end -->/g;

/** A page of the reference. */
export interface ReferencePage {
	/** As links from the first page name it; the first page's is empty. */
	path: string;
	markdown: string;
}

export interface ReferenceSources {
	endpoints: readonly Endpoint[];
	exchanges: EndpointExchanges;
}

function nameEndpoint({ method, path }: Pick<Endpoint, "method" | "path">): string {
	return `${method} ${path}`;
}

/** @throws Error for one that is not there. */
function findEndpoint(endpoints: readonly Endpoint[], name: string): Endpoint {
	const found = endpoints.find((endpoint) => nameEndpoint(endpoint) === name);
	if (!found) throw new Error(`there is no endpoint ${name}`);
	return found;
}

/** Where each endpoint is explained: the section whose list names it. @throws Error for one that is listed twice. */
function findSections(pages: readonly ReferencePage[]): Map<string, string> {
	const sections = new Map<string, string>();
	for (const { path, markdown } of pages) {
		let title = "";
		for (const [line, , heading, names] of markdown.matchAll(/^(?:(#+) (.+)|<!-- endpoints: (.+) -->)$/gm)) {
			if (heading !== undefined) title = heading;
			for (const name of names?.split(", ") ?? []) {
				if (sections.has(name)) throw new Error(`${path}: ${line} is not the first list with ${name}`);
				sections.set(name, `[${title}](${path}#${toAnchor(title)})`);
			}
		}
	}
	return sections;
}

function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
	const toLine = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
	return [toLine(head), `|${head.map(() => "---|").join("")}`, ...rows.map(toLine)].join("\n");
}

function toCell(text: string): string {
	return text.replaceAll("|", "\\|").replaceAll(/\s*\n\s*/g, " ");
}

function renderAllEndpoints(endpoints: readonly Endpoint[], sections: ReadonlyMap<string, string>): string {
	const rows = endpoints
		.filter(({ access }) => access !== "session")
		.map((endpoint) => {
			const name = nameEndpoint(endpoint);
			const section = sections.get(name);
			if (section === undefined) throw new Error(`no section of the reference lists ${name}`);
			const isLimited = "limited" in endpoint && endpoint.limited;
			return [`\`${name}\``, isLimited ? "limited" : endpoint.access, `${toCell(endpoint.summary)} ${section}`];
		});
	return renderTable(["endpoint", "access", "what it does"], rows);
}

type Io = "input" | "output";

function toPlaceSchema(endpoint: Endpoint, place: string): JsonSchema {
	if (place === "answer") return toJsonSchema(endpoint.result, "output");
	const schema = place === "query" ? endpoint.query : place === "body" ? endpoint.body : undefined;
	if (!schema) throw new Error(`${nameEndpoint(endpoint)} has no ${place}`);
	return toJsonSchema(schema, "input");
}

/** What a step leads to: `.member`, `[]` for the entries of a list, `|2` for the second of several forms. */
function takeStep(schema: JsonSchema, step: string): JsonSchema | undefined {
	const variants = toVariants(schema);
	if (step.startsWith("|")) return variants[Number(step.slice(1)) - 1];
	if (step === "[]") {
		const list = variants.find(({ type }) => type === "array") ?? {};
		const { items, prefixItems } = list;
		const entry = Array.isArray(prefixItems) ? prefixItems[0] : items;
		return isJsonObject(entry) ? entry : undefined;
	}
	const member = variants.map(({ properties }) => isJsonObject(properties) && properties[step.slice(1)]).find(Boolean);
	return isJsonObject(member) ? member : undefined;
}

function toRow([name, schema, isRequired]: ReturnType<typeof toMembers>[number], io: Io): string[] {
	const type = toTypeText(schema, io);
	const isNamed = io === "input" || isRequired;
	const required = io === "input" && isRequired ? "required; " : "";
	const { description } = schema;
	return [
		`\`${isNamed ? name : `${name}?`}\``,
		toCell(`${required}${type}`),
		toCell(typeof description === "string" ? description : ""),
	];
}

/** @param what `METHOD /path PLACE`. */
function renderFields(endpoints: readonly Endpoint[], what: string): string {
	const [, name = "", place = "", steps = ""] = /^(\S+ \S+) (query|body|answer)(\S*)$/.exec(what) ?? [];
	const endpoint = findEndpoint(endpoints, name);
	let schema: JsonSchema | undefined = toPlaceSchema(endpoint, place);
	for (const [step] of steps.matchAll(/\.\w+|\[\]|\|\d+/g)) {
		schema = takeStep(schema, step);
		if (!schema) throw new Error(`${what}: there is no ${step}`);
	}
	const members = toVariants(schema).length === 1 ? toMembers(toVariants(schema)[0] ?? {}) : [];
	if (members.length === 0) throw new Error(`${what} has no members`);
	const io = place === "answer" ? "output" : "input";
	const head = [place === "answer" ? "member" : place === "query" ? "parameter" : "field", "type", "meaning"];
	return renderTable(
		head,
		members.map((member) => toRow(member, io)),
	);
}

/** What a shell sends: the address behind the variable that `.env.local` sets. */
function renderRequest({ method, path, access, id }: Endpoint, exchanges: EndpointExchanges): string {
	const { query, body } = exchanges[id] ?? {};
	if (path.includes("{")) throw new Error(`${id}: a reader has no such id; show the answer alone`);
	const base = path.startsWith("/v1/") ? `$SVC_BASE_URL${path.slice(3)}` : `\${SVC_BASE_URL%/v1}${path}`;
	const address = query ? `"${base}?${new URLSearchParams(query)}"` : base;
	const parts = [
		`curl ${address}`,
		...(method === (body === undefined ? "GET" : "POST") ? [] : [`-X ${method}`]),
		...(access === "public" ? [] : ['-H "Authorization: Bearer $SVC_API_KEY"']),
	];
	if (body === undefined) return parts.join(" ");
	const text = layOutJson(body).replaceAll("'", String.raw`'\''`);
	const lead = parts.join(" ");
	const isShort = !text.includes("\n") && lead.length + text.length < 110;
	return `${lead}${isShort ? " " : " \\\n  "}-d '${text}'`;
}

function renderAnswer({ id }: Endpoint, exchanges: EndpointExchanges): string {
	const answer = exchanges[id]?.answer;
	if (answer === undefined) throw new Error(`no example of ${id} is recorded`);
	return `\`\`\`json\n${layOutJson(cutExample(answer))}\n\`\`\``;
}

function writeBlock(
	kind: string,
	what: string | undefined,
	{ endpoints, exchanges }: ReferenceSources,
	sections: ReadonlyMap<string, string>,
): string {
	if (what === undefined) return renderAllEndpoints(endpoints, sections);
	if (kind === "fields") return renderFields(endpoints, what);
	if (kind === "endpoints") {
		const listed = what.split(", ").map((name) => findEndpoint(endpoints, name));
		return renderTable(
			["endpoint", "what it does"],
			listed.map((endpoint) => [`\`${nameEndpoint(endpoint)}\``, toCell(endpoint.summary)]),
		);
	}
	const endpoint = findEndpoint(endpoints, what);
	const answer = renderAnswer(endpoint, exchanges);
	return kind === "answer" ? answer : `\`\`\`sh\n${renderRequest(endpoint, exchanges)}\n\`\`\`\n\n${answer}`;
}

/** The pages with their blocks filled. @throws Error for a block of what is not there, and for an endpoint that no section lists. */
export function fillBlocks(pages: readonly ReferencePage[], sources: ReferenceSources): ReferencePage[] {
	const sections = findSections(pages);
	return pages.map(({ path, markdown }) => ({
		path,
		markdown: markdown.replaceAll(BLOCK, (_, kind: string, what: string | undefined) => {
			const text = writeBlock(kind, what, sources, sections);
			return `<!-- ${kind}${what === undefined ? "" : `: ${what}`} -->\n\n${text}\n\n<!-- end -->`;
		}),
	}));
}
