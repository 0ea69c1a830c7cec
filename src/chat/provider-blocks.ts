// Providers' own blocks as message fields that OpenAI's format does not have. Signed thinking must come back on the next turn
// and travels as `thinking_blocks`; other blocks travel under their provider's name. Pure.
import { type ModelAnswer, type ProviderPart, partsOfType } from "../providers/model-call.ts";

type ProviderBlock = ProviderPart["block"];

/** The wires of the blocks that clients send back, by type. */
const WIRES_BY_BLOCK_TYPE: Readonly<Record<string, ProviderPart["wire"]>> = {
	thinking: "anthropic",
	redacted_thinking: "anthropic",
	"google.thought_signature": "google",
};

/** The fields of blocks that clients see and do not send back. */
const OUTPUT_ONLY_FIELDS: Readonly<Record<ProviderPart["wire"], string>> = {
	openai: "openai_blocks",
	anthropic: "anthropic_blocks",
	google: "google_parts",
};

function findReturnWire({ type }: ProviderBlock): ProviderPart["wire"] | undefined {
	return typeof type === "string" && Object.hasOwn(WIRES_BY_BLOCK_TYPE, type) ? WIRES_BY_BLOCK_TYPE[type] : undefined;
}

/** The part of an entry of `thinking_blocks`; undefined for a block of no known wire. */
export function toProviderPart(block: ProviderBlock): ProviderPart | undefined {
	const wire = findReturnWire(block);
	return wire && { type: "provider", wire, block };
}

/** The message fields of an answer's provider blocks, in the order they came; empty without blocks. */
export function toBlockFields({ content }: Pick<ModelAnswer, "content">): Record<string, ProviderBlock[]> {
	const fields: Record<string, ProviderBlock[]> = {};
	for (const { wire, block } of partsOfType(content, "provider")) {
		const field = findReturnWire(block) ? "thinking_blocks" : OUTPUT_ONLY_FIELDS[wire];
		fields[field] = [...(fields[field] ?? []), block];
	}
	return fields;
}
