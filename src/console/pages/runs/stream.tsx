// The changing part of a run's page as a stream: rendered anew after each event, for the page's script.
import type { Child } from "hono/jsx";
import { Fragment } from "hono/jsx";
import { fragmentResponse } from "../../fragment.tsx";
import { PAGE_HEADERS } from "../../headers.ts";
import type { ConsolePage, PageAnswer } from "../../page.ts";
import { applyRunEvent, splitEvents } from "../../run-events.ts";
import { sessionEndsAtMs } from "../../session.ts";
import { Failure } from "../../views/parts.tsx";
import { LiveRun, type Run } from "../../views/run.tsx";
import { RUNS_PATH, runApiPath } from "./frame.ts";

function renderPart(html: Child): string {
	return `data: ${JSON.stringify((<Fragment>{html}</Fragment>).toString())}\n\n`;
}

/** Says that the session's key has ended. The page is to be loaded anew: it says why. */
const SESSION_OVER = "data: null\n\n";

/**
 * Turns the API's events into parts of the page, one for all events that came at once. An error ends it: the page asks then, and is
 * told why.
 */
function toParts(): TransformStream<string, string> {
	let text = "";
	let run: Run | null = null;
	return new TransformStream({
		transform(piece, controller) {
			const { events, rest } = splitEvents(text + piece);
			text = rest;
			const before = run;
			for (const event of events) run = applyRunEvent(run, event);
			// Whatever came says that the API goes on: the browser is to know as well.
			controller.enqueue(run === null || run === before ? ":\n\n" : renderPart(<LiveRun run={run} />));
			const failure = events.find(({ name }) => name === "error");
			if (!failure) return;
			if (failure.data["status"] === 401) controller.enqueue(SESSION_OVER);
			controller.terminate();
		},
	});
}

export const runStreamPage: ConsolePage = {
	id: "run_stream",
	method: "GET",
	path: `${RUNS_PATH}/{run_id}/stream`,
	async handle(request): Promise<PageAnswer> {
		const response = await request.api.open("GET", runApiPath(request, "/events"));
		if (!response.ok || !response.body) {
			const failed = await request.api.get<Run>(runApiPath(request));
			const content = failed.ok ? <LiveRun run={failed.value} /> : <Failure failure={failed.failure} />;
			return { kind: "response", response: fragmentResponse(content, response.status) };
		}
		// A stream that goes on when the session is over breaks then.
		const signal = AbortSignal.timeout(sessionEndsAtMs(request.session) - request.service.nowMs);
		const parts = response.body
			.pipeThrough(new TextDecoderStream(), { signal })
			.pipeThrough(toParts())
			.pipeThrough(new TextEncoderStream());
		const headers = { ...PAGE_HEADERS, "content-type": "text/event-stream; charset=utf-8" };
		return { kind: "response", response: new Response(parts, { headers }) };
	},
};
