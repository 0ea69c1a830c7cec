// An unstreamed chat completion: plan, reserve, call until one serves, settle, answer. Nothing is delivered that is not accounted for.
import type { KeyContext } from "../account/context.ts";
import { fail } from "../failure.ts";
import type { Answer } from "../http/endpoint.ts";
import { billOf, type Call, outputHash } from "../inference/accounting.ts";
import { takeTurns } from "../inference/failover.ts";
import { begin, breakers, deadlinesOf, logCall, record, recordFailure } from "../inference/run.edge.ts";
import { callUpstream } from "../providers/upstream.edge.ts";
import { type ChatCompletion, completionOf } from "./completion.ts";
import type { ChatRequest } from "./request.ts";

/** Runs a chat request whole; a client that hangs up stops the upstream call and is still accounted for. */
export function completeChat(body: ChatRequest, context: KeyContext): Promise<Answer<ChatCompletion>> {
	const work = complete(body, context);
	context.waitUntil(work.catch(() => undefined));
	return work;
}

async function complete(body: ChatRequest, context: KeyContext): Promise<Answer<ChatCompletion>> {
	const begun = await begin(body, context, context.settings.upstreamTotalTimeoutMs);
	if (!begun.ok) return begun;
	const { run, calls, endsAtMs } = begun.value;
	const options = { breakers, now: () => Date.now(), mayFailOver: () => Date.now() < endsAtMs };
	const attempt = async (call: Call) => {
		logCall(context, run, call);
		const { wire, request } = call.attempt;
		const result = await callUpstream(wire, request, deadlinesOf(context, endsAtMs), context.signal);
		return result.kind === "answer" ? { kind: "served" as const, value: result } : result;
	};
	const turn = await context.timings.measure("upstream", () => takeTurns(run, calls, options, attempt));
	if (!turn.ok) return recordFailure(context, run, turn.billed, turn.clientClosed, turn.failure);

	const { call, sentAtMs } = turn.served;
	const { answer, sandbox } = turn.served.value;
	const last = { ...call, bill: billOf(run, call, answer.usage, answer, sentAtMs) };
	const billed = [...turn.served.billed, last];
	const receipt = await record(context, run, billed, "complete", outputHash(answer, call.candidate.model.id));
	if (!receipt) return fail({ reason: "receipt_unavailable", requestId: run.requestId });
	const value = completionOf({ run, answer, billed, receipt, latencyMs: Date.now() - run.startedAtMs });
	return { ok: true, value, headers: sandbox ? { "x-svc-sandbox": "1" } : {} };
}
