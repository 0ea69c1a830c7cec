// Skills: the list, one skill, and its invocation, which answers as chat does.

import * as z from "zod";
import { endpoint } from "../account/endpoint.ts";
import { applyChatRules } from "../chat/apply-rules.edge.ts";
import { chatEntrance } from "../chat/chat-form.ts";
import { chatCompletionSchema } from "../chat/completion.ts";
import { UNLISTED_CHAT_FIELDS } from "../chat/field-names.ts";
import { toChatPurpose } from "../chat/purpose.edge.ts";
import { type Failure, fail, ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import type { SettledRequest } from "../inference/infer.edge.ts";
import { respond } from "../inference/respond.edge.ts";
import { svcBlockSchema, toSvcBlock } from "../inference/svc-block.ts";
import { findSkill, loadAllSkills } from "./library.edge.ts";
import { skillRequestSchema, toChatRequest, withSkillDefaults, withSkillFieldNames } from "./request.ts";
import { SKILLS_SOURCE, type Skill } from "./skill.ts";

/** Skills change only with a deployment. */
const CACHE_CONTROL = "public, max-age=300";

const SKILL_NOT_FOUND: Failure = {
	reason: "skill_not_found",
	message: "no such skill; GET /v1/skills lists them all",
};

const skillEntrySchema = z.lazy(() => z.object({ id: z.string(), name: z.string(), description: z.string() }));

const skillParams = z.lazy(() => z.object({ skill_id: z.string() }));

const listSkillsEndpoint = endpoint({
	id: "list_skills",
	method: "GET",
	path: "/v1/skills",
	access: "public",
	conditional: "strong",
	cacheControl: CACHE_CONTROL,
	toolGroup: "skills",
	isDefaultTool: true,
	command: "skills",
	summary: "All skills: expert instruction sets for tasks.",
	description: "For the id to invoke one by, and what each is good at.",
	result: z.lazy(() =>
		z.object({ object: z.literal("list"), count: z.int(), source: z.string(), data: z.array(skillEntrySchema) }),
	),
	async handle() {
		const data = (await loadAllSkills()).map(({ id, name, description }) => ({ id, name, description }));
		return ok({ object: "list" as const, count: data.length, source: SKILLS_SOURCE, data });
	},
});

const getSkillEndpoint = endpoint({
	id: "get_skill",
	method: "GET",
	path: "/v1/skills/{skill_id}",
	access: "public",
	conditional: "strong",
	cacheControl: CACHE_CONTROL,
	toolGroup: "skills",
	isDefaultTool: true,
	summary: "One skill with the text that becomes the system prompt.",
	description: "To follow the instructions yourself; to have a model follow them, use invoke_skill.",
	params: skillParams,
	result: z.lazy(() =>
		skillEntrySchema.unwrap().extend({
			raw: z.string().describe("Markdown; the system prompt, as it is."),
			source: z.string(),
		}),
	),
	example: { params: { skill_id: "debugging" } },
	async handle({ params }) {
		const skill = await findSkill(params.skill_id);
		return skill ? ok({ ...skill, source: SKILLS_SOURCE }) : fail(SKILL_NOT_FOUND);
	},
});

/** A chat completion that names the skill that answered. */
const skillCompletionSchema = z.lazy(() => {
	const completion = chatCompletionSchema.unwrap();
	const svc = svcBlockSchema.unwrap();
	return completion.extend({
		svc: svc.extend({
			routing: svc.shape.routing.extend({ model: z.string() }),
			skill: z.object({ id: z.string(), name: z.string(), source: z.string() }),
		}),
	});
});

/** The `svc` block of a skill's answer. */
function toSkillBlock({ id, name }: Skill, settled: SettledRequest) {
	const svc = toSvcBlock(settled);
	return {
		...svc,
		routing: { ...svc.routing, model: svc.proof.model },
		skill: { id, name, source: SKILLS_SOURCE },
	};
}

const invokeSkillEndpoint = endpoint({
	id: "invoke_skill",
	unlistedArguments: [...UNLISTED_CHAT_FIELDS, "brain_config", "compliance", "temperature", "stop", "response_format"],
	method: "POST",
	path: "/v1/skills/{skill_id}/invoke",
	access: "key",
	admission: "handler",
	requestKind: "skill",
	bodyLimit: "chat",
	toolGroup: "skills",
	isDefaultTool: true,
	command: "chat",
	summary: "Gives a task to a skill; the answer is a chat completion, whole or streamed, with cost and receipt.",
	description: "For a task that one of list_skills is made for; it costs what a chat completion costs.",
	emptyField: { name: "task", failure: { reason: "no_task" } },
	params: skillParams,
	body: skillRequestSchema,
	result: skillCompletionSchema,
	eventStream:
		"With `stream: true`: `chat.completion.chunk` objects, one an event, then `[DONE]`; `svc.skill` is in the `svc` block.",
	ids: "public",
	example: {
		params: { skill_id: "debugging" },
		body: { task: "Uploads fail for some customers since Monday: 413, but the files are small." },
	},
	async handle({ params, body, context }) {
		const skill = await findSkill(params.skill_id);
		if (!skill) return fail(SKILL_NOT_FOUND);
		const chat = toChatRequest(body, skill, context.rawBody);
		const governed = await applyChatRules(chat.body, context, chat.rawBody);
		if (!governed.ok) return governed;
		const request = withSkillDefaults(governed.value);
		const purpose = { ...(await toChatPurpose(request, chat.rawBody, context)), skillId: skill.id };
		const toBlock = (settled: SettledRequest) => toSkillBlock(skill, settled);
		const entrance = chatEntrance(
			{ request, purpose, toSvcBlock: toBlock, withClientFields: withSkillFieldNames },
			body,
		);
		return respond(entrance, body.stream === true, context);
	},
});

export const skillEndpoints: readonly Endpoint[] = [listSkillsEndpoint, getSkillEndpoint, invokeSkillEndpoint];
