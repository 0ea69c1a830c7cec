// The form above a list that narrows it. Its fields stand in the page's address, so that a list can be linked to.
import { Field } from "./parts.tsx";

export type Filter =
	| { name: string; label: string; hint?: string; options: readonly (readonly [value: string, label: string])[] }
	| { name: string; label: string; hint?: string; type: "text" | "date" };

/** @param query the page's, which the fields show. */
export function Filters({
	path,
	query,
	filters,
}: {
	path: string;
	query: URLSearchParams;
	filters: readonly Filter[];
}) {
	return (
		<form class="filters" method="get" action={path}>
			{filters.map((filter) => {
				const value = query.get(filter.name) ?? "";
				return (
					<Field name={filter.name} label={filter.label} {...(filter.hint === undefined ? {} : { hint: filter.hint })}>
						{(attributes) =>
							"options" in filter ? (
								<select {...attributes}>
									<option value="">any</option>
									{filter.options.map(([option, label]) => (
										<option value={option} selected={option === value}>
											{label}
										</option>
									))}
								</select>
							) : (
								<input {...attributes} type={filter.type} value={value} maxlength={200} />
							)
						}
					</Field>
				);
			})}
			<button type="submit" class="quiet">
				Show
			</button>
		</form>
	);
}
