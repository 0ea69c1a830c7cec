// `svc models add`: the models of a server on one's own machine, as entries of an operator's catalog.
import { toSpelling } from "../../catalog/aliases.ts";
import { MAX_TOKENS } from "../../operator-catalog/rows.ts";
import type { Command } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { LocalError, UsageError } from "./failures.ts";
import {
	listServedModels,
	MODEL_SERVERS,
	type ModelServer,
	type ServedModel,
	toServerOrigin,
} from "./model-servers.ts";

/** What stands in for a context that nobody says. */
const UNKNOWN_CONTEXT = 8_192;
/** The longest answer of a model whose server names none: so much, and at most half of its context. */
const OUTPUT_TOKENS = 4_096;

const MAX_ID_CHARS = 128;

/**
 * An id that a catalog takes: what says whose it is, and the server's name, with a number where another model's id means the same.
 * @param taken spellings of the ids so far; that of this one is added.
 */
function toModelId(provider: string, name: string, taken: Set<string>): string {
	const plain = `${provider}/${name.replace(/[^\w.:/@-]+/g, "-")}`;
	const numbered = (count: number) => {
		const suffix = count === 1 ? "" : `-${count}`;
		return `${plain.slice(0, MAX_ID_CHARS - suffix.length)}${suffix}`;
	};
	let count = 1;
	while (taken.has(toSpelling(numbered(count)))) count++;
	taken.add(toSpelling(numbered(count)));
	return numbered(count);
}

const flag = (known: boolean | null, why: string) =>
	known === null ? { text: "false", guess: why } : { text: String(known) };

function renderModel(
	provider: string,
	id: string,
	{ name, contextWindow, contextNote, tools, vision, thinks }: ServedModel,
): string[] {
	const context = Math.min(contextWindow ?? UNKNOWN_CONTEXT, MAX_TOKENS);
	const output = Math.max(1, Math.min(OUTPUT_TOKENS, Math.floor(context / 2)));
	const contextComment = contextWindow === null ? "GUESS: the server does not say it" : contextNote;
	const takesTools = flag(tools, "GUESS: true if the server was started with a tool parser");
	const seesImages = flag(vision, "GUESS: true for a model that reads images");
	const comment = (text: string | undefined) => (text === undefined ? "" : `  # ${text}`);
	return [
		`  - id: ${JSON.stringify(id)}`,
		`    provider: ${provider}`,
		`    upstream: ${JSON.stringify(name)}`,
		"    tier: budget  # GUESS: decides plans, intensity and the default budget; or mid, premium, frontier",
		"    prices: {input: 0, output: 0}  # nobody bills a machine of your own; USD per million tokens where you do",
		"    limits:",
		`      context_window: ${context}${comment(contextComment)}`,
		`      max_output_tokens: ${output}  # GUESS: the server names no limit`,
		"    supports:",
		`      tools: ${takesTools.text}${comment(takesTools.guess)}`,
		`      vision: ${seesImages.text}${comment(seesImages.guess)}`,
		...(thinks ? ["    # It reasons before it answers; src/docs/providers.md says how a row tells how much."] : []),
	];
}

/** The entries of a catalog. @param origin of the server. */
export function renderCatalogEntries(
	id: string,
	{ label, url }: ModelServer,
	origin: string,
	models: readonly ServedModel[],
): string[] {
	const isDefault = origin === url;
	const taken = new Set<string>();
	return [
		`# ${models.length === 1 ? "The model" : `The ${models.length} models`} of ${label} at ${origin}. Look at each GUESS. Then:`,
		"#   npm run catalog -- check FILE, and CATALOG_FILE=FILE npm start",
		"# A request must name such a model; `auto: true` in its row lets `auto` choose it.",
		"providers:",
		`  - id: ${id}`,
		...(isDefault ? [] : [`    base_url: ${JSON.stringify(`${origin}/v1`)}`]),
		"models:",
		...models.flatMap((model) => renderModel(id, toModelId(id, model.name, taken), model)),
	];
}

export const addModelsCommand: Command = {
	name: "models add",
	about: "print the models of a server on your machine as entries of a catalog",
	operands: Object.keys(MODEL_SERVERS).join("|"),
	details: [
		"It asks that server and nothing else, and changes nothing: the entries are for the operator's CATALOG_FILE.",
	],
	flags: { url: { value: "URL", about: "address of that server; its usual port here by default" } },
	async run(given, session) {
		const id = given.single("the server");
		const server = Object.hasOwn(MODEL_SERVERS, id) ? MODEL_SERVERS[id] : undefined;
		if (!server) throw new UsageError(`a server is one of: ${Object.keys(MODEL_SERVERS).join(", ")}; not ${id}`);
		const origin = toServerOrigin(given.text("url") ?? server.url);
		const models = await listServedModels(server, origin, session.signal);
		if (models.length === 0)
			throw new LocalError(`${server.label} at ${origin} has no model that chats; ${server.pull}`);
		session.answer(models, () => renderCatalogEntries(id, server, origin, models));
		return EXIT.ok;
	},
};
