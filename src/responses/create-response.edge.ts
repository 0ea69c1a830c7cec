// Turns a Responses body into a request to the engine: reads what the body refers to, opens sealed reasoning, applies the rules in
// force, and decides how the answer is worded and stored.
import type { KeyContext } from "../account/context.ts";
import { fail, ok, type Result } from "../failure.ts";
import type { EntranceRequest } from "../inference/answer-form.ts";
import { applyRules } from "../inference/apply-rules.edge.ts";
import { openSealedTexts, reasoningSealer } from "../inference/sealed-reasoning.edge.ts";
import { toSvcBlock } from "../inference/svc-block.ts";
import { isJsonObject } from "../json.ts";
import { isAvailable } from "../providers/wires.ts";
import { toResponsesWarning, withResponsesFields } from "./field-names.ts";
import { LOGPROBS_INCLUDE } from "./fields.ts";
import { toResponsesPurpose } from "./purpose.edge.ts";
import type { ResponsesRequest } from "./request.ts";
import { type ResolvedInput, resolveInput } from "./resolve-input.edge.ts";
import type { ResponseObject } from "./response.ts";
import { responseWording } from "./response-form.ts";
import { decideStorage } from "./response-storage.ts";
import { storeResponse } from "./store.edge.ts";
import { listSealedTexts, type ResponsesCall, toResponsesCall } from "./to-call.ts";

const ENCRYPTED_INCLUDE = "reasoning.encrypted_content";

/** A body as a call, with the input that it stands for. */
export async function readResponsesCall(
	body: ResponsesRequest,
	context: KeyContext,
): Promise<Result<ResponsesCall & { input: ResolvedInput }>> {
	const { account, settings, env, rawBody } = context;
	const input = await resolveInput(body, context);
	if (!input.ok) return input;
	const made = toResponsesCall(body, input.value.items, {
		catalog: settings.catalog,
		opened: await openSealedTexts(listSealedTexts(input.value.items), account, env),
		rawBody,
		mayServe: (model) => isAvailable(model, settings),
	});
	return made.ok ? ok({ ...made.value, input: input.value }) : made;
}

/** The request of a body, and how its answer is worded. */
export async function toResponsesEntrance(
	body: ResponsesRequest,
	context: KeyContext,
): Promise<Result<EntranceRequest<ResponseObject>>> {
	const { account, settings, env, rawBody } = context;
	const read = await readResponsesCall(body, context);
	if (!read.ok) return read;
	const { call, options, tools, places, warnings, input } = read.value;
	const toRequest: Parameters<typeof applyRules>[1] = (config) =>
		ok({ call, options: { ...options, config, gate: null } });
	const ruled = await applyRules(body, toRequest, context);
	if (!ruled.ok) return fail(withResponsesFields(ruled.failure, places));
	const storage = decideStorage(body.store, ruled.value.options.gate?.levels ?? null, settings);
	const request = {
		...ruled.value,
		options: {
			...ruled.value.options,
			warnings: [...warnings, ...storage.warnings],
			...(body.previous_response_id ? { previousResponseId: body.previous_response_id } : {}),
		},
	};
	const wording = responseWording({
		tools,
		reasoningForm: (body.reasoning?.summary ?? body.reasoning?.generate_summary) ? "summary" : "content",
		hasLogprobs: body.include?.includes(LOGPROBS_INCLUDE) ?? false,
		includesSealed: body.include?.includes(ENCRYPTED_INCLUDE) ?? false,
		rawBody: isJsonObject(rawBody) ? rawBody : {},
		seal: reasoningSealer(account, settings, env),
		toSvcBlock: (settled) => toSvcBlock(settled, toResponsesWarning),
		store: storage.stores
			? (response) =>
					storeResponse(
						{ response: { ...response, previous_response_id: body.previous_response_id }, input: input.own },
						context,
					)
			: null,
	});
	return ok({
		request,
		purpose: await toResponsesPurpose(context, request.options, tools),
		...wording,
		withClientFields: (failure) => withResponsesFields(failure, places),
	});
}
