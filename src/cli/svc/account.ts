// `svc login`, `logout`, `usage`, `keys`: who one is at the service, what was spent, and the keys for others.
import { createClient } from "../../client/client.ts";
import { collectAll } from "../../client/pages.ts";
import type { EndpointBody } from "../../client/transport.ts";
import { KEY_FLAGS, toKeyRequest } from "../key-flags.ts";
import type { Command, Flag } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { UsageError } from "./failures.ts";
import { removeLogin, writeLogin } from "./login-file.ts";
import { renderColumns, renderUsd } from "./output.ts";

export const loginCommand: Command = {
	name: "login",
	about: "check a key and keep it for further commands",
	details: [
		"The key is asked for, or read from standard input: svc login --url https://svc.example.com < key.txt",
		"It is kept in $XDG_CONFIG_HOME/svc/login.json (else ~/.config/svc), which only you can read, and sent to that service only.",
	],
	async run(given, session) {
		const { terminal } = session;
		const origin = session.loginOrigin();
		const flagged = given.text("key");
		const typed = () => (terminal.isTyped ? terminal.askSecret(`key for ${origin}: `) : terminal.readInput());
		const key = (flagged ?? (await typed())).trim();
		if (key === "") throw new UsageError("there is no key: it is asked for, or read from standard input");
		const client = createClient({ baseUrl: origin, apiKey: key });
		const usage = await client.usage({}, { signal: session.signal });
		if (!("plan" in usage)) throw new TypeError("the service did not say the plan");
		writeLogin(session.loginPath, { url: origin, key });
		session.answer({ url: origin, user_id: usage.user_id, plan: usage.plan, file: session.loginPath }, () => [
			`logged in at ${origin} as ${usage.user_id}, plan ${usage.plan_display}`,
			`kept in ${session.loginPath}`,
		]);
		return EXIT.ok;
	},
};

export const logoutCommand: Command = {
	name: "logout",
	about: "forget the key that was kept; it stays valid",
	async run(_given, session) {
		const was = removeLogin(session.loginPath);
		session.answer({ removed: was }, () => [was ? `removed ${session.loginPath}` : "there was no login"]);
		return EXIT.ok;
	},
};

const GROUPS = ["key", "tag", "model", "day", "end_user", "session"] as const;

export const usageCommand: Command = {
	name: "usage",
	about: "show requests, tokens and cost, and what is left of the limits",
	flags: {
		by: { value: "GROUP", choices: GROUPS, about: `by ${GROUPS.join(", ")}` },
		since: { value: "DAY", about: "first UTC day, YYYY-MM-DD; with --by" },
		until: { value: "DAY", about: "last UTC day; with --by" },
	},
	async run(given, session) {
		const group = GROUPS.find((each) => each === given.text("by"));
		const since = given.text("since");
		const until = given.text("until");
		if (group === undefined && (since ?? until) !== undefined) throw new UsageError("--since and --until need --by");
		const usage = await session.client().usage(
			{
				...(group === undefined ? {} : { group_by: group }),
				...(since === undefined ? {} : { since }),
				...(until === undefined ? {} : { until }),
			},
			{ signal: session.signal },
		);
		session.answer(usage, (usage) => {
			if ("group_by" in usage)
				return renderColumns([
					[usage.group_by, "requests", "tokens", "cost"],
					...usage.data.map((row) => [
						row.day ?? row.model ?? row.tag ?? (row.key_id ? `${row.name ?? row.key_id} …${row.last4}` : "none"),
						String(row.requests),
						String(row.tokens),
						renderUsd(row.cost_usd),
					]),
					["all", String(usage.total.requests), String(usage.total.tokens), renderUsd(usage.total.cost_usd)],
				]);
			const { limits } = usage;
			return [
				`${usage.user_id}, plan ${usage.plan_display}`,
				`${usage.total_requests} requests, ${usage.total_tokens} tokens, ${renderUsd(usage.total_cost_usd)}`,
				`last 24 hours: ${limits.daily_requests_used} requests of ${limits.daily_requests ?? "any number"}; ${limits.rpm} a minute`,
				...(usage.open.length > 0 ? [`${usage.open.length} open, which hold ${renderUsd(usage.held_usd)}`] : []),
			];
		});
		return EXIT.ok;
	},
};

const keyFlagAbout: Readonly<Record<keyof typeof KEY_FLAGS, [value: string, about: string]>> = {
	name: ["TEXT", "for people"],
	role: ["ROLE", "owner, agent or approver"],
	"expires-at": ["TIME", "when it ends: 2026-12-31T00:00:00Z"],
	rpm: ["N", "requests a minute"],
	"daily-requests": ["N", "requests in 24 hours"],
	"budget-usd": ["USD", "what it never spends more than"],
	"budget-period": ["PERIOD", "day, week, month or total"],
	models: ["LIST", "ids, tiers or globs, with commas"],
	"brain-config": ["JSON", "a routing config"],
	"default-max-tokens": ["N", "output limit of requests that name none"],
	tags: ["LIST", "labels, with commas"],
	"alert-webhook": ["URL", "where alerts of its budget go"],
	"log-texts": ["true|false", "whether texts of its requests are kept, where the operator keeps any"],
	"own-only": ["true|false", "whether an agent's key reads only what it made, which is the default"],
};
const KEY_OPTION_FLAGS: Readonly<Record<string, Flag>> = Object.fromEntries(
	Object.entries(keyFlagAbout).map(([name, [value, about]]) => [name, { value, about }]),
);

/** The members of a key's request, as the flags say them; the service checks what they may be. */
function readKeyOptions(text: (flag: string) => string | undefined): EndpointBody<"create_key"> {
	const given = Object.keys(KEY_FLAGS).flatMap((flag) => {
		const value = text(flag);
		return value === undefined ? [] : [[flag, value]];
	});
	return toKeyRequest(Object.fromEntries(given));
}

/** A key that is shown once: alone on standard output, so that a script can keep it. */
const SHOWN_ONCE = "this key is shown only now";

export const keyCommands: readonly Command[] = [
	{
		name: "keys list",
		about: "list your keys",
		async run(_given, session) {
			const keys = await collectAll(session.client().keys.list({ signal: session.signal }));
			session.answer(keys, (keys) =>
				renderColumns([
					["key", "name", "role", "ends", "budget", "spent", "this month"],
					...keys.map((key) => [
						`${key.key_id} …${key.last4}`,
						key.name ?? "-",
						key.role,
						key.expires_at?.slice(0, 10) ?? "-",
						key.budget_usd === null
							? "-"
							: `${renderUsd(key.budget_usd)} a ${key.budget_period}`.replace(" a total", " in all"),
						key.spent_usd === null ? "-" : renderUsd(key.spent_usd),
						renderUsd(key.cost_month_usd),
					]),
				]),
			);
			return EXIT.ok;
		},
	},
	{
		name: "keys create",
		about: "make a key to give away",
		flags: KEY_OPTION_FLAGS,
		async run(given, session) {
			const made = await session.client().keys.create(
				readKeyOptions((flag) => given.text(flag)),
				{ signal: session.signal },
			);
			session.answer(made, ({ key }) => [key]);
			session.note(`${made.key_id}: ${SHOWN_ONCE}`);
			return EXIT.ok;
		},
	},
	{
		name: "keys rotate",
		about: "replace a key by a new one",
		operands: "KEY_ID",
		flags: { overlap: { value: "SECONDS", about: "how long the old one still works; 0 by default" } },
		async run(given, session) {
			const overlap = given.number("overlap");
			const body = overlap === undefined ? {} : { overlap_seconds: overlap };
			const made = await session.client().keys.rotate(given.single("the key's id"), body, { signal: session.signal });
			session.answer(made, ({ key }) => [key]);
			session.note(`${made.key_id} replaces ${made.rotated_from ?? given.operands[0]}: ${SHOWN_ONCE}`);
			return EXIT.ok;
		},
	},
	{
		name: "keys revoke",
		about: "end a key at once",
		operands: "KEY_ID",
		async run(given, session) {
			const revoked = await session.client().keys.delete(given.single("the key's id"), { signal: session.signal });
			session.answer(revoked, () => [`${given.operands[0]} is revoked`]);
			return EXIT.ok;
		},
	},
];
