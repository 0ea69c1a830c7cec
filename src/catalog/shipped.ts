// The catalog that ships with the service: the data files, typed. The *.sources.json files beside them stay out of the
// Worker.
import { createCatalog } from "./catalog.ts";
import type { EncoderModel } from "./encoder.ts";
import encodersFile from "./encoders.json" with { type: "json" };
import modelsFile from "./models.json" with { type: "json" };
import providersFile from "./providers.json" with { type: "json" };
import type { Model, Provider } from "./schema.ts";

/** The models and providers of the service. */
export const CATALOG = createCatalog({
	version: modelsFile.version,
	testEase: modelsFile.test_ease,
	// The files are not parsed here, because they ship with the code and the catalog test checks them against
	// schema.ts. Parsing would take a fifth of the Worker's start-up.
	models: modelsFile.models as unknown as readonly Model[],
	encoders: encodersFile.encoders as unknown as readonly EncoderModel[],
	providers: providersFile.providers as unknown as readonly Provider[],
	// The three cheapest budget models (docs/reference/keys.md, "Plans").
	freeModels: ["llama-3.2-3b-instruct", "gpt-5-nano", "gemini-2.5-flash-lite"],
});
