// The sandbox upstream: it answers in place of the providers, deterministically and offline. It never ships with the Worker.
import { type Context, Hono } from "hono";
import { parseJson } from "../json.ts";
import { parseStage, SANDBOX_KEY, STAGE_HEADER } from "../providers/sandbox-stage.ts";
import { answerTo } from "./answer.ts";
import { anthropicFormat } from "./anthropic.ts";
import { bedrockFormat } from "./bedrock.ts";
import {
	ENCODER_PATHS,
	type EncoderAsked,
	encoderFormAt,
	googleEmbeddings,
	type SandboxEncoderForm,
} from "./encoder-forms.ts";
import { parseFaults, type SandboxFaults } from "./faults.ts";
import { type AcceptedRequest, Refusal, type SandboxFormat } from "./format.ts";
import { googleFormat } from "./google.ts";
import { openaiFormat } from "./openai.ts";
import { bodyStream, type Connection } from "./stream.ts";
import { VERTEX_VERB, vertexClaudeFormat } from "./vertex-claude.ts";

interface SandboxEnv {
	Bindings: { outgoing?: Connection } | undefined;
}

/** Tells a test what the sandbox does. */
interface SandboxObserver {
	/** A request is answered as a model would, not with an error status. */
	onRequest?(provider: string): void;
	/** A streamed answer ended; `completed` is false when the reader left or a fault broke it off. */
	onStreamEnd?(provider: string, completed: boolean): void;
}

const SANDBOX_MARK = { "x-svc-sandbox": "1" };

const GARBAGE_BODY = "<html>upstream had a bad day</html>";

function wholeResponse(body: unknown, faults: SandboxFaults, connection: Connection | undefined): Response {
	const headers = { ...SANDBOX_MARK, "content-type": "application/json" };
	if (faults.garbage) return new Response(GARBAGE_BODY, { headers: { ...SANDBOX_MARK, "content-type": "text/html" } });
	const text = JSON.stringify(body);
	const isPlain = !faults.cut && faults.stallMs + faults.thinkMs + faults.dripMs === 0;
	if (isPlain) return new Response(text, { headers });
	const half = Math.floor(text.length / 2);
	const script = { frames: () => [text.slice(0, half), text.slice(half)], garbage: "", error: "", ping: "" };
	return new Response(bodyStream(script, faults, connection), { headers });
}

function refusalResponse(
	format: SandboxFormat,
	refusal: Refusal,
	provider: string,
	retryAfterSeconds: number | null = null,
): Response {
	const { status, message, code } = refusal;
	const { body, headers } = format.failure(status, message, retryAfterSeconds, provider, code);
	return Response.json(refusal.body ?? body, { status, headers: { ...headers, ...SANDBOX_MARK } });
}

/** The error status that a prompt asks for; null where it asks for none. */
function askedRefusal(
	format: SandboxFormat,
	faults: SandboxFaults,
	model: string,
	provider: string,
	isWhole: boolean,
): Response | null {
	if (faults.overflow) return refusalResponse(format, format.overflow(provider), provider);
	if (faults.refusal) return refusalResponse(format, format.refusals[faults.refusal](model, provider), provider);
	const status = faults.status ?? (faults.error && isWhole ? format.overloaded : null);
	if (status === null) return null;
	const refusal = new Refusal(status, `the sandbox was asked for status ${status}`);
	return refusalResponse(format, refusal, provider, faults.retryAfterSeconds);
}

async function serve(c: Context<SandboxEnv>, format: SandboxFormat, observer: SandboxObserver): Promise<Response> {
	const provider = c.req.param("provider") ?? "";
	const text = await c.req.text();
	let accepted: AcceptedRequest;
	try {
		accepted = format.read({
			provider,
			modelAndVerb: c.req.param("modelAndVerb") ?? "",
			modelId: c.req.param("modelId") ?? "",
			verb: c.req.param("verb") ?? "",
			url: c.req.url,
			query: new URL(c.req.url).searchParams,
			headers: c.req.raw.headers,
			body: parseJson(text) ?? null,
			text,
		});
	} catch (error) {
		if (error instanceof Refusal) return refusalResponse(format, error, provider);
		throw error;
	}
	const { userText, systemText } = accepted.request.prompt;
	const faults = parseFaults(userText, provider, systemText);
	if (faults.slowMs > 0) await new Promise((resolve) => setTimeout(resolve, faults.slowMs));
	const { stream } = accepted;
	const refused = askedRefusal(format, faults, accepted.request.prompt.model, provider, !stream);
	if (refused) return refused;
	observer.onRequest?.(provider);
	const answer = answerTo(accepted.request, parseStage(c.req.header(STAGE_HEADER)), faults);
	const connection = c.env?.outgoing;
	if (!stream) return wholeResponse(accepted.body(answer), faults, connection);
	const script = { ...stream, frames: () => stream.frames(answer) };
	const body = bodyStream(script, faults, connection, (completed) => observer.onStreamEnd?.(provider, completed));
	return new Response(body, {
		headers: { ...SANDBOX_MARK, "content-type": stream.contentType, "cache-control": "no-cache" },
	});
}

/** A token for the credentials of a service account or an application: any that are whole. */
async function giveToken(c: Context<SandboxEnv>): Promise<Response> {
	const form = await c.req.parseBody();
	const isGiven = typeof (form["assertion"] ?? form["client_secret"]) === "string";
	if (!isGiven || typeof form["grant_type"] !== "string") return c.json({ error: "invalid_request" }, 400);
	return c.json({ access_token: SANDBOX_KEY, expires_in: 3_599, token_type: "Bearer" });
}

/** Answers embeddings, moderations and reranks. Of the words for faults those hold that concern a whole answer. */
async function serveEncoder(
	c: Context<SandboxEnv>,
	{ format, read }: SandboxEncoderForm,
	observer: SandboxObserver,
): Promise<Response> {
	const provider = c.req.param("provider") ?? "";
	const model = c.req.param("modelAndVerb")?.replace(/:.*$/, "") ?? "";
	let asked: EncoderAsked;
	try {
		asked = read(await c.req.json().catch(() => null), provider, model);
	} catch (error) {
		if (error instanceof Refusal) return refusalResponse(format, error, provider);
		throw error;
	}
	const faults = parseFaults(asked.text, provider);
	if (faults.slowMs > 0) await new Promise((resolve) => setTimeout(resolve, faults.slowMs));
	const refused = askedRefusal(format, faults, asked.model, provider, true);
	if (refused) return refused;
	observer.onRequest?.(provider);
	return wholeResponse(asked.answer(faults), faults, c.env?.outgoing);
}

/**
 * The sandbox app. Each provider's base address is `<sandbox>/<provider id>`.
 * @param watch an observer, or its `onRequest` alone.
 */
export function createSandbox(watch: SandboxObserver | ((provider: string) => void) = {}): Hono<SandboxEnv> {
	const observer = typeof watch === "function" ? { onRequest: watch } : watch;
	const app = new Hono<SandboxEnv>();
	app.post("/:provider/chat/completions", (c) => serve(c, openaiFormat, observer));
	app.post("/:provider/messages", (c) => serve(c, anthropicFormat, observer));
	app.post("/:provider/models/:modelAndVerb", (c) => {
		if (c.req.param("modelAndVerb").endsWith(":batchEmbedContents")) return serveEncoder(c, googleEmbeddings, observer);
		const isClaude = VERTEX_VERB.test(c.req.param("modelAndVerb"));
		return serve(c, isClaude ? vertexClaudeFormat : googleFormat, observer);
	});
	// Azure's older form, whose body may name the model as well.
	app.post("/:provider/deployments/:deployment/chat/completions", (c) => serve(c, openaiFormat, observer));
	app.post("/:provider/oauth2/v2.0/token", (c) => giveToken(c));
	app.post("/:provider/deployments/:deployment/embeddings", (c) =>
		serveEncoder(c, encoderFormAt("openai", "embeddings"), observer),
	);
	app.post("/:provider/model/:modelId/:verb", (c) => serve(c, bedrockFormat, observer));
	for (const path of ENCODER_PATHS)
		app.post(`/:provider/${path}`, (c) => serveEncoder(c, encoderFormAt(c.req.param("provider"), path), observer));
	app.notFound(() => refusalResponse(openaiFormat, new Refusal(404, "sandbox: no such path"), ""));
	return app;
}
