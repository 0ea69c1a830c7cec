// The script of the API page: shows `/openapi.json` in Swagger UI, which stands before it. It sends nothing but that request.
interface ViewerOptions {
	url: string;
	dom_id: string;
	validatorUrl: null;
	deepLinking: boolean;
	docExpansion: "list";
	defaultModelsExpandDepth: number;
	supportedSubmitMethods: readonly string[];
}

declare const SwaggerUIBundle: (options: ViewerOptions) => void;

const DARK_CLASS = "dark-mode";
const darkScheme = matchMedia("(prefers-color-scheme: dark)");

function applyScheme(): void {
	document.documentElement.classList.toggle(DARK_CLASS, darkScheme.matches);
}

applyScheme();
darkScheme.addEventListener("change", applyScheme);

SwaggerUIBundle({
	url: "/openapi.json",
	dom_id: "#api",
	// It would send the document's address to a host of its makers.
	validatorUrl: null,
	deepLinking: true,
	docExpansion: "list",
	defaultModelsExpandDepth: -1,
	supportedSubmitMethods: [],
});
