// `npm run modules`: builds the modules beside the bundle, for running wrangler by hand.
import { buildModules } from "./modules.ts";

await buildModules();
