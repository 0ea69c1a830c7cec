// Resources and prompts of the MCP server: skills, and shared routing configs, as the endpoints answer them.
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
import { type Asker, callEndpoint, type ToolCallResult } from "./ask.edge.ts";
import { resourceNamed, resourceUri, SOURCES } from "./resources.ts";

const errorSchema = z.object({ message: z.string() });
const skillEntry = z.object({ id: z.string(), name: z.string(), description: z.string() });
const skillList = z.object({ data: z.array(skillEntry) });
const skillSchema = skillEntry.extend({ raw: z.string() });
const shareList = z.object({
	data: z.array(z.object({ share_id: z.string(), title: z.string().nullable() })),
	next_cursor: z.string().nullable(),
});

function find(endpoints: readonly Endpoint[], source: keyof typeof SOURCES): Endpoint {
	const endpoint = endpoints.find(({ id }) => id === SOURCES[source]);
	if (!endpoint) throw new Error(`there is no endpoint ${SOURCES[source]}`);
	return endpoint;
}

/** What an error's body says to people, in either of its forms (docs/reference.md, "Errors"). */
function messageOf(body: ToolCallResult["value"]): string | undefined {
	return errorSchema.safeParse(body).data?.message ?? errorSchema.safeParse(body?.["detail"]).data?.message;
}

/** A source's answer; a refusal becomes the protocol's error, with the endpoint's body as its data. */
async function read<T>(
	schema: z.ZodType<T>,
	source: keyof typeof SOURCES,
	endpoints: readonly Endpoint[],
	asker: Asker,
	given: Record<string, unknown> = {},
): Promise<T> {
	const { failed, value } = await callEndpoint(asker, find(endpoints, source), given);
	// Clients show the message alone.
	if (failed) throw new ProtocolError(ProtocolErrorCode.InvalidParams, messageOf(value) ?? "refused", value);
	return schema.parse(value);
}

/** All skills on the first page; the caller's own shares by the pages of their list. */
export async function listResources(
	endpoints: readonly Endpoint[],
	asker: Asker,
	cursor: string | undefined,
): Promise<ListResourcesResult> {
	const skills = cursor === undefined ? (await read(skillList, "skills", endpoints, asker)).data : [];
	const shares = await read(shareList, "ownShares", endpoints, asker, { cursor });
	return {
		resources: [
			...skills.map(({ id, name, description }) => ({
				uri: resourceUri({ kind: "skill", id }),
				name: id,
				title: name,
				description,
				mimeType: "text/markdown",
			})),
			...shares.data.map(({ share_id: id, title }) => ({
				uri: resourceUri({ kind: "share", id }),
				name: id,
				...(title === null ? {} : { title }),
				mimeType: "application/json",
			})),
		],
		...(shares.next_cursor === null ? {} : { nextCursor: shares.next_cursor }),
	};
}

function contentsOf(uri: string, isSkill: boolean, { text, value }: ToolCallResult): ReadResourceResult {
	if (!isSkill) return { contents: [{ uri, mimeType: "application/json", text }] };
	return { contents: [{ uri, mimeType: "text/markdown", text: skillSchema.parse(value).raw }] };
}

/** A skill's Markdown, or a shared config as its endpoint answers it. */
export async function readResource(
	endpoints: readonly Endpoint[],
	asker: Asker,
	uri: string,
): Promise<ReadResourceResult> {
	const named = resourceNamed(uri);
	if (!named) throw new ResourceNotFoundError(uri);
	const given = named.kind === "skill" ? { skill_id: named.id } : { share_id: named.id };
	const answer = await callEndpoint(asker, find(endpoints, named.kind), given);
	if (answer.failed) throw new ResourceNotFoundError(uri, messageOf(answer.value) ?? "not found");
	return contentsOf(uri, named.kind === "skill", answer);
}

/** Every skill, to be given a task. */
export async function listPrompts(endpoints: readonly Endpoint[], asker: Asker): Promise<ListPromptsResult> {
	const { data } = await read(skillList, "skills", endpoints, asker);
	return {
		prompts: data.map(({ id, name, description }) => ({
			name: id,
			title: name,
			description,
			arguments: [{ name: "task", description: "What to put to the skill.", required: true }],
		})),
	};
}

/** A skill's text and the task, for the client's own model; a prompt knows no system role. */
export async function getPrompt(
	endpoints: readonly Endpoint[],
	asker: Asker,
	{ name, arguments: given }: GetPromptRequestParams,
): Promise<GetPromptResult> {
	const task = given?.["task"];
	if (!task?.trim()) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "task is missing or empty");
	const { description, raw } = await read(skillSchema, "skill", endpoints, asker, { skill_id: name });
	const messages = [raw, task].map((text) => ({ role: "user" as const, content: { type: "text" as const, text } }));
	return { description, messages };
}
