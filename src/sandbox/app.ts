// The sandbox upstream: a stand-in for the providers, deterministic and offline. It never ships with the Worker.
import { Hono } from "hono";
import { type Faults, faultsIn } from "./faults.ts";
import { completionBody, errorBody, openaiRequest, promptOf } from "./openai.ts";
import { replyTo } from "./reply.ts";

/** Node's side of a response; absent where the app is called without a server. */
interface Connection {
	destroy(): unknown;
}

interface SandboxEnv {
	Bindings: { outgoing?: Connection } | undefined;
}

const MARK = { "x-svc-sandbox": "1" };

/** A body that breaks off half-way: with the connection, where there is one. */
function cutBody(text: string, connection: Connection | undefined): ReadableStream<Uint8Array> {
	const half = new TextEncoder().encode(text.slice(0, text.length / 2));
	let sent = false;
	return new ReadableStream({
		pull(controller) {
			if (sent && connection) connection.destroy();
			else if (sent) controller.error(new Error("the sandbox was asked to break off"));
			else controller.enqueue(half);
			sent = true;
		},
	});
}

function respond(body: Record<string, unknown>, faults: Faults, connection: Connection | undefined): Response {
	const headers = { ...MARK, "content-type": "application/json" };
	if (faults.garbage)
		return new Response("<html>upstream had a bad day</html>", { headers: { ...MARK, "content-type": "text/html" } });
	const text = JSON.stringify(body);
	return new Response(faults.cut ? cutBody(text, connection) : text, { headers });
}

/**
 * The sandbox app. Each provider's base address is `<sandbox>/<provider id>`.
 * @param onRequest told of every request that is answered as a model would, for tests that compare what was seen.
 */
export function createSandbox(onRequest: (provider: string) => void = () => undefined): Hono<SandboxEnv> {
	const app = new Hono<SandboxEnv>();
	app.post("/:provider/chat/completions", async (c) => {
		const parsed = openaiRequest.safeParse(await c.req.json().catch(() => null));
		if (!parsed.success)
			return c.json(
				errorBody(400, `sandbox: ${parsed.error.issues[0]?.path.join(".")}: ${parsed.error.issues[0]?.message}`),
				400,
				MARK,
			);
		const prompt = promptOf(parsed.data);
		const faults = faultsIn(prompt.userText);
		if (faults.slowMs > 0) await new Promise((resolve) => setTimeout(resolve, faults.slowMs));
		if (faults.status !== null) {
			const retry: Record<string, string> =
				faults.retryAfterSeconds === null ? {} : { "retry-after": String(faults.retryAfterSeconds) };
			return Response.json(errorBody(faults.status, `the sandbox was asked for status ${faults.status}`), {
				status: faults.status,
				headers: { ...MARK, ...retry },
			});
		}
		onRequest(c.req.param("provider"));
		return respond(completionBody(parsed.data, replyTo(prompt), faults), faults, c.env?.outgoing);
	});
	app.notFound((c) => c.json(errorBody(404, "sandbox: no such path"), 404, MARK));
	return app;
}
