// Providers' own blocks as message fields that OpenAI's format does not have. Signed thinking must come back on the next turn
// and travels as `thinking_blocks`; other blocks travel under their provider's name. Pure.
import { type ModelAnswer, type ProviderPart, partsOfType } from "../providers/model-call.ts";
import { RETURNED_BLOCK_WIRES } from "../providers/returned-blocks.ts";

type ProviderBlock = ProviderPart["block"];

/** The fields of blocks that clients see and do not send back. */
const OUTPUT_ONLY_FIELDS: Readonly<Record<ProviderPart["wire"], string>> = {
	openai: "openai_blocks",
	anthropic: "anthropic_blocks",
	google: "google_parts",
	bedrock: "bedrock_blocks",
};

/** The part of an entry of `thinking_blocks`; undefined for a block of no known wire. */
export function toProviderPart(block: ProviderBlock): ProviderPart | undefined {
	const wire = RETURNED_BLOCK_WIRES.get(block["type"]);
	return wire && { type: "provider", wire, block };
}

/** The message fields of an answer's provider blocks, in the order they came; empty without blocks. */
export function toBlockFields({ content }: Pick<ModelAnswer, "content">): Record<string, ProviderBlock[]> {
	const fields: Record<string, ProviderBlock[]> = {};
	for (const { wire, block } of partsOfType(content, "provider")) {
		const field = RETURNED_BLOCK_WIRES.has(block["type"]) ? "thinking_blocks" : OUTPUT_ONLY_FIELDS[wire];
		fields[field] = [...(fields[field] ?? []), block];
	}
	return fields;
}
