// Ids of tool calls as clients get them. Each is marked with the model that made the call, so that a tool loop stays with its
// model without any state. Every provider accepts their form: at most 40 characters of `[A-Za-z0-9_-]`. Pure.
import * as z from "zod";
import type { Catalog } from "../catalog/catalog.ts";
import type { Model } from "../catalog/schema.ts";
import { shortDigest } from "../providers/call-ids.ts";

/** Ids of tool calls as models generate them: no room for a sentence. */
export const callIdSchema = z.lazy(() =>
	z
		.string()
		.min(1)
		.max(256)
		.regex(/^[\w.:|/+=~-]*$/, "must be letters, digits and . : | / + = ~ _ -"),
);

/** What only its provider can read is base64, so that no text passes unread. */
export const sealedTextSchema = z.lazy(() => z.string().regex(/^[\w+/=-]*$/, "must be base64"));

const MARK_PREFIX = "-m";
const MARK_DIGITS = 5;
const MAX_ID_CHARS = 40;
/** Characters left for the provider's own id. */
const PROVIDER_ID_CHARS = MAX_ID_CHARS - MARK_PREFIX.length - MARK_DIGITS;
const PROVIDER_ID = new RegExp(`^[A-Za-z0-9_-]{1,${PROVIDER_ID_CHARS}}$`);
const MARKED_ID = new RegExp(`^(.+)${MARK_PREFIX}([A-Za-z0-9]{${MARK_DIGITS}})$`);

function modelMark(modelId: string): string {
	return shortDigest(modelId, MARK_DIGITS);
}

const modelsByCatalog = new WeakMap<Catalog, ReadonlyMap<string, Model>>();

/** The models of a catalog by their marks; the catalog test proves that no two share one. */
export function modelsByMark(catalog: Catalog): ReadonlyMap<string, Model> {
	const known = modelsByCatalog.get(catalog);
	if (known) return known;
	const byMark = new Map(catalog.models.map((model) => [modelMark(model.id), model]));
	modelsByCatalog.set(catalog, byMark);
	return byMark;
}

/** The id that the client gets for a tool call of a model. */
export function markedCallId(id: string, modelId: string): string {
	const own = PROVIDER_ID.test(id) ? id : `call_${shortDigest(id, 22)}`;
	return `${own}${MARK_PREFIX}${modelMark(modelId)}`;
}

/** Splits the id of a tool call into the provider's own and the catalog model of its mark; null without a known mark. */
export function readCallId(marked: string, catalog: Catalog): { id: string; modelId: string | null } {
	const [, id, mark] = MARKED_ID.exec(marked) ?? [];
	const model = mark === undefined ? undefined : modelsByMark(catalog).get(mark);
	return id === undefined || !model ? { id: marked, modelId: null } : { id, modelId: model.id };
}

/** The model that made tool calls, by the marks of their ids; undefined without a known mark. */
export function findCallingModel(markedIds: readonly string[], catalog: Catalog): string | undefined {
	return markedIds.map((id) => readCallId(id, catalog).modelId).find((modelId) => modelId !== null) ?? undefined;
}
