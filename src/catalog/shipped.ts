// The catalog that ships with the service: the data files, typed. Their prose, the *.sources.json beside them, stays out of the Worker.
import { createCatalog } from "./catalog.ts";
import modelsFile from "./models.json" with { type: "json" };
import providersFile from "./providers.json" with { type: "json" };
import type { Model, Provider } from "./schema.ts";

/** The 27 models and 12 providers of the service. */
export const CATALOG = createCatalog({
	version: modelsFile.version,
	// Trusted as they are: the files ship with the code, the catalog test checks them against schema.ts, and parsing them
	// here would take a fifth of the Worker's start-up.
	models: modelsFile.models as unknown as readonly Model[],
	providers: providersFile.providers as unknown as readonly Provider[],
	// The three cheapest budget models (docs/reference.md, "Plans").
	freeModels: ["llama-3.2-3b-instruct", "gpt-5-nano", "gemini-2.5-flash-lite"],
});
