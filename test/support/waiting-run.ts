// A double of a run that waits: rounds of pendings, which take resolutions as the service does, and a connection that may break.
import type { FollowedRun, RunPending, RunResolution } from "../../src/client/tool-calls.ts";

const FAR = "2099-01-01T00:00:00.000Z";

/** A pending; a client tool's unless it says otherwise. */
export function makePending(id: string, members: Partial<RunPending> = {}): RunPending {
	return {
		id,
		kind: "client_tool",
		tool: "look",
		arguments: { id },
		action_digest: "sha256:00",
		policy: { decision: "allow", risk_score: 5, reason: "", event_id: "ae_1" },
		tainted_by: [],
		unsourced: [],
		expires_at: FAR,
		...members,
	};
}

/** What the double does with the next resolve, in place of taking it. */
export type Fault =
	/** It takes the resolutions, and the connection breaks before the answer. */
	| "lost_after"
	/** It is refused as a whole. */
	| { status: number; error: string; message: string };

/** A run of several rounds. `pending` changes when others act. */
export class WaitingRun {
	readonly id = "agt_1";
	rounds: RunPending[][];
	status: FollowedRun["status"] = "requires_action";
	/** Bodies of the requests that resolve, as they came. */
	readonly resolves: RunResolution[][] = [];
	/** What was taken, by pending. */
	readonly taken = new Map<string, RunResolution>();
	readonly faults: Fault[] = [];
	started: Record<string, unknown> | null = null;
	/** Of the run besides those that all have. */
	members: Record<string, unknown> = {};

	/** The tool that its events say was called, as the model named it. */
	called = "look";

	constructor(rounds: RunPending[][]) {
		this.rounds = rounds;
	}

	get pending(): RunPending[] {
		return this.rounds[0] ?? [];
	}

	/** Takes a pending away, as another client or an approver does. */
	settle(id: string): void {
		this.rounds[0] = this.pending.filter((pending) => pending.id !== id);
		this.#advance();
	}

	#advance(): void {
		while (this.rounds.length > 0 && this.pending.length === 0) this.rounds.shift();
		if (this.rounds.length === 0 && this.status === "requires_action") this.status = "complete";
	}

	toJson(): Record<string, unknown> {
		const isWaiting = this.status === "requires_action";
		return {
			object: "agent.run",
			run_id: this.id,
			status: this.status,
			output: isWaiting ? "" : "done",
			steps_taken: 1,
			cost_consumed_usd: 0.001,
			max_cost_usd: 0.5,
			...(isWaiting ? { pending: this.pending } : {}),
			...this.members,
		};
	}

	#stream(): Response {
		const name = this.status === "requires_action" ? "requires_action" : "result";
		const progress = { type: "tool_called", tool: this.called };
		const text = `event: progress\ndata: ${JSON.stringify(progress)}\n\nevent: ${name}\ndata: ${JSON.stringify(this.toJson())}\n\n`;
		return new Response(text, { headers: { "content-type": "text/event-stream" } });
	}

	#resolve(resolutions: RunResolution[]): Response {
		this.resolves.push(resolutions);
		const fault = this.faults.shift();
		if (fault && fault !== "lost_after")
			return Response.json({ error: fault.error, message: fault.message }, { status: fault.status });
		const isKnown = ({ id }: RunResolution) => this.pending.some((pending) => pending.id === id) || this.taken.has(id);
		const isSame = (resolution: RunResolution) => {
			const before = this.taken.get(resolution.id);
			return before === undefined || JSON.stringify(before) === JSON.stringify(resolution);
		};
		if (!resolutions.every((each) => isKnown(each) && isSame(each)))
			return Response.json({ error: "action_conflict", message: "it has changed" }, { status: 409 });
		for (const resolution of resolutions) {
			this.taken.set(resolution.id, resolution);
			this.settle(resolution.id);
		}
		if (fault === "lost_after") throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
		return this.#stream();
	}

	/** The requests of a client. */
	readonly fetch: typeof fetch = async (input, init) => {
		const { pathname } = new URL(String(input));
		init?.signal?.throwIfAborted();
		const body = init?.body ? JSON.parse(String(init.body)) : {};
		if (pathname === "/v1/agent/run") {
			this.started = body;
			return body.stream ? this.#stream() : Response.json(this.toJson(), { status: body.background ? 202 : 200 });
		}
		if (pathname === `/v1/agent/${this.id}/resolve`) return this.#resolve(body.resolutions);
		if (pathname === `/v1/agent/${this.id}/events`) return this.#stream();
		return Response.json(this.toJson());
	};
}
