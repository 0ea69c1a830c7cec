// Whose fault a provider's refusal is, by bodies that providers have sent (from public issue threads and references), and by others
// that look like them.
import { describe, expect, it } from "vitest";
import { type RefusalCause, readRefusalCause } from "../../../src/providers/refusal-cause.ts";
import { anthropicWire, bedrockWire, googleWire, openAiWire } from "../../../src/providers/wires.ts";

const WIRES = { openai: openAiWire, anthropic: anthropicWire, google: googleWire };

type Row = [status: number, body: unknown, ...modelIds: string[]];

function causeOf(wire: keyof typeof WIRES, [status, body, ...modelIds]: Row): RefusalCause {
	return readRefusalCause(status, WIRES[wire].parseError(body), modelIds.length > 0 ? modelIds : ["gpt-6-sol"]);
}

const wrapped = (message: string, code: string | null = null, type = "invalid_request_error") => ({
	error: { message, type, param: null, code },
});
const anthropic = (type: string, message: string) => ({ type: "error", error: { type, message }, request_id: "req_1" });
const google = (code: number, status: string, message: string, details: unknown[] = []) => ({
	error: { code, message, status, details },
});
const mistral = (message: string, type: string, code: string) => ({
	object: "error",
	message,
	type,
	param: null,
	code,
});
const LACKS_ROLE =
	"Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/acme/locations/eu/publishers/google/models/gpt-6-sol' (or it may not exist).";
const PERMISSION = "The caller does not have permission to execute the specified operation";

describe("a refusal that is the account's", () => {
	const openai: Row[] = [
		[401, wrapped("Incorrect API key provided: sk-…", "invalid_api_key")],
		[402, {}],
		[402, wrapped("Insufficient Balance", "invalid_request_error", "unknown_error")],
		[
			403,
			wrapped(
				"Country, region, or territory not supported",
				"unsupported_country_region_territory",
				"request_forbidden",
			),
		],
		[
			429,
			wrapped("You exceeded your current quota, please check your plan", "insufficient_quota", "insufficient_quota"),
		],
		[429, wrapped("Your account is not active, please check your billing details", "billing_not_active")],
		// Moonshot.
		[
			403,
			{
				error: {
					message:
						"Your account org-1<ak-2> is not active, organization <org-1> exceeded current quota, please check your plan",
					type: "exceeded_current_quota_error",
				},
			},
		],
		[429, { error: { message: "Your account is suspended", type: "exceeded_current_quota_error" } }],
		// xAI.
		[
			400,
			{ code: "Client specified an invalid argument", error: "Incorrect API key provided: xa***. You can obtain one" },
		],
		[
			403,
			{
				code: "permission-denied",
				error: "Access to the chat endpoint is denied. Please ensure you're using the correct credentials.",
			},
		],
		[403, { code: PERMISSION, error: "Your newly created team doesn't have any credits or licenses yet." }],
		// Alibaba.
		[400, wrapped("Access denied, please make sure your account is in good standing.", "Arrearage", "Arrearage")],
		[403, wrapped("Workspace access denied.", "Workspace.AccessDenied")],
		// Z.ai.
		[429, { error: { code: "1113", message: "Insufficient balance or no resource package. Please recharge." } }],
		[429, { error: { code: "1113", message: "余额不足或无可用资源包,请充值。" } }],
		[429, { error: { code: "1113", message: "Your account is in arrears, please recharge and try again" } }],
		// Groq.
		[400, wrapped("Organization has been restricted. Please reach out to support.", "organization_restricted")],
		// Mistral.
		[403, { message: "Inactive subscription or usage limit reached" }],
		// Cohere.
		[403, { message: "Please use a production key: the trial key has reached its quota" }],
		[
			429,
			{ message: "You are using a Trial key, which is limited to 1000 API calls / month. You can continue to use it" },
		],
		// Nobody's in particular.
		[403, wrapped("Your organization has been disabled for repeated violations of our usage policies.")],
		[403, wrapped("This API key is not allowed to call chat completions")],
		[403, wrapped("No permission", "forbidden")],
		[403, wrapped("You have reached your monthly spending limit")],
		[
			403,
			{
				code: PERMISSION,
				error: "Your team 1-2 has either used all available credits or reached its monthly spending limit.",
			},
		],
		[403, { detail: "Monthly billing limit reached" }],
	];
	it.each(openai)("in OpenAI's form: %i %j", (...row) => {
		expect(causeOf("openai", row)).toBe("account");
	});

	const others: [keyof typeof WIRES, ...Row][] = [
		[
			"anthropic",
			403,
			anthropic("permission_error", "Your API key does not have permission to use the specified resource"),
		],
		["anthropic", 403, anthropic("permission_error", "Permission denied")],
		["anthropic", 403, anthropic("forbidden", "Request not allowed")],
		[
			"anthropic",
			400,
			anthropic("invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
		],
		["anthropic", 400, anthropic("invalid_request_error", "You have reached your specified API usage limits.")],
		["anthropic", 403, anthropic("permission_error", "This organization has been disabled.")],
		["google", 403, google(403, "PERMISSION_DENIED", "The caller does not have permission")],
		// A service account without the role, of Gemini and of Claude.
		["google", 403, google(403, "PERMISSION_DENIED", LACKS_ROLE), "gpt-6-sol"],
		["anthropic", 403, [google(403, "PERMISSION_DENIED", LACKS_ROLE)], "gpt-6-sol"],
		["anthropic", 401, google(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.")],
		[
			"google",
			403,
			google(403, "PERMISSION_DENIED", "Vertex AI API has not been used in project 12 before or it is disabled."),
		],
		["google", 403, google(403, "PERMISSION_DENIED", "Permission denied: Consumer 'api_key:AIza' has been suspended.")],
		[
			"google",
			403,
			google(403, "PERMISSION_DENIED", "Your API key was reported as leaked. Please use another API key."),
		],
		[
			"google",
			403,
			google(
				403,
				"PERMISSION_DENIED",
				"Generative Language API has not been used in project 1 before or it is disabled.",
			),
		],
		[
			"google",
			403,
			google(
				403,
				"PERMISSION_DENIED",
				"Requests to this API generativelanguage.googleapis.com method google.ai.generativelanguage.v1beta.GenerativeService.GenerateContent are blocked.",
			),
		],
		[
			"google",
			403,
			google(
				403,
				"PERMISSION_DENIED",
				"This service has been disabled in this account for violation of Terms of Service.",
			),
		],
		["google", 400, google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.")],
		["google", 400, google(400, "INVALID_ARGUMENT", "API Key not found.", [{ reason: "API_KEY_INVALID" }])],
		["google", 400, google(400, "FAILED_PRECONDITION", "User location is not supported for the API use.")],
	];
	it.each(others)("in the form of %s: %i %j", (wire, ...row) => {
		expect(causeOf(wire, row)).toBe("account");
	});
});

describe("a refusal that is the model's", () => {
	const rows: [keyof typeof WIRES, ...Row][] = [
		[
			"openai",
			404,
			wrapped("The model `gpt-6-sol` does not exist or you do not have access to it.", "model_not_found"),
		],
		["openai", 403, wrapped("Project `proj_1` does not have access to model `gpt-6-sol`", "model_not_found")],
		["openai", 403, wrapped("You are not allowed to sample from this model", null)],
		["openai", 404, wrapped("Your organization must be verified to use the model `gpt-6-sol`. Please go to settings.")],
		["openai", 400, wrapped("Your organization must be verified to stream this model.", "unsupported_value")],
		["openai", 404, wrapped("This is not a chat model and thus not supported in the v1/chat/completions endpoint.")],
		["openai", 410, wrapped("The model gpt-6-sol has been retired")],
		["anthropic", 404, anthropic("not_found_error", "model: claude-opus-5-5"), "claude-opus-5-5"],
		[
			"anthropic",
			403,
			anthropic("permission_error", "Your organization has no access to claude-fable-5"),
			"claude-fable-5",
		],
		[
			"google",
			404,
			google(
				404,
				"NOT_FOUND",
				"models/gemini-3.8-flash is not found for API version v1beta, or is not supported for generateContent.",
			),
			"gemini-3.8-flash",
		],
		[
			"google",
			404,
			google(404, "NOT_FOUND", "This model models/gemini-2.5-flash-lite is no longer available to new users."),
			"gemini-2.5-flash-lite",
		],
		[
			"google",
			400,
			google(400, "INVALID_ARGUMENT", "You don't have access to this model or the model name is invalid"),
		],
		[
			"google",
			400,
			google(400, "INVALID_ARGUMENT", "* GenerateContentRequest.model: unexpected model name format"),
			"gemini-3.8-flash",
		],
		[
			"google",
			429,
			google(
				429,
				"RESOURCE_EXHAUSTED",
				"You exceeded your current quota, please check your plan and billing details. * Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 0, model: gemini-3.1-pro",
			),
			"gemini-3.1-pro-preview",
		],
		// Mistral.
		[
			"openai",
			400,
			mistral("Invalid model: mistral-medium-2604", "invalid_model", "1500"),
			"mistral-medium-3-5",
			"mistral-medium-2604",
		],
		["openai", 400, { message: "Invalid model: mistral-medium-2604" }, "mistral-medium-3-5", "mistral-medium-2604"],
		// xAI.
		[
			"openai",
			404,
			{
				code: "Some requested entity was not found",
				error:
					"The model grok-4.7 does not exist or your team 1-2 does not have access to it. Please ensure you're using the correct API key.",
			},
			"grok-4.7",
		],
		["openai", 403, { code: PERMISSION, error: "Your team 1-2 is not entitled to model grok-4.7" }, "grok-4.7"],
		[
			"openai",
			404,
			{
				code: "not-found",
				error:
					"The model grok-4.3 was deprecated on 2027-09-15 and is no longer accessible via the API. Please use grok-4.7.",
			},
			"grok-4.3",
		],
		["openai", 400, { code: "Client specified an invalid argument", error: "Model not found: grok-4.3" }, "grok-4.3"],
		// DeepSeek.
		["openai", 400, wrapped("Model Not Exist", "invalid_request_error"), "deepseek-flash"],
		[
			"openai",
			400,
			wrapped(
				"The supported API model names are deepseek-v4-pro or deepseek-v4-flash, but you passed deepseek-flash.",
				"invalid_request_error",
			),
			"deepseek-flash",
		],
		// Cohere.
		[
			"openai",
			404,
			{
				message:
					"model 'command-a-plus-05-2026' not found, make sure the correct model ID was used and that you have access to the model.",
			},
			"command-a-plus-05-2026",
		],
		[
			"openai",
			404,
			{ id: "1", message: "model at 'command-a-plus-05-2026' does not exist." },
			"command-a-plus-05-2026",
		],
		[
			"openai",
			404,
			{
				id: "1",
				message: "model 'command-a-plus-05-2026' was removed on September 15, 2027. See https://docs.cohere.com/",
			},
			"command-a-plus-05-2026",
		],
		[
			"openai",
			400,
			{ message: "invalid request: model 'command-a-plus-05-2026' is deprecated" },
			"command-a-plus-05-2026",
		],
		// Groq.
		[
			"openai",
			400,
			wrapped(
				"The model `openai/gpt-oss-120b` has been decommissioned and is no longer supported.",
				"model_decommissioned",
			),
			"gpt-oss-120b",
			"openai/gpt-oss-120b",
		],
		[
			"openai",
			403,
			wrapped(
				"The model `openai/gpt-oss-120b` is blocked at the organization level.",
				"model_permission_blocked_org",
				"permissions_error",
			),
			"openai/gpt-oss-120b",
		],
		// DeepInfra.
		["openai", 404, { detail: { error: "Model is not available" } }],
		[
			"openai",
			404,
			{ error: { message: "The model `meta-llama/Llama-3.2-3B-Instruct` does not exist" } },
			"meta-llama/Llama-3.2-3B-Instruct",
		],
		// Alibaba.
		[
			"openai",
			404,
			wrapped("The model `qwen3.7-max` does not exist or you do not have access to it.", "model_not_found"),
			"qwen3.7-max",
		],
		[
			"openai",
			403,
			{
				message: "Access to model denied. Please make sure you are eligible for using the model.",
				code: "AccessDenied.Unpurchased",
			},
		],
		["openai", 403, wrapped("Model access denied.", "Model.AccessDenied")],
		[
			"openai",
			403,
			wrapped(
				"The free tier of the model has been exhausted. To continue access, disable it.",
				"AllocationQuota.FreeTierOnly",
			),
		],
		// Moonshot.
		[
			"openai",
			404,
			{ error: { message: "Not found the model kimi-k3 or Permission denied", type: "resource_not_found_error" } },
			"kimi-k3",
		],
		// Z.ai.
		["openai", 400, { error: { code: "1211", message: "Unknown Model, please check the model code." } }, "glm-5.2"],
		["openai", 400, { error: { code: "1211", message: "模型不存在，请检查模型代码。" } }, "glm-5.2"],
		["openai", 400, { error: { code: "1211", message: "[1211][模型不存在，请检查模型代码。][2026]" } }, "glm-5.2"],
		[
			"openai",
			429,
			{ error: { code: "1311", message: "Your current subscription plan does not yet include access to GLM-5.2" } },
			"glm-5.2",
		],
		// LiteLLM, vLLM and Azure, behind a replaced base address.
		["openai", 400, { error: "/chat/completions: Invalid model name passed in model=gpt-6-sol. Call `/v1/models`" }],
		[
			"openai",
			404,
			{ object: "error", message: "The model `gpt-6-sol` does not exist.", type: "NotFoundError", code: 404 },
		],
		["openai", 404, wrapped("The API deployment for this resource does not exist.", "DeploymentNotFound")],
		// Nobody's in particular.
		["openai", 400, wrapped("This model version is deprecated.")],
		["openai", 400, wrapped("The model gpt-6-sol has reached its end-of-life on May 1")],
		["openai", 400, wrapped("'gpt-6-sol' is not available on this account.")],
		["openai", 400, wrapped("Unsupported model 'gpt-6-sol'.")],
		["openai", 400, wrapped("gpt-6-sol is not a valid model ID")],
		["openai", 400, wrapped("m", "model_deprecated")],
		["openai", 404, wrapped("No endpoints found for gpt-6-sol.")],
		["openai", 403, wrapped("User u is not authorized to access model gpt-6-sol or model does not exist")],
		["openai", 422, wrapped("The requested model gpt-6-sol is not available.")],
	];
	it.each(rows)("in the form of %s: %i %j", (wire, ...row) => {
		expect(causeOf(wire, row)).toBe("model");
	});
});

describe("a refusal that is the base address's", () => {
	const rows: [keyof typeof WIRES, ...Row][] = [
		["openai", 404, "<html>404 Not Found</html>"],
		["openai", 404, { detail: "Not Found" }],
		["openai", 404, wrapped("Invalid URL (POST /chat/completions)")],
		[
			"openai",
			404,
			{ code: "Some requested entity was not found", error: "No handler found on route. Please double check your URL" },
		],
		["openai", 404, { timestamp: "2026-11-24", status: 404, error: "Not Found", path: "/v4/chat/completions" }],
		["openai", 405, { detail: "Method Not Allowed" }],
		["anthropic", 404, anthropic("not_found_error", "Not found")],
		["google", 404, google(404, "NOT_FOUND", "Requested entity was not found.")],
		[
			"google",
			404,
			google(404, "NOT_FOUND", "Unknown path /v1/models/gemini-3.8-flash:generateContent"),
			"gemini-3.8-flash",
		],
	];
	it.each(rows)("in the form of %s: %i %j", (wire, ...row) => {
		expect(causeOf(wire, row)).toBe("address");
	});
});

describe("a refusal that is the prompt's", () => {
	const rows: [keyof typeof WIRES, ...Row][] = [
		// xAI names account, key, model and permission beside it.
		[
			"openai",
			403,
			{
				code: PERMISSION,
				error:
					"Content violates usage guidelines. Team: 1-2, API key ID: 3-4, Model: grok-4.7, Failed check: SAFETY_CHECK_TYPE_BIO",
			},
			"grok-4.7",
		],
		["openai", 403, "<html>Attention Required! | Cloudflare</html>"],
		["openai", 403, {}],
		["openai", 403, wrapped("Your request was blocked.")],
		["openai", 403, wrapped("gpt-6-sol requires moderation. Your input was flagged for violence.")],
		["openai", 403, wrapped("The prompt is not allowed for this model")],
		["openai", 403, wrapped("The input contains sensitive words; contact your account manager")],
		["openai", 403, wrapped("Your prompt asks for a keyword that is forbidden")],
		["anthropic", 403, anthropic("forbidden", "The conversation was refused by our safety systems")],
		["google", 403, google(403, "PERMISSION_DENIED", "The prompt was blocked by a content filter of your project")],
		// The model is named, and it is not what is missing.
		["openai", 400, wrapped("The model `gpt-6-sol` does not support image input")],
		["openai", 400, wrapped("Model gpt-6-sol is not supported with response_format")],
		["openai", 400, wrapped("'temperature' is not supported with this model.", "unsupported_value")],
		["openai", 400, wrapped("Invalid tool name: the model gpt-6-sol does not exist")],
		[
			"openai",
			400,
			// The name of a property is the client's.
			wrapped(
				"Invalid schema for response_format 'a': In context=('properties', 'have access to gpt-6-sol'), 'type' …",
			),
		],
		["openai", 400, wrapped("Invalid model output: expected JSON")],
		["openai", 400, wrapped("This model's maximum context length is 1000 tokens", "context_length_exceeded")],
		["openai", 404, wrapped("File 'gpt-6-sol-notes' was not found")],
		["anthropic", 404, anthropic("not_found_error", "File not found: file_1")],
		// The id stands in what was sent.
		["openai", 404, wrapped("File gpt-6-sol was not found")],
		["anthropic", 404, anthropic("not_found_error", "File not found: gpt-6-sol")],
		["openai", 400, wrapped("gpt-6-sol does not exist in the list of tools")],
		["openai", 400, wrapped("Invalid value: 'the model gpt-6-sol does not exist'")],
		["openai", 403, wrapped("Request rejected: 'your account has no access to the model gpt-6-sol'")],
		["openai", 403, wrapped('Rejected: "my API key is suspended"')],
		["openai", 403, wrapped("Rejected: “the model gpt-6-sol is not available to your plan”")],
		// Of xAI, about a parameter.
		[
			"openai",
			410,
			{ error: "Live search is deprecated. Please switch to the Agent Tools API: https://docs.x.ai/docs" },
		],
		// Waiting helps.
		[
			"google",
			429,
			google(429, "RESOURCE_EXHAUSTED", "* Quota exceeded for metric: requests, limit: 10, model: gemini-3.8-flash"),
			"gemini-3.8-flash",
		],
		["openai", 429, wrapped("Rate limit reached for gpt-6-sol in organization org-1", "rate_limit_exceeded")],
		[
			"google",
			429,
			google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details."),
		],
	];
	it.each(rows)("in the form of %s: %i %j", (wire, ...row) => {
		expect(causeOf(wire, row)).toBe("prompt");
	});

	it("is read in time that does not grow with its length", () => {
		const error = { code: null, message: `${"model ".repeat(200_000)}gpt-6-sol does not exist` };
		expect(readRefusalCause(400, error, ["gpt-6-sol"])).toBe("prompt");
	});
});

/** An error of AWS's: its kind in a header, its words in the body. */
function awsCause(status: number, kind: string, message: string): RefusalCause {
	const headers = new Headers({ "x-amzn-errortype": `${kind}:http://internal.amazon.com/coral/com.amazon.bedrock/` });
	const ids = ["claude-on-bedrock", "anthropic.claude-sonnet-4-6"];
	return readRefusalCause(status, bedrockWire.parseError({ message }, headers), ids);
}

describe("a refusal of Bedrock", () => {
	it.each([
		[403, "UnrecognizedClientException", "The security token included in the request is invalid."],
		[403, "ExpiredTokenException", "The security token included in the request is expired"],
		[
			403,
			"InvalidSignatureException",
			"The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.",
		],
		[
			403,
			"InvalidSignatureException",
			"Signature expired: 20261128T190000Z is now earlier than 20261128T195500Z (20261128T200000Z - 5 min.)",
		],
		[403, "MissingAuthenticationTokenException", "Missing Authentication Token"],
		[400, "IncompleteSignatureException", "Authorization header requires 'Credential' parameter."],
		[403, "AccessDeniedException", "Your account is not authorized to invoke this API operation."],
	])("is the account's: %i %s %s", (status, kind, message) => {
		expect(awsCause(status, kind, message)).toBe("account");
	});

	it.each([
		[400, "ValidationException", "The provided model identifier is invalid."],
		[
			400,
			"ValidationException",
			"Invocation of model ID anthropic.claude-sonnet-4-6 with on-demand throughput isn\u2019t supported. Retry your request with the ID or ARN of an inference profile that contains this model.",
		],
		[404, "ResourceNotFoundException", "Could not resolve the foundation model from the provided model identifier."],
		[
			404,
			"ResourceNotFoundException",
			"This model version has reached the end of its life. Please refer to the AWS documentation for more details.",
		],
		[403, "AccessDeniedException", "You don't have access to the model with the specified model ID."],
		[
			403,
			"AccessDeniedException",
			"User: arn:aws:iam::123456789012:user/svc is not authorized to perform: bedrock:InvokeModel on resource: arn:aws:bedrock:eu-central-1::foundation-model/anthropic.claude-sonnet-4-6 because no identity-based policy allows the bedrock:InvokeModel action",
		],
	])("is the model's: %i %s %s", (status, kind, message) => {
		expect(awsCause(status, kind, message)).toBe("model");
	});

	it.each([
		[400, "ValidationException", "Input is too long for requested model."],
		[
			400,
			"ValidationException",
			"This model doesn't support the image field for user messages. Remove image and try again.",
		],
		[
			400,
			"ValidationException",
			'The model returned the following errors: tool_choice: type "tool" and "any" are not supported for this model.',
		],
		[400, "ValidationException", "The text field in the ContentBlock object at messages.0.content.0 is blank."],
		[429, "ThrottlingException", "Too many requests, please wait before trying again."],
		[429, "ModelNotReadyException", "Model is not ready for inference."],
	])("is the prompt's, or passes: %i %s %s", (status, kind, message) => {
		expect(awsCause(status, kind, message)).toBe("prompt");
	});
});
