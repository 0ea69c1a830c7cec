// `npm run keys -- create|list|rotate|revoke`: the operator's side of API keys. Prints one JSON object on stdout.
import { parseArgs } from "node:util";
import { PLAN_IDS } from "../catalog/plans.ts";
import { adminTokenFor, callOperator, createKey, OperatorError } from "./operator.ts";

const KEYS_USAGE = `usage:
  npm run keys -- create --user NAME --plan ${PLAN_IDS.join("|")} [--url URL]
  npm run keys -- list [--user NAME] [--url URL]
  npm run keys -- rotate --key KEY_ID [--url URL]
  npm run keys -- revoke --key KEY_ID [--url URL]
ADMIN_TOKEN comes from the environment, else from .dev.vars; URL is http://127.0.0.1:8787 unless PORT or --url says otherwise.`;

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
		},
	});
	const [command, positional] = positionals;
	const keyId = values.key ?? values["key-id"] ?? positional;
	const url = values.url ?? `http://127.0.0.1:${process.env["PORT"] ?? 8787}`;
	const call = (method: "GET" | "POST", path: string) => callOperator(url, adminTokenFor(values.url), method, path);
	switch (command) {
		case "create":
			return createKey(
				url,
				adminTokenFor(values.url),
				requireOption(values.user, "user"),
				requireOption(values.plan, "plan"),
			);
		case "list":
			return call("GET", `/internal/keys${values.user ? `?user=${encodeURIComponent(values.user)}` : ""}`);
		case "rotate":
		case "revoke":
			return call("POST", `/internal/keys/${encodeURIComponent(requireOption(keyId, "key"))}/${command}`);
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
