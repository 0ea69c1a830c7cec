// The sandbox for Claude on Vertex: Anthropic's Messages format with the model in the path, and Google's errors where the platform
// refuses before the model is asked.
import * as z from "zod";
import { anthropicFormat } from "./anthropic.ts";
import { jsonFields, Refusal, type SandboxFormat } from "./format.ts";
import { googleFormat } from "./google.ts";
import { googleError } from "./google-schema.ts";

/** Methods of a model in the path. */
export const VERTEX_VERB = /:(?:rawPredict|streamRawPredict)$/;

/** What Claude itself refuses; the platform refuses the rest. */
const MODELS_OWN_STATUS = 400;

const vertexBody = z.looseObject({
	anthropic_version: z.literal("vertex-2023-10-16"),
	model: z.undefined().optional(),
});

function googleRefusal(status: number, message: string): Refusal {
	return new Refusal(status, message, googleError(status, message));
}

export const vertexClaudeFormat: SandboxFormat = {
	...anthropicFormat,
	read(request) {
		const [, model = "", verb] = /^(.+):(rawPredict|streamRawPredict)$/.exec(request.modelAndVerb) ?? [];
		const authorization = request.headers.get("authorization");
		if (!authorization?.startsWith("Bearer "))
			throw googleRefusal(401, "Request had invalid authentication credentials. Expected OAuth 2 access token.");
		const parsed = vertexBody.safeParse(request.body);
		if (!parsed.success)
			throw new Refusal(400, "anthropic_version: Field required, and model: Extra inputs are not permitted");
		const { anthropic_version: _, ...body } = jsonFields.parse(request.body);
		if ((verb === "streamRawPredict") !== (body["stream"] === true))
			throw new Refusal(400, `stream: must be ${verb === "streamRawPredict"} for ${verb}`);
		const headers = new Headers(request.headers);
		headers.set("x-api-key", authorization);
		headers.set("anthropic-version", "2023-06-01");
		return anthropicFormat.read({ ...request, headers, body: { ...body, model } });
	},
	failure: (status, ...more) =>
		(status === MODELS_OWN_STATUS ? anthropicFormat : googleFormat).failure(status, ...more),
	overloaded: googleFormat.overloaded,
	refusals: {
		...googleFormat.refusals,
		unserved: (model) =>
			new Refusal(
				404,
				`Publisher Model \`projects/sandbox/locations/global/publishers/anthropic/models/${model}\` was not found or your project does not have access to it. Please ensure you are using a valid model version.`,
			),
		forbidden: (model) =>
			new Refusal(
				403,
				`Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/sandbox/locations/global/publishers/anthropic/models/${model}' (or it may not exist).`,
			),
	},
};
