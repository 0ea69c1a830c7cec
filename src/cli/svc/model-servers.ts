// What model servers on one's own machine say of their models: Ollama, vLLM, llama.cpp and LM Studio, each in its own words.
import { isJsonObject, type JsonObject } from "../../json.ts";
import { LocalError } from "./failures.ts";

/** A model as its server describes it. Null is what the server does not say. */
export interface ServedModel {
	/** What the server calls it. */
	name: string;
	/** Tokens of a prompt and its answer together. */
	contextWindow: number | null;
	/** Why the context is what it is, where that needs saying. */
	contextNote?: string;
	tools: boolean | null;
	vision: boolean | null;
	/** It reasons before it answers. */
	thinks: boolean;
}

/** A kind of server. */
export interface ModelServer {
	/** As people write it. */
	label: string;
	/** Where it listens unless it is told otherwise. */
	url: string;
	/** How it gets a model, for one that has none. */
	pull: string;
	/** Its models that chat; null for answers that are not of such a server. */
	list(ask: Ask): Promise<ServedModel[] | null>;
}

/** Asks a path of the server. @throws LocalError where that fails. */
type Ask = (path: string, body?: unknown) => Promise<unknown>;

const TIMEOUT_MS = 5_000;

/** Ollama's context where neither model nor server names one. */
const OLLAMA_CONTEXT = 4_096;

const positive = (value: unknown) => (typeof value === "number" && value > 0 ? Math.floor(value) : null);

const textsOf = (value: unknown) => (Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : null);
const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

/** The objects of a list in an answer. Null where the answer has no such list. */
function rowsOf(answer: unknown, list: string): JsonObject[] | null {
	const rows = objectOf(answer)[list];
	return Array.isArray(rows) ? rows.filter(isJsonObject) : null;
}

/** A list's rows with their names. Null where the answer has no such list. */
function namedRows(answer: unknown, list: string, member: string): { name: string; row: JsonObject }[] | null {
	return (
		rowsOf(answer, list)?.flatMap((row) => {
			const name = row[member];
			return typeof name === "string" && name !== "" ? [{ name, row }] : [];
		}) ?? null
	);
}

/** What Ollama says of one model. It cuts longer prompts without a word, so that the context in force counts. */
function fromOllama(name: string, shown: JsonObject, runningContext: number | null): ServedModel {
	const capabilities = textsOf(shown["capabilities"]);
	const info = objectOf(shown["model_info"]);
	const own = positive(info[`${info["general.architecture"]}.context_length`]);
	const set = positive(Number(/^num_ctx\s+(\d+)/m.exec(String(shown["parameters"] ?? ""))?.[1] ?? Number.NaN));
	const inForce = set ?? runningContext;
	const longest = own === null ? "" : `; the model itself reads ${own}`;
	return {
		name,
		contextWindow: inForce ?? Math.min(OLLAMA_CONTEXT, own ?? OLLAMA_CONTEXT),
		contextNote:
			inForce === null
				? `GUESS: Ollama's default, above which it cuts prompts silently; OLLAMA_CONTEXT_LENGTH or num_ctx raise it${longest}`
				: `in force at Ollama${longest}`,
		tools: capabilities?.includes("tools") ?? null,
		vision: capabilities?.includes("vision") ?? null,
		thinks: capabilities?.includes("thinking") ?? false,
	};
}

/** The models of a list in OpenAI's form. vLLM and llama.cpp add how long a context is. */
async function listOpenAi(ask: Ask): Promise<ServedModel[] | null> {
	const rows = namedRows(await ask("/v1/models"), "data", "id");
	return (
		rows?.map(({ name, row }) => ({
			name,
			contextWindow: positive(row["max_model_len"]) ?? positive(objectOf(row["meta"])["n_ctx"]),
			tools: null,
			vision: null,
			thinks: false,
		})) ?? null
	);
}

/** Asks what a server of an earlier version may not know. */
const askIfKnown = (ask: Ask, path: string) => ask(path).catch(() => null);

export const MODEL_SERVERS: Readonly<Record<string, ModelServer>> = {
	ollama: {
		label: "Ollama",
		url: "http://localhost:11434",
		pull: "ollama pull llama3.2",
		async list(ask) {
			const rows = namedRows(await ask("/api/tags"), "models", "name");
			if (!rows) return null;
			const running = namedRows(await askIfKnown(ask, "/api/ps"), "models", "name") ?? [];
			const found: ServedModel[] = [];
			for (const { name } of rows) {
				const shown = objectOf(await ask("/api/show", { model: name }));
				// One that only embeds answers no chat.
				if (textsOf(shown["capabilities"])?.includes("completion") === false) continue;
				const loaded = running.find((each) => each.name === name)?.row["context_length"];
				found.push(fromOllama(name, shown, positive(loaded)));
			}
			return found;
		},
	},
	vllm: { label: "vLLM", url: "http://localhost:8000", pull: "vllm serve MODEL", list: listOpenAi },
	"llama-cpp": {
		label: "llama.cpp",
		url: "http://localhost:8080",
		pull: "llama-server -m MODEL.gguf",
		async list(ask) {
			const models = await listOpenAi(ask);
			const props = objectOf(await askIfKnown(ask, "/props"));
			const context = positive(objectOf(props["default_generation_settings"])["n_ctx"]);
			const { vision } = objectOf(props["modalities"]);
			const seesImages = typeof vision === "boolean" ? vision : null;
			return (
				models?.map((model) => ({ ...model, contextWindow: context ?? model.contextWindow, vision: seesImages })) ??
				null
			);
		},
	},
	"lm-studio": {
		label: "LM Studio",
		url: "http://localhost:1234",
		pull: "load one in LM Studio",
		async list(ask) {
			const rows = namedRows(await askIfKnown(ask, "/api/v0/models"), "data", "id");
			if (!rows) return listOpenAi(ask);
			return rows
				.filter(({ row }) => row["type"] !== "embeddings")
				.map(({ name, row }) => ({
					name,
					contextWindow: positive(row["loaded_context_length"]) ?? positive(row["max_context_length"]),
					tools: textsOf(row["capabilities"])?.includes("tool_use") ?? null,
					vision: typeof row["type"] === "string" ? row["type"] === "vlm" : null,
					thinks: false,
				}));
		},
	},
};

/** The address without a trailing `/v1`, which only the OpenAI endpoints have. @throws LocalError for what is none. */
export function toServerOrigin(url: string): string {
	const address = URL.parse(url);
	if (!address || !/^https?:$/.test(address.protocol)) throw new LocalError(`${url} is no http or https address`);
	return `${address.origin}${address.pathname.replace(/\/+$/, "").replace(/\/v1$/, "")}`;
}

/** Asks a server for its models. @throws LocalError where it does not answer, or not as such a server does. */
export async function listServedModels(
	server: ModelServer,
	origin: string,
	signal: AbortSignal,
): Promise<ServedModel[]> {
	const ask: Ask = async (path, body) => {
		const deadline = AbortSignal.timeout(TIMEOUT_MS);
		let response: Response;
		try {
			response = await fetch(`${origin}${path}`, {
				...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
				headers: { "content-type": "application/json" },
				signal: AbortSignal.any([signal, deadline]),
			});
		} catch (error) {
			if (signal.aborted) throw error;
			const why = deadline.aborted ? `nothing answered within ${TIMEOUT_MS / 1000} s` : "nothing answers";
			throw new LocalError(`${why} at ${origin}: is ${server.label} running? --url names another address`);
		}
		const text = await response.text().catch((error: unknown) => {
			if (signal.aborted) throw error;
			throw new LocalError(`the answer of ${origin}${path} broke off: is that ${server.label}?`);
		});
		if (!response.ok)
			throw new LocalError(
				`${origin}${path} answers status ${response.status}: is that ${server.label}? ${text.slice(0, 200)}`,
			);
		try {
			return JSON.parse(text);
		} catch {
			throw new LocalError(`${origin}${path} answers no JSON: is that ${server.label}?`);
		}
	};
	const models = await server.list(ask);
	if (!models) throw new LocalError(`${origin} answers, but not as ${server.label} does`);
	return models;
}
