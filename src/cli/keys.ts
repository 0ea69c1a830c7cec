// `npm run keys -- create|list|change|rotate|revoke`: the operator's side of API keys. Prints one JSON object on stdout.
import { parseArgs } from "node:util";
import { PLAN_IDS } from "../catalog/plans.ts";
import { KEY_FLAGS, toKeyRequest } from "./key-flags.ts";
import { adminTokenFor, callOperator, localServiceUrl, OperatorError } from "./operator.ts";

const KEYS_USAGE = `usage:
  npm run keys -- create --user NAME --plan ${PLAN_IDS.join("|")} [OPTIONS] [--url URL]
  npm run keys -- list [--user NAME] [--url URL]
  npm run keys -- change --key KEY_ID OPTIONS [--url URL]
  npm run keys -- rotate --key KEY_ID [--overlap-seconds N] [--url URL]
  npm run keys -- revoke --key KEY_ID [--url URL]
OPTIONS: --name TEXT, --role owner|agent|approver, --expires-at TIME, --rpm N, --daily-requests N, --budget-usd AMOUNT,
  --budget-period day|week|month|total, --models ID,TIER,GLOB,…, --brain-config JSON, --default-max-tokens N, --tags TAG,TAG,…; "none" removes one.
ADMIN_TOKEN comes from the environment, else from .dev.vars; URL is the service of this checkout: at PORT, else where .env.local says, else at http://127.0.0.1:8787.`;

function requireOption(value: string | undefined, flag: string): string {
	if (!value) throw new OperatorError(`--${flag} is missing\n${KEYS_USAGE}`);
	return value;
}

async function runKeysCommand(args: string[]): Promise<unknown> {
	const { positionals, values } = parseArgs({
		args,
		allowPositionals: true,
		options: {
			user: { type: "string" },
			plan: { type: "string" },
			key: { type: "string" },
			"key-id": { type: "string" },
			url: { type: "string" },
			"overlap-seconds": { type: "string" },
			...KEY_FLAGS,
		},
	});
	const [command, positional] = positionals;
	const keyId = values.key ?? values["key-id"] ?? positional;
	const url = values.url ?? localServiceUrl();
	const call = (method: "GET" | "POST" | "PATCH", path: string, body?: unknown) =>
		callOperator(url, adminTokenFor(values.url), method, path, body);
	const keyPath = () => `/internal/keys/${encodeURIComponent(requireOption(keyId, "key"))}`;
	switch (command) {
		case "create":
			return call("POST", "/internal/keys", {
				user: requireOption(values.user, "user"),
				plan: requireOption(values.plan, "plan"),
				...toKeyRequest(values),
			});
		case "list":
			return call("GET", `/internal/keys${values.user ? `?user=${encodeURIComponent(values.user)}` : ""}`);
		case "change":
			return call("PATCH", keyPath(), toKeyRequest(values));
		case "rotate":
			return call("POST", `${keyPath()}/rotate`, { overlap_seconds: Number(values["overlap-seconds"] ?? 0) });
		case "revoke":
			return call("POST", `${keyPath()}/revoke`);
		default:
			throw new OperatorError(KEYS_USAGE);
	}
}

runKeysCommand(process.argv.slice(2)).then(
	(answer) => console.log(JSON.stringify(answer)),
	(error: unknown) => {
		console.error(error instanceof Error ? error.message : error);
		process.exit(1);
	},
);
