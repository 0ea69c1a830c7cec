// Resources and prompts of the MCP server: skills and shared routing configs, read from the service's endpoints.
import {
	type GetPromptRequestParams,
	type GetPromptResult,
	type ListPromptsResult,
	type ListResourcesResult,
	ProtocolError,
	ProtocolErrorCode,
	type ReadResourceResult,
	ResourceNotFoundError,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Endpoint } from "../http/endpoint.ts";
import { callEndpoint, type EndpointCaller, type ToolCallResult } from "./call-endpoint.edge.ts";
import { parseResourceUri, renderResourceUri, SOURCE_ENDPOINTS } from "./resources.ts";

const endpointErrorSchema = z.object({ message: z.string() });
const listedSkillSchema = z.object({ id: z.string(), name: z.string(), description: z.string() });
const skillListSchema = z.object({ data: z.array(listedSkillSchema) });
const skillSchema = listedSkillSchema.extend({ raw: z.string() });
const shareListSchema = z.object({
	data: z.array(z.object({ share_id: z.string(), title: z.string().nullable() })),
	next_cursor: z.string().nullable(),
});

/** Shares on a page of resources. */
const PAGE_SHARES = 50;

function findSource(endpoints: readonly Endpoint[], source: keyof typeof SOURCE_ENDPOINTS): Endpoint {
	const endpoint = endpoints.find(({ id }) => id === SOURCE_ENDPOINTS[source]);
	if (!endpoint) throw new Error(`there is no endpoint ${SOURCE_ENDPOINTS[source]}`);
	return endpoint;
}

/** The message of an error's body, in either of its forms (docs/reference/errors.md, "Errors"). */
function errorMessage(body: ToolCallResult["value"]): string | undefined {
	return (
		endpointErrorSchema.safeParse(body).data?.message ?? endpointErrorSchema.safeParse(body?.["detail"]).data?.message
	);
}

/** A source's answer. A failure becomes an error of the protocol, with the endpoint's body as its data. */
async function readSource<T>(
	schema: z.ZodType<T>,
	source: keyof typeof SOURCE_ENDPOINTS,
	endpoints: readonly Endpoint[],
	caller: EndpointCaller,
	args: Record<string, unknown> = {},
): Promise<T> {
	const { failed, value } = await callEndpoint(caller, findSource(endpoints, source), args);
	// Clients show only the message.
	if (failed) throw new ProtocolError(ProtocolErrorCode.InvalidParams, errorMessage(value) ?? "refused", value);
	return schema.parse(value);
}

/** All skills on the first page, and the caller's own shares, page by page. */
export async function listResources(
	endpoints: readonly Endpoint[],
	caller: EndpointCaller,
	cursor: string | undefined,
): Promise<ListResourcesResult> {
	const skills = cursor === undefined ? (await readSource(skillListSchema, "skills", endpoints, caller)).data : [];
	const shares = await readSource(shareListSchema, "ownShares", endpoints, caller, { cursor, limit: PAGE_SHARES });
	return {
		resources: [
			...skills.map(({ id, name, description }) => ({
				uri: renderResourceUri({ kind: "skill", id }),
				name: id,
				title: name,
				description,
				mimeType: "text/markdown",
			})),
			...shares.data.map(({ share_id: id, title }) => ({
				uri: renderResourceUri({ kind: "share", id }),
				name: id,
				...(title === null ? {} : { title }),
				mimeType: "application/json",
			})),
		],
		...(shares.next_cursor === null ? {} : { nextCursor: shares.next_cursor }),
	};
}

function toResourceContents(uri: string, isSkill: boolean, { text, value }: ToolCallResult): ReadResourceResult {
	if (!isSkill) return { contents: [{ uri, mimeType: "application/json", text }] };
	return { contents: [{ uri, mimeType: "text/markdown", text: skillSchema.parse(value).raw }] };
}

/** A skill's Markdown, or the JSON of a shared config. */
export async function readResource(
	endpoints: readonly Endpoint[],
	caller: EndpointCaller,
	uri: string,
): Promise<ReadResourceResult> {
	const name = parseResourceUri(uri);
	if (!name) throw new ResourceNotFoundError(uri);
	const args = name.kind === "skill" ? { skill_id: name.id } : { share_id: name.id };
	const answer = await callEndpoint(caller, findSource(endpoints, name.kind), args);
	if (answer.failed) throw new ResourceNotFoundError(uri, errorMessage(answer.value) ?? "not found");
	return toResourceContents(uri, name.kind === "skill", answer);
}

/** Every skill, as a prompt that takes a task. */
export async function listPrompts(endpoints: readonly Endpoint[], caller: EndpointCaller): Promise<ListPromptsResult> {
	const { data } = await readSource(skillListSchema, "skills", endpoints, caller);
	return {
		prompts: data.map(({ id, name, description }) => ({
			name: id,
			title: name,
			description,
			arguments: [{ name: "task", description: "What to put to the skill.", required: true }],
		})),
	};
}

/** A skill's text and the task for the client's own model. Prompts have no system role. */
export async function getPrompt(
	endpoints: readonly Endpoint[],
	caller: EndpointCaller,
	{ name, arguments: args }: GetPromptRequestParams,
): Promise<GetPromptResult> {
	const task = args?.["task"];
	if (!task?.trim()) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "task is missing or empty");
	const { description, raw } = await readSource(skillSchema, "skill", endpoints, caller, { skill_id: name });
	const messages = [raw, task].map((text) => ({ role: "user" as const, content: { type: "text" as const, text } }));
	return { description, messages };
}
