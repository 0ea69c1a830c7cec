// `npm run pages`: builds the pages, for running wrangler by hand.
import { buildPages } from "./pages.ts";

await buildPages();
