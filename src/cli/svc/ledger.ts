// `svc handoff` and `svc chain`: hands work over in a workspace's signed ledger, and shows it, verified on this machine.
import { asChoice } from "./chat.ts";
import type { Command } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { firstLine, renderColumns } from "./output.ts";
import { PUBKEY_FLAG, readPubkeyFlag, showVerification } from "./verify.ts";

/** Kinds of work that is handed over. */
export const WORK_KINDS = ["edit", "refactor", "deploy", "review", "setup"] as const;

function numbered(texts: readonly string[], letter: string): { id: string; description: string }[] {
	return texts.map((description, at) => ({ id: `${letter}${at + 1}`, description }));
}

export const handoffCommand: Command = {
	name: "handoff",
	about: "hand work over in a workspace's ledger",
	operands: "OBJECTIVE…",
	flags: {
		workspace: { value: "ID", short: "w", about: "the workspace" },
		from: { value: "NAME", about: "the tool or person that hands over" },
		to: { value: "NAME", about: "who receives" },
		file: { value: "PATH", short: "f", isList: true, about: "a path that was changed; may be repeated" },
		constraint: { value: "TEXT", isList: true, about: "what the receiver must keep to; may be repeated" },
		risk: { value: "TEXT", isList: true, about: "what may go wrong; may be repeated" },
		check: { value: "TEXT", isList: true, about: "what was checked, or is to be; may be repeated" },
		next: { value: "TEXT", about: "what the receiver does first" },
		kind: { value: "KIND", choices: WORK_KINDS, about: WORK_KINDS.join(", ") },
		cost: { value: "USD", about: "the estimate that is recorded" },
	},
	async run(given, session) {
		const body = {
			workspace_id: given.required("workspace"),
			objective: given.sentence("the objective"),
			from_tool: given.text("from") ?? null,
			to_tool: given.text("to") ?? null,
			files_touched: given.list("file"),
			constraints: given.list("constraint"),
			risks: numbered(given.list("risk"), "r"),
			validation: numbered(given.list("check"), "v"),
			recommended_next_action: given.text("next") ?? null,
			action_kind: asChoice(given.text("kind"), WORK_KINDS) ?? null,
			est_cost: given.number("cost") ?? null,
		};
		const entry = await session.client().handoffs.create(body, { signal: session.signal });
		session.answer(entry, ({ id, seq, hash, signed }) => [
			`${id}  entry ${seq}  ${signed ? "signed" : "not signed"}`,
			hash,
		]);
		return EXIT.ok;
	},
};

export const chainCommand: Command = {
	name: "chain",
	about: "show a workspace's ledger and verify all of it on this machine",
	operands: "WORKSPACE",
	details: ["Ends with 1 when the chain does not hold."],
	flags: { pubkey: PUBKEY_FLAG },
	async run(given, session) {
		const workspace = given.single("the workspace");
		const client = session.client();
		const { signal } = session;
		const verification = await client.handoffs.verify(workspace, {
			signal,
			...readPubkeyFlag(given, session),
		});
		const entries = [];
		for (let after: number | undefined; ; ) {
			const page = await client.handoffs.chain(workspace, after === undefined ? {} : { after }, { signal });
			entries.push(...page.data);
			after = page.data.at(-1)?.seq;
			if (!page.has_more || after === undefined) break;
		}
		if (session.isJson)
			session.json({
				workspace_id: workspace,
				is_valid: verification.isValid,
				findings: verification.findings,
				data: entries,
			});
		else {
			session.lines(
				renderColumns(
					entries.map(({ seq, created_at, from_tool, to_tool, risk, objective }) => [
						String(seq),
						created_at.slice(0, 19).replace("T", " "),
						`${from_tool ?? "?"} → ${to_tool ?? "?"}`,
						risk.tier,
						firstLine(objective, 80),
					]),
				),
			);
			if (entries.length > 0) session.line();
			else session.note("this ledger has no entry yet");
		}
		return showVerification(session, verification, !session.isJson);
	},
};
