// Keeps a tool loop with the model that began it: the ids of its tool calls name the model, so no state is needed. Pure.
import type { Catalog } from "../catalog/catalog.ts";

/** Between a provider's own id and the model's; ids of other origin that hold it are left alone. */
const MARK = "~";

/** The id the client gets for a tool call of a model. */
export function markedCallId(id: string, modelId: string): string {
	return `${id}${MARK}${modelId}`;
}

/** A provider's own id of a tool call and the catalog model that made it, if the id says. */
export function readCallId(
	marked: string,
	{ findModel }: Pick<Catalog, "findModel">,
): { id: string; modelId: string | null } {
	const at = marked.lastIndexOf(MARK);
	const modelId = marked.slice(at + 1);
	if (at <= 0 || !findModel(modelId)) return { id: marked, modelId: null };
	return { id: marked.slice(0, at), modelId };
}
