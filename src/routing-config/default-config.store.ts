// The server's own routing config: KV's `brain:default`, else BRAIN_MD, else none.
import type { ServiceContext } from "../account/context.ts";
import { fail, ok, type Result } from "../failure.ts";
import { type DocumentReader, type DocumentState, OperatorDocuments } from "../operator-document.edge.ts";
import type { CompiledConfig } from "../routing/routing-config.ts";
import { readConfigText } from "./read.ts";

export type DefaultConfigContext = Pick<ServiceContext, "env" | "settings">;

const documents = new OperatorDocuments<CompiledConfig>("brain:default", "default_config");

function readerFor({ brainMd, catalog }: DefaultConfigContext["settings"]): DocumentReader<CompiledConfig> {
	return {
		fallback: brainMd,
		basis: catalog,
		async read(text) {
			const { errors, config, matches } = await readConfigText(text, catalog, { isOperators: true });
			return errors.length > 0 ? { ok: false, faults: errors } : { ok: true, value: { config, matches } };
		},
	};
}

const loadDefaultConfig = ({ env, settings }: DefaultConfigContext) => documents.load(env.KV, readerFor(settings));

/**
 * The config above those of keys and requests; null when there is none. A failure when no text of it could ever be read.
 * @throws StorageUnavailableError when KV does not answer and nothing is cached: the config may block models.
 */
export async function findDefaultConfig(context: DefaultConfigContext): Promise<Result<CompiledConfig | null>> {
	const { state, value } = await loadDefaultConfig(context);
	return state === "invalid" && !value ? fail({ reason: "misconfigured" }) : ok(value);
}

/** The config's state for the health endpoint. */
export async function defaultConfigState(context: DefaultConfigContext): Promise<DocumentState | "unknown"> {
	try {
		return (await loadDefaultConfig(context)).state;
	} catch {
		return "unknown";
	}
}
