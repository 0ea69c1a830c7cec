// Links from page to page of a list that is known whole.
import type { RowPage } from "../row-choice.ts";

interface PageLinksProps {
	path: string;
	query: URLSearchParams;
	part: Pick<RowPage<unknown>, "page" | "pages">;
	/** How many rows there are in all, in words: `24 of 200 keys`. */
	counted: string;
}

export function PageLinks({ path, query, part: { page, pages }, counted }: PageLinksProps) {
	const link = (to: number) => {
		const members = new URLSearchParams(query);
		members.delete("page");
		if (to > 1) members.set("page", String(to));
		return members.size === 0 ? path : `${path}?${members}`;
	};
	return (
		<nav class="pager" aria-label="Pages">
			<span>
				{counted}
				{pages > 1 ? `, page ${page} of ${pages}` : ""}
			</span>
			{page > 1 ? <a href={link(page - 1)}>Previous page</a> : null}
			{page < pages ? <a href={link(page + 1)}>Next page</a> : null}
		</nav>
	);
}
