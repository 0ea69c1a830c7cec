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
	// Its own links to endpoints would stand inside of buttons. Every endpoint has an id all the same.
	onComplete() {
		document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
	},
});
