// The site's script: searches documents and endpoints, by the keyboard too. Pages are whole without it.
import { type FoundSection, type IndexedSection, searchSections } from "../search.ts";

const form = document.querySelector<HTMLFormElement>("#search");
const input = document.querySelector<HTMLInputElement>("#query");
const panel = document.querySelector<HTMLElement>("#found");
const status = document.querySelector<HTMLElement>("#found-status");
const list = document.querySelector<HTMLOListElement>("#found-list");

let index: Promise<IndexedSection[]> | null = null;

/** Reads the index once; after a failure the next attempt reads it again. */
function loadIndex(path: string): Promise<IndexedSection[]> {
	index ??= fetch(path)
		.then((response) => {
			if (!response.ok) throw new Error(`the search index answered ${response.status}`);
			return response.json() as Promise<IndexedSection[]>;
		})
		.catch((error: unknown) => {
			index = null;
			throw error;
		});
	return index;
}

function element(name: string, className: string, ...content: (Node | string)[]): HTMLElement {
	const made = document.createElement(name);
	if (className) made.className = className;
	made.append(...content);
	return made;
}

function toItem({ url, title, page, snippet }: FoundSection): HTMLElement {
	const parts = snippet.map((part, position) => (position % 2 === 1 ? element("mark", "", part) : part));
	const link = element(
		"a",
		"",
		element("strong", "", title),
		element("span", "page", page),
		element("span", "snippet", ...parts),
	);
	link.setAttribute("href", url);
	return element("li", "", link);
}

if (form && input && panel && status && list) {
	const indexPath = form.dataset["index"] ?? "";
	form.hidden = false;

	const show = async (): Promise<void> => {
		const query = input.value;
		if (query.trim() === "") {
			panel.hidden = true;
			return;
		}
		try {
			const found = searchSections(await loadIndex(indexPath), query);
			// A later keystroke may have been answered first.
			if (input.value !== query) return;
			list.replaceChildren(...found.map(toItem));
			status.textContent =
				found.length === 0
					? `Nothing found for “${query.trim()}”.`
					: `${found.length} result${found.length === 1 ? "" : "s"}`;
		} catch {
			list.replaceChildren();
			status.textContent = "The search index could not be read. Try again.";
		}
		panel.hidden = false;
	};

	const close = (): void => {
		panel.hidden = true;
	};

	/** Moves between the field and the results, with the field before the first. */
	const move = (step: 1 | -1): void => {
		const links: (Element | null)[] = [...list.querySelectorAll("a")];
		const position = links.indexOf(document.activeElement);
		const next = position + step;
		if (next < 0) input.focus();
		else list.querySelectorAll("a")[Math.min(next, links.length - 1)]?.focus();
	};

	input.addEventListener("focus", () => void loadIndex(indexPath).catch(() => {}));
	input.addEventListener("input", () => void show());
	form.addEventListener("submit", (event) => {
		event.preventDefault();
		void show().then(() => list.querySelector("a")?.click());
	});
	form.addEventListener("keydown", (event) => {
		if (event.key === "ArrowDown" || event.key === "ArrowUp") {
			if (panel.hidden) return;
			event.preventDefault();
			move(event.key === "ArrowDown" ? 1 : -1);
		} else if (event.key === "Escape") {
			close();
			input.focus();
		}
	});
	// A result on the same page leads away from the list as well.
	list.addEventListener("click", close);
	document.addEventListener("click", (event) => {
		if (event.target instanceof Node && !form.contains(event.target)) close();
	});
	form.addEventListener("focusout", (event) => {
		if (event.relatedTarget instanceof Node && !form.contains(event.relatedTarget)) close();
	});
	document.addEventListener("keydown", (event) => {
		const typing =
			event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable]");
		if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || typing) return;
		event.preventDefault();
		input.focus();
		input.select();
	});
}
