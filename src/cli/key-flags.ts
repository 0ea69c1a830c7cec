// The options of a key on the command line, as the members of a request. What they may be is checked by the service. Pure.
import { OperatorError } from "./operator.ts";

/** The flags of a key's options, for parseArgs. */
export const KEY_FLAGS = {
	name: { type: "string" },
	role: { type: "string" },
	"expires-at": { type: "string" },
	rpm: { type: "string" },
	"daily-requests": { type: "string" },
	"budget-usd": { type: "string" },
	"budget-period": { type: "string" },
	models: { type: "string" },
	"brain-config": { type: "string" },
	"default-max-tokens": { type: "string" },
	tags: { type: "string" },
	"alert-webhook": { type: "string" },
	"log-texts": { type: "string" },
	"own-only": { type: "string" },
} as const;

type KeyFlag = keyof typeof KEY_FLAGS;

/** Removes an option. */
const NONE = "none";

function parseList(text: string): string[] {
	return text.split(",").flatMap((entry) => entry.trim() || []);
}

function parseConfig(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		throw new OperatorError("--brain-config is not valid JSON");
	}
}

/** `true` or `false`; what else it says, the service refuses. */
function parseFlag(text: string): unknown {
	return text === "true" ? true : text === "false" ? false : text;
}

const READERS: Readonly<Record<KeyFlag, (text: string) => unknown>> = {
	name: String,
	role: String,
	"expires-at": String,
	rpm: Number,
	"daily-requests": Number,
	"budget-usd": Number,
	"budget-period": String,
	models: parseList,
	"brain-config": parseConfig,
	"default-max-tokens": Number,
	tags: parseList,
	"alert-webhook": String,
	"log-texts": parseFlag,
	"own-only": parseFlag,
};

/** The request's members for the flags that were given. */
export function toKeyRequest(flags: Partial<Record<KeyFlag, string>>): Record<string, unknown> {
	const given = (Object.keys(READERS) as KeyFlag[]).flatMap((flag): [string, unknown][] => {
		const text = flags[flag];
		if (text === undefined) return [];
		return [[flag.replaceAll("-", "_"), text === NONE ? null : READERS[flag](text)]];
	});
	return Object.fromEntries(given);
}
