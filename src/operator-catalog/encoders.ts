// The rows of an operator's catalog whose models make no text. They stand in the list of models, and say what they are by `kind`. Pure.
import type { Catalog } from "../catalog/catalog.ts";
import { type EncoderModel, servesKind } from "../catalog/encoder.ts";
import type { Provider } from "../catalog/schema.ts";
import { type DocumentFault, type Path, parseMembers } from "../faults.ts";
import { isJsonObject } from "../json.ts";
import { quoteInput, renderSuggestion } from "../suggest.ts";
import { checkProvider, type Faults } from "./checks.ts";
import { type EncoderRow, encoderRowSchema } from "./rows.ts";

type Document = Readonly<Record<string, unknown>>;

/** Rows of encoder models by their index in the list of models. */
type EncoderRows = ReadonlyMap<number, unknown>;

/** What a list of models has in place of rows that are read apart, so that the others keep their index. */
const ELSEWHERE = {};

/** An unknown kind is told as one; such a row is not read as that of a text model. */
function isEncoderRow(row: unknown): boolean {
	return isJsonObject(row) && typeof row["kind"] === "string" && row["kind"] !== "chat";
}

/** A document without its rows of encoder models, and these rows. */
export function splitEncoders(document: Document): { document: Document; rows: EncoderRows } {
	const { models } = document;
	if (!Array.isArray(models)) return { document, rows: new Map() };
	const rows = new Map(models.flatMap((row, index) => (isEncoderRow(row) ? [[index, row] as const] : [])));
	if (rows.size === 0) return { document, rows };
	return { document: { ...document, models: models.map((row) => (isEncoderRow(row) ? ELSEWHERE : row)) }, rows };
}

/** The shipped model that a member names; null, and noted, where there is none. */
function findShippedEncoder(
	row: EncoderRow,
	member: "replaces" | "same_as",
	path: Path,
	shipped: Catalog,
	faults: Faults,
): EncoderModel | null | undefined {
	const id = row[member];
	if (id === undefined) return undefined;
	const found = shipped.findEncoder(id);
	if (found?.kind === row.kind) return found;
	const ids = shipped.encoders.filter(({ kind }) => kind === row.kind).map((model) => model.id);
	faults.add([...path, member], `no shipped ${row.kind} model is ${quoteInput(id)}${renderSuggestion(id, ids)}`);
	return null;
}

/** The members of a row in the form of the catalog, without those that it does not say. */
function toEncoderMembers({
	upstream,
	name,
	replaces: _,
	hidden,
	token_inputs,
	...members
}: EncoderRow): Partial<EncoderModel> {
	const named = {
		...members,
		upstream_model: upstream,
		display_name: name,
		hidden: hidden || undefined,
		token_inputs: token_inputs || undefined,
	};
	return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)) as Partial<EncoderModel>;
}

/** Notes what is wrong with the lengths of vectors that a row names. */
function checkDimensions(
	{ kind, dimensions }: EncoderRow,
	same: EncoderModel | undefined,
	path: Path,
	faults: Faults,
): void {
	if (!dimensions) return;
	if (kind !== "embedding") faults.add([...path, "dimensions"], "is of embedding models only");
	const { sizes } = dimensions;
	if (sizes && !Array.isArray(sizes) && sizes.min > sizes.max)
		faults.add([...path, "dimensions", "sizes"], "must have a min that is at most its max");
	if (same?.dimensions && dimensions.default !== same.dimensions.default)
		faults.add(
			[...path, "dimensions", "default"],
			`must be ${same.dimensions.default}, as of ${same.id}: either stands in for the other`,
		);
}

/** A model of a row; null where it lacks something. */
function toEncoder(row: EncoderRow, path: Path, shipped: Catalog, faults: Faults): EncoderModel | null {
	const replaced = findShippedEncoder(row, "replaces", path, shipped, faults);
	const same = findShippedEncoder(row, "same_as", path, shipped, faults);
	if (replaced === null || same === null) return null;
	const isElsewhere = replaced && (row.provider ?? replaced.provider) !== replaced.provider;
	const { id: _, provider: __, prices: ___, ...ofSame } = same ?? replaced ?? ({} as Partial<EncoderModel>);
	const kept = replaced && !isElsewhere ? replaced : ofSame;
	const id = row.id ?? replaced?.id;
	const members = { ...kept, ...toEncoderMembers(row), id };
	if (!faults.require(members, ["id", "provider", "prices", "limits"], path) || id === undefined) return null;
	checkDimensions(row, same, path, faults);
	const aliases = [...(row.aliases ?? []), ...(replaced && replaced.id !== id ? [replaced.id] : [])];
	return {
		upstream_model: id,
		display_name: id,
		released: null,
		open_weights: false,
		...members,
		id,
		owner: "operator",
		...(row.token_inputs === false ? { token_inputs: undefined } : {}),
		...(aliases.length > 0 ? { aliases: [...new Set(aliases)] } : {}),
	} as EncoderModel;
}

/** What the rows of a document become. */
interface ReadEncoders {
	/** By index in the list of models. */
	rows: ReadonlyMap<number, EncoderRow>;
	made: ReadonlyMap<number, EncoderModel | null>;
	schemaFaults: DocumentFault[];
}

/** Reads rows of encoder models, and notes what is wrong with them but for their ids. */
export function readEncoders(
	written: EncoderRows,
	shipped: Catalog,
	providers: ReadonlyMap<string, Provider>,
	faults: Faults,
): ReadEncoders {
	const rows = new Map<number, EncoderRow>();
	const made = new Map<number, EncoderModel | null>();
	const schemaFaults: DocumentFault[] = [];
	for (const [index, row] of written) {
		const path = ["models", index];
		const parsed = encoderRowSchema.safeParse(row);
		if (!parsed.success) {
			const { faults: own } = parseMembers(encoderRowSchema.partial(), row);
			schemaFaults.push(...own.map((fault) => ({ ...fault, path: [...path, ...fault.path] })));
			continue;
		}
		rows.set(index, parsed.data);
		const model = toEncoder(parsed.data, path, shipped, faults);
		made.set(index, model);
		const provider = model?.provider ?? parsed.data.provider;
		if (provider === undefined) continue;
		checkProvider(provider, path, providers, faults);
		const found = providers.get(provider);
		if (found && !servesKind(found, parsed.data.kind))
			faults.add([...path, "kind"], `${provider} speaks no form in which models of kind ${parsed.data.kind} are asked`);
	}
	return { rows, made, schemaFaults };
}

/** The shipped encoder models with those of rows in the places that they take, and behind them the others. */
export function mergeEncoders({ rows, made }: ReadEncoders, shipped: Catalog): EncoderModel[] {
	const own = [...made].flatMap(([index, model]) => (model ? [{ model, replaces: rows.get(index)?.replaces }] : []));
	const places = new Map(own.map(({ model, replaces }) => [replaces, model]));
	return [
		...shipped.encoders.map((model) => places.get(model.id) ?? model),
		...own.filter(({ replaces }) => replaces === undefined).map(({ model }) => model),
	];
}
