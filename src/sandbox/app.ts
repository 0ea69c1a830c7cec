// The sandbox upstream: it answers in place of the providers, deterministically and offline. It never ships with the Worker.
import { type Context, Hono } from "hono";
import { parseJson } from "../json.ts";
import { parseStage, STAGE_HEADER } from "../providers/sandbox-stage.ts";
import { answerTo } from "./answer.ts";
import { anthropicFormat } from "./anthropic.ts";
import { bedrockFormat } from "./bedrock.ts";
import { answerEmbeddings, embeddingsPrompt } from "./embeddings.ts";
import { parseFaults, type SandboxFaults } from "./faults.ts";
import { type AcceptedRequest, Refusal, type SandboxFormat } from "./format.ts";
import { googleFormat } from "./google.ts";
import { openaiFormat } from "./openai.ts";
import { bodyStream, type Connection } from "./stream.ts";

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

function wholeResponse(
	body: Record<string, unknown>,
	faults: SandboxFaults,
	connection: Connection | undefined,
): Response {
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
	if (faults.overflow) return refusalResponse(format, format.overflow(provider), provider);
	if (faults.refusal) {
		const { model } = accepted.request.prompt;
		return refusalResponse(format, format.refusals[faults.refusal](model, provider), provider);
	}
	const status = faults.status ?? (faults.error && !stream ? format.overloaded : null);
	if (status !== null) {
		const refusal = new Refusal(status, `the sandbox was asked for status ${status}`);
		return refusalResponse(format, refusal, provider, faults.retryAfterSeconds);
	}
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

/** Answers embeddings. Of the words for faults those hold that concern a whole answer. */
async function serveEmbeddings(c: Context<SandboxEnv>, observer: SandboxObserver): Promise<Response> {
	const provider = c.req.param("provider") ?? "";
	const body: unknown = await c.req.json().catch(() => null);
	const faults = parseFaults(embeddingsPrompt(body), provider, "");
	if (faults.slowMs > 0) await new Promise((resolve) => setTimeout(resolve, faults.slowMs));
	try {
		if (faults.status !== null) throw new Refusal(faults.status, `the sandbox was asked for status ${faults.status}`);
		const answer = answerEmbeddings(body);
		observer.onRequest?.(provider);
		return wholeResponse(faults.noUsage ? { ...answer, usage: null } : answer, faults, c.env?.outgoing);
	} catch (error) {
		if (error instanceof Refusal) return refusalResponse(openaiFormat, error, provider, faults.retryAfterSeconds);
		throw error;
	}
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
	app.post("/:provider/models/:modelAndVerb", (c) => serve(c, googleFormat, observer));
	app.post("/:provider/model/:modelId/:verb", (c) => serve(c, bedrockFormat, observer));
	app.post("/:provider/embeddings", (c) => serveEmbeddings(c, observer));
	app.notFound(() => refusalResponse(openaiFormat, new Refusal(404, "sandbox: no such path"), ""));
	return app;
}
