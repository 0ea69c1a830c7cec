// The form above a list that narrows it. Its fields stand in the page's address, so that a list can be linked to.
import { Choices, Field } from "./parts.tsx";

interface NamedFilter {
	/** As the API's query takes it. */
	name: string;
	label: string;
}

export type FilterOptions = readonly (readonly [value: string, label: string])[];

export type Filter =
	| (NamedFilter & {
			options: FilterOptions;
			/** What the first option says, which narrows nothing; `any` by default. */
			none?: string;
	  })
	| (NamedFilter & { type: "text"; placeholder?: string })
	| (NamedFilter & { type: "date" });

/** When an entry began or was made, as all lists of what happened take it. */
export const TIME_FILTERS: readonly Filter[] = [
	{ name: "since", label: "From (UTC)", type: "date" },
	{ name: "until", label: "Before (UTC)", type: "date" },
];

/** The members of the API's query that a page's own stands for: its filters and its place in the list. */
export function queryMembers(query: URLSearchParams, filters: readonly Filter[]): Record<string, string> {
	const names = [...filters.map(({ name }) => name), "cursor"];
	return Object.fromEntries(names.map((name) => [name, query.get(name)?.trim() ?? ""]));
}

/** A browser's calendar takes days alone: a time of day, which a link may name, is shown as it is written. */
function inputType(filter: Exclude<Filter, { options: unknown }>, value: string): "text" | "date" {
	return filter.type === "date" && /^(?:\d{4}-\d\d-\d\d)?$/.test(value) ? "date" : "text";
}

interface FiltersProps {
	path: string;
	/** The page's, which the fields show. */
	query: URLSearchParams;
	filters: readonly Filter[];
}

export function Filters({ path, query, filters }: FiltersProps) {
	const isSet = filters.some(({ name }) => Boolean(query.get(name)));
	return (
		<form class="filters" method="get" action={path} aria-label="Filters">
			{filters.map((filter) => {
				const value = query.get(filter.name) ?? "";
				return (
					<Field name={filter.name} label={filter.label}>
						{(attributes) =>
							"options" in filter ? (
								<select {...attributes}>
									<Choices options={[["", filter.none ?? "any"], ...filter.options]} chosen={value} />
								</select>
							) : (
								<input
									{...attributes}
									type={inputType(filter, value)}
									value={value}
									maxlength={300}
									placeholder={"placeholder" in filter ? filter.placeholder : undefined}
									spellcheck={false}
								/>
							)
						}
					</Field>
				);
			})}
			<button type="submit" class="quiet">
				Show
			</button>
			{isSet ? (
				<a class="clear" href={path}>
					Clear
				</a>
			) : null}
		</form>
	);
}
