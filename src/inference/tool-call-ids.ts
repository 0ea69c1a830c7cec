// Ids of tool calls as clients get them. They name the model that made the call, so that a tool loop stays with it without any
// state, in a form that every provider's own rules allow for: at most 40 of `[A-Za-z0-9_-]`. Pure.
import type { Catalog } from "../catalog/catalog.ts";
import type { Model } from "../catalog/schema.ts";
import { shortDigest } from "../providers/call-ids.ts";

const MARK = "-m";
const MARK_DIGITS = 5;
const MOST_CHARS = 40;
/** What is left for the provider's own id. */
const OWN_CHARS = MOST_CHARS - MARK.length - MARK_DIGITS;
const OWN_ID = new RegExp(`^[A-Za-z0-9_-]{1,${OWN_CHARS}}$`);
const MARKED_ID = new RegExp(`^(.+)${MARK}([A-Za-z0-9]{${MARK_DIGITS}})$`);

function markOf(modelId: string): string {
	return shortDigest(modelId, MARK_DIGITS);
}

const marks = new WeakMap<Catalog, ReadonlyMap<string, Model>>();

/** The models of a catalog by their marks; the catalog test proves that no two share one. */
export function modelsByMark(catalog: Catalog): ReadonlyMap<string, Model> {
	const known = marks.get(catalog);
	if (known) return known;
	const byMark = new Map(catalog.models.map((model) => [markOf(model.id), model]));
	marks.set(catalog, byMark);
	return byMark;
}

/** The id the client gets for a tool call of a model. */
export function markedCallId(id: string, modelId: string): string {
	const own = OWN_ID.test(id) ? id : `call_${shortDigest(id, 22)}`;
	return `${own}${MARK}${markOf(modelId)}`;
}

/** A tool call's id without its mark, and the catalog model that made it, if the id says. */
export function readCallId(marked: string, catalog: Catalog): { id: string; modelId: string | null } {
	const [, id, mark] = MARKED_ID.exec(marked) ?? [];
	const model = mark === undefined ? undefined : modelsByMark(catalog).get(mark);
	return id === undefined || !model ? { id: marked, modelId: null } : { id, modelId: model.id };
}
