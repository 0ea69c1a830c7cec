// Pages that list what the API lists: their filters, a table, and the way to the rest.
import type { Child } from "hono/jsx";
import { type ApiAnswer, withQuery } from "./api.ts";
import type { ConsolePage, PageRequest, SectionId } from "./page.ts";
import { type Filter, type FilterOptions, Filters, queryMembers } from "./views/filters.tsx";
import { type Column, Failure, Pager, SearchedBackTo, Table } from "./views/parts.tsx";

/** Part of a list, as the API answers with it. */
interface ListPart<Row> {
	next_cursor: string | null;
	/** Where a search has stopped for now; null at its end. Only of lists that stop. */
	searched_back_to?: string | null;
	data: Row[];
}

interface ListPageParts<Row, Loaded> {
	id: string;
	section: SectionId;
	title: string;
	path: ConsolePage["path"];
	/** The API's path, with what the page always asks for. */
	apiPath: string;
	apiMembers?: Readonly<Record<string, string | number>>;
	filters: readonly Filter[];
	/** What the page needs besides its entries, read at the same time. */
	load?(request: PageRequest): Promise<Loaded>;
	/** Options of filters that only what was loaded tells, by the filter's name. */
	options?(loaded: Loaded): Readonly<Record<string, FilterOptions>>;
	/** What an entry is called. */
	noun: string;
	lead: string;
	/** What may be done, beside the title. */
	actions?(request: PageRequest): Child;
	/** What stands before the filters. */
	note?(request: PageRequest, loaded: Loaded): Child;
	caption: string;
	columns(request: PageRequest, loaded: Loaded): readonly Column<Row>[];
	/** Instead of the table where there is no entry at all. */
	empty: Child;
}

interface NothingProps {
	part: ListPart<unknown>;
	list: Pick<ListPageParts<unknown, unknown>, "noun" | "path" | "filters" | "empty">;
	query: URLSearchParams;
}

/** Instead of a table without rows: what there is to do, or that nothing matches. */
function Nothing({ part, list, query }: NothingProps) {
	const isNarrowed = Object.values(queryMembers(query, list.filters)).some((value) => value !== "");
	if (!isNarrowed) return <>{list.empty}</>;
	return (
		<p>
			No {list.noun} matches{part.searched_back_to ? " so far" : ""}. <a href={list.path}>Show all</a>
		</p>
	);
}

interface EntriesProps<Row> {
	answer: ApiAnswer<ListPart<Row>>;
	list: Pick<ListPageParts<unknown, unknown>, "noun" | "path" | "filters" | "empty" | "caption">;
	columns: readonly Column<Row>[];
	query: URLSearchParams;
}

function Entries<Row>({ answer, list, columns, query }: EntriesProps<Row>) {
	if (!answer.ok) return <Failure failure={answer.failure} />;
	const { path, caption } = list;
	const part = answer.value;
	return (
		<>
			<Table
				caption={caption}
				rows={part.data}
				columns={columns}
				empty={<Nothing part={part} list={list} query={query} />}
			/>
			<SearchedBackTo time={part.searched_back_to} />
			<Pager path={path} query={query} nextCursor={part.next_cursor} />
		</>
	);
}

/** A page that shows a list of the API part by part. Its filters are those of the API's query. */
export function listPage<Row, Loaded = undefined>(list: ListPageParts<Row, Loaded>): ConsolePage {
	const { id, section, title, path, apiPath, apiMembers, filters, lead, actions, note } = list;
	return {
		id,
		method: "GET",
		path,
		async handle(request) {
			const { api, query } = request;
			const members = { ...queryMembers(query, filters), ...apiMembers };
			const [answer, loaded] = await Promise.all([
				api.get<ListPart<Row>>(withQuery(apiPath, members)),
				// A page that loads nothing says so in its type.
				list.load?.(request) as Promise<Loaded>,
			]);
			const told = list.options?.(loaded) ?? {};
			const shownFilters = filters.map((filter) => {
				const options = told[filter.name];
				return options ? { ...filter, options } : filter;
			});
			return {
				kind: "page",
				title,
				section,
				lead,
				actions: actions?.(request),
				status: answer.ok ? 200 : answer.failure.status,
				content: (
					<>
						{note?.(request, loaded)}
						{filters.length === 0 ? null : <Filters path={path} query={query} filters={shownFilters} />}
						<Entries answer={answer} list={list} columns={list.columns(request, loaded)} query={query} />
					</>
				),
			};
		},
	};
}
