// `svc audit`: the audit log, newest last as logs are read, and as it goes on.
import { DECISIONS, EVENT_TYPES } from "../../audit/event.ts";
import type { SvcClient } from "../../client/client.ts";
import { collectAll } from "../../client/pages.ts";
import type { Command } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { firstLine } from "./output.ts";
import type { CommandSession } from "./session.ts";

type AuditEvent = Awaited<ReturnType<SvcClient["audit"]["page"]>>["data"][number];
type AuditQuery = NonNullable<Parameters<SvcClient["audit"]["page"]>[0]>;

const DEFAULT_EVENTS = 50;

/** What an event is about, from the members that its kind has. */
function summarize({ payload }: AuditEvent): string {
	const commands = payload["commands"];
	if (Array.isArray(commands) && commands.length > 0) return firstLine(commands.join("; "), 90);
	const told = ["action", "objective", "goal", "reason", "name", "key_id", "run_id"].map((name) => payload[name]);
	return firstLine(String(told.find((value) => typeof value === "string") ?? ""), 90);
}

function showEvent(session: CommandSession, event: AuditEvent): void {
	if (session.isJson) {
		session.json(event, "line");
		return;
	}
	const { created_at, event_type, workspace_id, decision, actor } = event;
	const style = decision === "deny" ? "red" : decision === "allow" || decision === undefined ? "dim" : "yellow";
	session.line(
		[
			created_at.slice(0, 19).replace("T", " "),
			event_type,
			...(decision === undefined ? [] : [session.paint(style, decision)]),
			workspace_id ?? "-",
			actor,
			summarize(event),
		].join("  "),
	);
}

export const auditCommand: Command = {
	name: "audit",
	about: "show the audit log, oldest first",
	details: [
		`Kinds: ${EVENT_TYPES.slice(0, 6).join(", ")},`,
		`  ${EVENT_TYPES.slice(6, 12).join(", ")},`,
		`  ${EVENT_TYPES.slice(12).join(", ")}.`,
		"With --json each event is a line.",
	],
	flags: {
		workspace: { value: "ID", short: "w", about: "of one workspace" },
		type: { value: "TYPE", choices: EVENT_TYPES, about: "of one kind, see above" },
		decision: { value: "DECISION", choices: DECISIONS, about: DECISIONS.join(", ") },
		run: { value: "RUN", about: "of one agent run: its plan, the checks of its calls, the decisions on them" },
		since: { value: "TIME", about: "created then or later: 2026-07-01T00:00:00Z" },
		until: { value: "TIME", about: "created before" },
		limit: { value: "N", short: "n", about: `the latest N; ${DEFAULT_EVENTS} by default` },
		follow: { short: "F", about: "go on with what is new, until Ctrl-C" },
	},
	async run(given, session) {
		const { audit } = session.client();
		const { signal } = session;
		const filters: AuditQuery = {};
		const workspace = given.text("workspace");
		if (workspace !== undefined) filters.workspace_id = workspace;
		const runId = given.text("run");
		if (runId !== undefined) filters.run_id = runId;
		const type = EVENT_TYPES.find((each) => each === given.text("type"));
		if (type !== undefined) filters.event_type = type;
		const decision = DECISIONS.find((each) => each === given.text("decision"));
		if (decision !== undefined) filters.decision = decision;
		if (given.is("follow")) {
			for await (const event of audit.follow(filters, { signal })) showEvent(session, event);
			return EXIT.ok;
		}
		const times = { since: given.text("since"), until: given.text("until") };
		if (times.since !== undefined) filters.since = times.since;
		if (times.until !== undefined) filters.until = times.until;
		const most = given.number("limit") ?? DEFAULT_EVENTS;
		async function* latest() {
			let count = 0;
			for await (const event of audit.list({ ...filters, limit: Math.min(200, Math.max(1, most)) }, { signal })) {
				if (++count > most) return;
				yield event;
			}
		}
		for (const event of (await collectAll(latest())).reverse()) showEvent(session, event);
		return EXIT.ok;
	},
};
