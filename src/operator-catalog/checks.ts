// What does not fit together in an operator's catalog: ids that mean two things, providers that would share a key or a name, models
// that their provider cannot serve. Pure.
import { toSpelling } from "../catalog/aliases.ts";
import { type Catalog, INTENSITIES } from "../catalog/catalog.ts";
import { keyVariableNames } from "../catalog/credentials.ts";
import type { Model, Provider } from "../catalog/schema.ts";
import { TIERS, type WireName } from "../catalog/vocabulary.ts";
import type { DocumentFault, Path } from "../faults.ts";
import { quoteInput, renderSuggestion } from "../suggest.ts";
import type { ModelRow } from "./rows.ts";

/** What a request says instead of a model's id. */
export const ROUTED_IDS: readonly string[] = ["auto", ...Object.keys(INTENSITIES)];

/** The wires that can be told an effort in this way. */
const CONTROL_WIRES: Readonly<Record<NonNullable<Model["reasoning"]>["control"], readonly WireName[]>> = {
	reasoning_effort: ["openai", "bedrock"],
	thinking_type: ["openai"],
	thinking_type_and_effort: ["openai"],
	enable_thinking: ["openai"],
	anthropic_effort: ["anthropic", "bedrock"],
	thinking_type_and_output_config: ["openai"],
	google_thinking_budget: ["google"],
	google_thinking_level: ["google"],
};

function wordWires(wires: readonly WireName[]): string {
	return wires.length === 1 ? `${wires[0]} wire` : `wires ${wires.join(", ")}`;
}
/** The wires that have a form for recordings. */
const AUDIO_WIRES: readonly WireName[] = ["openai", "google"];

/** Collects faults of a document. */
export class Faults {
	readonly list: DocumentFault[] = [];

	add(path: Path, message: string, at: DocumentFault["at"] = "value"): void {
		this.list.push({ path, at, message });
	}

	/** Notes what a row lacks; true when it lacks nothing. */
	require(row: object, names: readonly string[], path: Path): boolean {
		const missing = names.filter((name) => !Object.hasOwn(row, name) || Reflect.get(row, name) === undefined);
		if (missing.length > 0) this.add(path, `needs ${missing.join(", ")}`);
		return missing.length === 0;
	}
}

/** Notes what two providers would share. */
export function checkTwins(provider: Provider, others: readonly Provider[], path: Path, faults: Faults): void {
	const [ownKey = ""] = keyVariableNames(provider);
	const twin = others.find((other) => keyVariableNames(other).includes(ownKey));
	if (twin) faults.add([...path, "id"], `its key would be ${ownKey}, which is that of ${twin.id}`);
	// Policies find providers by either.
	const names = ({ id, name }: Provider) => [id, name].map((known) => known.toLowerCase());
	const namesake = others.find((other) => names(other).some((name) => names(provider).includes(name)));
	if (namesake && !twin) faults.add([...path, "name"], `${quoteInput(provider.name)} is the name of ${namesake.id}`);
}

/** Notes a provider that there is not. */
export function checkProvider(id: string, path: Path, providers: ReadonlyMap<string, Provider>, faults: Faults): void {
	if (providers.has(id)) return;
	const hint = renderSuggestion(id, [...providers.keys()]);
	faults.add([...path, "provider"], `no provider is ${quoteInput(id)}${hint}`);
}

/** Notes what does not fit together in a model. */
export function checkModel(model: Model, path: Path, providers: ReadonlyMap<string, Provider>, faults: Faults): void {
	const { limits, reasoning, prices, audio } = model;
	const provider = providers.get(model.provider);
	if (provider && reasoning && !CONTROL_WIRES[reasoning.control].includes(provider.wire))
		faults.add(
			[...path, "reasoning", "control"],
			`is of the ${wordWires(CONTROL_WIRES[reasoning.control])}, and ${provider.id} speaks ${provider.wire}`,
		);
	if (provider && audio && !AUDIO_WIRES.includes(provider.wire))
		faults.add(
			[...path, "audio"],
			`is taken by the wires ${AUDIO_WIRES.join(" and ")}, and ${provider.id} speaks ${provider.wire}`,
		);
	for (const name of ["max_output_tokens", "max_input_tokens"] as const)
		if ((limits[name] ?? 0) > limits.context_window)
			faults.add([...path, "limits", name], `must be at most context_window, ${limits.context_window}`);
	const times = prices.map(({ effective_from }) => (effective_from === null ? 0 : Date.parse(effective_from)));
	if (times.some((time, index) => index > 0 && time <= (times[index - 1] ?? 0)))
		faults.add([...path, "prices"], "must be in the order of their effective_from");
}

/** A row of a model of any kind, by what it is called. */
export type NamedRow = Pick<ModelRow, "id" | "aliases" | "replaces">;

/** What spellings of ids mean before any row: what is shipped and not replaced, and words of lists. */
export function takenNames(
	rows: readonly NamedRow[],
	providers: readonly Provider[],
	shipped: Catalog,
): Map<string, string> {
	const replaced = new Set(rows.map(({ replaces }) => replaces));
	return new Map([
		...providers.map(({ id }) => [toSpelling(id), "a provider"] as const),
		...TIERS.map((tier) => [tier, "a tier"] as const),
		...[...shipped.models, ...shipped.encoders]
			.filter(({ id }) => !replaced.has(id))
			.map(({ id }) => [toSpelling(id), `the shipped model ${id}; say replaces: ${id} to change it`] as const),
		...ROUTED_IDS.map((id) => [id, "what a request says to be routed"] as const),
	]);
}

/** Notes ids that mean two things, in whatever spelling. */
export function checkIds(
	rows: readonly NamedRow[],
	models: readonly ({ id: string } | null)[],
	taken: Map<string, string>,
	faults: Faults,
): void {
	for (const [index, row] of rows.entries()) {
		const own = models[index]?.id ?? row.id;
		const names: [Path, string][] = [
			...(own === undefined ? [] : [[["id"], own] satisfies [Path, string]]),
			...(row.aliases ?? []).map((alias, at): [Path, string] => [["aliases", at], alias]),
			// It means the model that takes its place.
			...(row.replaces === undefined || row.replaces === own || row.aliases?.includes(row.replaces)
				? []
				: [[["replaces"], row.replaces] satisfies [Path, string]]),
		];
		for (const [member, id] of names) {
			const meaning = taken.get(toSpelling(id));
			if (meaning !== undefined) faults.add(["models", index, ...member], `${quoteInput(id)} is ${meaning}`);
			else taken.set(toSpelling(id), `already models.${[index, ...member].join(".")}`);
		}
	}
}

/** Notes shipped models whose place two rows take. */
export function checkReplaced(rows: readonly NamedRow[], faults: Faults): void {
	const first = new Map<string, number>();
	for (const [index, { replaces }] of rows.entries()) {
		if (replaces === undefined) continue;
		const other = first.get(replaces);
		if (other === undefined) first.set(replaces, index);
		else faults.add(["models", index, "replaces"], `models.${other} takes the place of ${replaces} already`);
	}
}
