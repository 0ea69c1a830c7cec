// Skills: the list, one of them, and its invocation, which answers as chat does.

import * as z from "zod";
import { endpoint } from "../account/endpoint.ts";
import { respondToChat } from "../chat/answer.edge.ts";
import { chatCompletionSchema, svcBlock } from "../chat/completion.ts";
import { governedRequest } from "../chat/governed.edge.ts";
import { chatPurpose } from "../chat/inference-request.ts";
import { type Failure, fail, ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import type { SettledRequest } from "../inference/infer.edge.ts";
import { allSkills, findSkill } from "./library.edge.ts";
import { asWork, inSkillFields, skillRequestSchema, toChatRequest } from "./request.ts";
import { SKILLS_SOURCE, type Skill } from "./skill.ts";

/** They change with a deployment. */
const CACHE_CONTROL = "public, max-age=300";

const SKILL_NOT_FOUND: Failure = {
	reason: "skill_not_found",
	message: "no such skill; GET /v1/skills lists them all",
};

const skillEntry = z.lazy(() => z.object({ id: z.string(), name: z.string(), description: z.string() }));

const skillPath = z.lazy(() => z.object({ skill_id: z.string() }));

const listSkillsEndpoint = endpoint({
	id: "list_skills",
	method: "GET",
	path: "/v1/skills",
	access: "public",
	conditional: "strong",
	cacheControl: CACHE_CONTROL,
	summary: "All skills: expert instruction sets that a task can be put to.",
	description: "For the id to invoke one by, and what each is good at.",
	result: z.lazy(() =>
		z.object({ object: z.literal("list"), count: z.int(), source: z.string(), data: z.array(skillEntry) }),
	),
	async handle() {
		const data = (await allSkills()).map(({ id, name, description }) => ({ id, name, description }));
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
	summary: "One skill with the text that becomes the system prompt.",
	description: "To follow the instructions yourself; to have a model follow them, use invoke_skill.",
	params: skillPath,
	result: z.lazy(() =>
		skillEntry.unwrap().extend({
			raw: z.string().describe("Markdown; the system prompt, as it is."),
			source: z.string(),
		}),
	),
	async handle({ params }) {
		const skill = await findSkill(params.skill_id);
		return skill ? ok({ ...skill, source: SKILLS_SOURCE }) : fail(SKILL_NOT_FOUND);
	},
});

/** A chat completion that says which skill answered. */
const skillCompletionSchema = z.lazy(() => {
	const completion = chatCompletionSchema.unwrap();
	const { svc } = completion.shape;
	return completion.extend({
		svc: svc.extend({
			routing: svc.shape.routing.extend({ model: z.string() }),
			skill: z.object({ id: z.string(), name: z.string(), source: z.string() }),
		}),
	});
});

/** The `svc` block of an answer by a skill. */
function skillBlock({ id, name }: Skill, settled: SettledRequest) {
	const svc = svcBlock(settled);
	return {
		...svc,
		routing: { ...svc.routing, model: svc.proof.model },
		skill: { id, name, source: SKILLS_SOURCE },
	};
}

const invokeSkillEndpoint = endpoint({
	id: "invoke_skill",
	method: "POST",
	path: "/v1/skills/{skill_id}/invoke",
	access: "key",
	admission: "handler",
	bodyLimit: "chat",
	summary: "Puts a task to a skill; the answer is a chat completion, whole or streamed, with cost and receipt.",
	description: "For a task that one of list_skills is made for; it costs what a chat completion costs.",
	emptyField: { name: "task", failure: { reason: "no_task" } },
	params: skillPath,
	body: skillRequestSchema,
	result: skillCompletionSchema,
	eventStream:
		"With `stream: true`: `chat.completion.chunk` objects, one an event, then `[DONE]`; `svc.skill` is in the `svc` block.",
	async handle({ params, body, context }) {
		const skill = await findSkill(params.skill_id);
		if (!skill) return fail(SKILL_NOT_FOUND);
		const chat = toChatRequest(body, skill, context.rawBody);
		const governed = await governedRequest(chat.body, context, chat.rawBody);
		if (!governed.ok) return governed;
		const request = asWork(governed.value, body);
		const purpose = { ...chatPurpose(request, chat.rawBody), skillId: skill.id };
		const svcOf = (settled: SettledRequest) => skillBlock(skill, settled);
		return respondToChat({ request, purpose, svcOf, inFields: inSkillFields }, body, context);
	},
});

export const skillEndpoints: readonly Endpoint[] = [listSkillsEndpoint, getSkillEndpoint, invokeSkillEndpoint];
