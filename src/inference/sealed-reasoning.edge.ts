// Seals what a client must send back and may not read: reasoning in its provider's own form, for one user, provider and model.
// Which parts of an answer that is, entrances say.
import * as z from "zod";
import { WIRE_NAMES } from "../catalog/vocabulary.ts";
import type { TextSeal } from "../durable/text-seal.edge.ts";
import { StorageUnavailableError } from "../failure.ts";
import { jsonObjectSchema } from "../http/json-object.ts";
import { logError } from "../http/log.edge.ts";
import { parseJson } from "../json.ts";
import { userSeal } from "../meter/user-seal.edge.ts";
import { fromBase64, toBase64 } from "../proof/signing.ts";
import type { AssistantPart } from "../providers/model-call.ts";
import type { Settings } from "../settings.ts";

/** The longest sealed text, in characters. A longer one is neither made nor read. */
export const MAX_SEALED_REASONING_CHARS = 262_144;

/** What every sealed text begins with: `svc1` in base64. Another format has another digit. */
const FORMAT_MARK = Uint8Array.of(0xb2, 0xf7, 0x35);
const FORMAT_MARK_TEXT = "svc1";
/** The name that binds a sealed text to its use. */
const SEAL_NAME = "reasoning.v1";

const sealedPartSchema = z.lazy(() =>
	z.discriminatedUnion("type", [
		z.object({ type: z.enum(["text", "reasoning", "refusal"]), text: z.string() }),
		z.object({
			type: z.literal("tool_call"),
			id: z.string(),
			name: z.string(),
			arguments: z.string(),
			signature: z.string().optional(),
		}),
		z.object({
			type: z.literal("provider"),
			wire: z.enum(WIRE_NAMES),
			block: jsonObjectSchema,
		}),
	]),
);
const sealedReasoningSchema = z.lazy(() =>
	z.object({
		provider: z.string(),
		modelId: z.string(),
		account: z.string().optional(),
		parts: z.array(sealedPartSchema),
	}),
);

/** Reasoning with the model that wrote it. */
export interface OpenedReasoning {
	provider: string;
	modelId: string;
	/** The provider's account that it was made with; absent where the operator had one key. */
	account?: string | undefined;
	/**
	 * Reasoning texts, and blocks of the provider's own. A `tool_call` stands for the call of its id, which the client has, and
	 * carries that call's signature: its arguments are empty.
	 */
	parts: AssistantPart[];
}

/** Whose reasoning it is. */
interface ReasoningOwner {
	userId: string;
}

/** Whether a text claims to be one of ours. Clients also send what their earlier providers sealed. */
export function isSealedReasoning(text: string): boolean {
	return text.startsWith(FORMAT_MARK_TEXT);
}

/** Who wrote an answer: a model, under an account of its provider's. */
export interface AnswerSource {
	modelId: string;
	/** Empty where the operator has one key. */
	account: string;
}

/** Seals parts of a model's answer for the client of one request; null where they would be too long. */
export type SealParts = (parts: readonly AssistantPart[], source: AnswerSource) => Promise<string | null>;

/** The sealed text of reasoning, in base64; null where it would be longer than allowed. */
async function sealWith(seal: TextSeal, reasoning: OpenedReasoning): Promise<string | null> {
	const text = JSON.stringify(reasoning);
	if (text.length > MAX_SEALED_REASONING_CHARS) return null;
	const sealed = await seal.seal(SEAL_NAME, text);
	const bytes = new Uint8Array(FORMAT_MARK.length + sealed.length);
	bytes.set(FORMAT_MARK);
	bytes.set(sealed, FORMAT_MARK.length);
	const base64 = toBase64(bytes);
	return base64.length > MAX_SEALED_REASONING_CHARS ? null : base64;
}

/** Seals for a user what must come back to a model of the catalog. Without the user's key, the client gets none of it. */
export function reasoningSealer(
	{ userId }: ReasoningOwner,
	{ catalog }: Pick<Settings, "catalog">,
	env: Env,
): SealParts {
	return async (parts, { modelId, account }) => {
		const provider = catalog.findModel(modelId)?.provider ?? "";
		const reasoning = { provider, modelId, ...(account === "" ? {} : { account }), parts: [...parts] };
		try {
			return await sealWith(await userSeal(env, userId), reasoning);
		} catch (error) {
			if (!(error instanceof StorageUnavailableError)) throw error;
			logError("reasoning_not_sealed", error);
			return null;
		}
	};
}

/** What was sealed; null when it is too long, changed, or sealed for another user or under another pepper. */
async function openWith(seal: TextSeal, text: string): Promise<OpenedReasoning | null> {
	if (!isSealedReasoning(text) || text.length > MAX_SEALED_REASONING_CHARS) return null;
	const bytes = fromBase64(text);
	if (!bytes) return null;
	try {
		const opened = await seal.open(SEAL_NAME, bytes.slice(FORMAT_MARK.length));
		return sealedReasoningSchema.safeParse(parseJson(opened)).data ?? null;
	} catch (error) {
		if (error instanceof StorageUnavailableError) return null;
		throw error;
	}
}

/** What sealed texts of one request hold, by the text; null for a text that does not open. */
export async function openSealedTexts(
	texts: readonly string[],
	{ userId }: ReasoningOwner,
	env: Env,
): Promise<Map<string, OpenedReasoning | null>> {
	if (texts.length === 0) return new Map();
	const seal = await userSeal(env, userId);
	const opened = [...new Set(texts)].map(async (text) => [text, await openWith(seal, text)] as const);
	return new Map(await Promise.all(opened));
}
