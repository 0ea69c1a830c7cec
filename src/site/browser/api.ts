// The script of the API page: shows `/openapi.json` in Swagger UI, which stands before it. It sends nothing but that request.
interface ViewerOptions {
	url: string;
	dom_id: string;
	validatorUrl: null;
	docExpansion: "list";
	defaultModelsExpandDepth: number;
	supportedSubmitMethods: readonly string[];
	syntaxHighlight: false;
	onComplete(): void;
}

declare const SwaggerUIBundle: (options: ViewerOptions) => void;

const DARK_CLASS = "dark-mode";
const darkScheme = matchMedia("(prefers-color-scheme: dark)");

function applyScheme(): void {
	document.documentElement.classList.toggle(DARK_CLASS, darkScheme.matches);
}

applyScheme();
darkScheme.addEventListener("change", applyScheme);

/** Lets the keyboard reach what scrolls. */
new MutationObserver(() => {
	for (const scrolling of document.querySelectorAll<HTMLElement>("#api pre:not([tabindex])")) scrolling.tabIndex = 0;
}).observe(document.body, { childList: true, subtree: true });

/** The address of an endpoint within the page: method and path, as the search index has it. */
function addressOf(block: Element): string {
	const method = block.querySelector(".opblock-summary-method")?.textContent ?? "";
	return `${method}${block.querySelector(".opblock-summary-path")?.getAttribute("data-path") ?? ""}`;
}

/** The endpoint that the page's address names; undefined for none. */
function findAddressed(): Element | undefined {
	const blocks = [...document.querySelectorAll("#api .opblock")];
	return blocks.find(
		(block) => `#${encodeURI(addressOf(block))}` === location.hash || `#${block.id}` === location.hash,
	);
}

/** Opens the endpoint that the address names, and leads the keyboard there. */
function showAddressed(): void {
	const block = findAddressed();
	const control = block?.querySelector<HTMLElement>(".opblock-summary-control");
	if (!block || !control) return;
	if (control.getAttribute("aria-expanded") === "false") control.click();
	block.scrollIntoView();
	control.focus({ preventScroll: true });
}

addEventListener("hashchange", showAddressed);

/** An endpoint that a person opens can be linked to from then on. */
document.addEventListener("click", ({ target }) => {
	const control = target instanceof Element ? target.closest("#api .opblock-summary") : null;
	const block = control?.closest(".opblock");
	if (block) history.replaceState(null, "", `#${encodeURI(addressOf(block))}`);
});

SwaggerUIBundle({
	url: "/openapi.json",
	dom_id: "#api",
	// It would send the document's address to a host of its makers.
	validatorUrl: null,
	docExpansion: "list",
	defaultModelsExpandDepth: -1,
	supportedSubmitMethods: [],
	// Its colours are too pale to be read.
	syntaxHighlight: false,
	// Its own links to endpoints would stand inside of buttons.
	onComplete: showAddressed,
});
