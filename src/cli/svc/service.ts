// `svc models`, `skills`, `health`, `config`: what the service has, and routing configs.
import { collectAll } from "../../client/pages.ts";
import type { Command } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { readTextOrInput } from "./input.ts";
import { firstLine, renderColumns } from "./output.ts";

export const modelsCommand: Command = {
	name: "models",
	about: "list the models",
	async run(_given, session) {
		const { data } = await session.client().models({ signal: session.signal });
		session.answer(data, (models) =>
			renderColumns([
				["model", "provider", "tier", "context", ""],
				...models.map((model) => [
					model.id,
					model.provider,
					model.kind === "chat" ? model.tier : model.kind,
					String(model.context_window),
					[model.source === "operator" ? "operator's" : "", model.available ? "" : "not available"]
						.filter(Boolean)
						.join(", "),
				]),
			]),
		);
		return EXIT.ok;
	},
};

export const skillsCommand: Command = {
	name: "skills",
	about: "list the skills",
	async run(_given, session) {
		const { data } = await session.client().skills({ signal: session.signal });
		session.answer(data, (skills) =>
			renderColumns(skills.map(({ id, description }) => [id, firstLine(description, 100)])),
		);
		return EXIT.ok;
	},
};

export const healthCommand: Command = {
	name: "health",
	about: "say whether the service works",
	async run(_given, session) {
		const health = await session.client().health({ signal: session.signal });
		session.answer(health, ({ status, providers_configured, signing, default_config, operator_catalog }) => [
			`${session.connection().origin}: ${status}`,
			`${providers_configured} providers, ${signing ? "receipts are signed" : "nothing is signed"}, default config ${default_config}, operator's catalog ${operator_catalog}`,
		]);
		return health.status === "ok" ? EXIT.ok : EXIT.failed;
	},
};

export const workspacesCommand: Command = {
	name: "workspaces",
	about: "list your workspaces",
	async run(_given, session) {
		const found = await collectAll(session.client().workspaces.list({ signal: session.signal }));
		session.answer(found, (rows) => rows.map(({ workspace_id }) => workspace_id));
		return EXIT.ok;
	},
};

export const configCommands: readonly Command[] = [
	{
		name: "config check",
		about: "check a routing config; ends with 1 when it is not valid",
		operands: "FILE",
		details: ["`-` reads standard input."],
		async run(given, session) {
			const brain_md = await readTextOrInput(session.terminal, given.single("the file"));
			const result = await session.client().configs.validate({ brain_md }, { signal: session.signal });
			session.answer(result, ({ valid, errors, warnings }) => [
				...errors.map((error) => `${session.paint("red", "error")}  ${error}`),
				...warnings.map((warning) => `${session.paint("yellow", "warning")}  ${warning}`),
				...(valid ? ["valid"] : []),
			]);
			return result.valid ? EXIT.ok : EXIT.failed;
		},
	},
	{
		name: "config share",
		about: "share a routing config under a short address",
		operands: "FILE",
		details: ["One that is not valid is shared as well, with its errors on its page; the command ends with 1 then."],
		flags: { title: { value: "TEXT", about: "what lists show" } },
		async run(given, session) {
			const brain_md = await readTextOrInput(session.terminal, given.single("the file"));
			const body = { brain_md, title: given.text("title") ?? null };
			const share = await session.client().configs.share(body, { signal: session.signal });
			session.answer(share, ({ short_url }) => [short_url]);
			for (const error of share.errors) session.note(`error: ${error}`, "yellow");
			return share.errors.length === 0 ? EXIT.ok : EXIT.failed;
		},
	},
];
