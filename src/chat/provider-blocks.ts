// Providers' own blocks as message fields that OpenAI's format does not know: signed thinking, which must come back on the
// next turn, travels as `thinking_blocks`, any other block under its provider's name. Pure.
import type { ModelAnswer, ProviderPart } from "../providers/model-call.ts";
import { partsOfType } from "../providers/model-call.ts";

type Block = ProviderPart["block"];

/** Types of blocks that come back, by whose they are. */
const RETURNED: Readonly<Record<string, ProviderPart["wire"]>> = {
	thinking: "anthropic",
	redacted_thinking: "anthropic",
	"google.thought_signature": "google",
};

/** Fields for blocks that are shown and not taken back. */
const SHOWN: Readonly<Record<ProviderPart["wire"], string>> = {
	openai: "openai_blocks",
	anthropic: "anthropic_blocks",
	google: "google_parts",
};

function wireOfReturned({ type }: Block): ProviderPart["wire"] | undefined {
	return typeof type === "string" && Object.hasOwn(RETURNED, type) ? RETURNED[type] : undefined;
}

/** The part of an entry of `thinking_blocks`; undefined for a block of nobody's. */
export function providerPartOf(block: Block): ProviderPart | undefined {
	const wire = wireOfReturned(block);
	return wire && { type: "provider", wire, block };
}

/** The message fields of an answer's provider blocks, each in the order they came; none without blocks. */
export function blockFields({ content }: Pick<ModelAnswer, "content">): Record<string, Block[]> {
	const fields: Record<string, Block[]> = {};
	for (const { wire, block } of partsOfType(content, "provider")) {
		const field = wireOfReturned(block) ? "thinking_blocks" : SHOWN[wire];
		fields[field] = [...(fields[field] ?? []), block];
	}
	return fields;
}
