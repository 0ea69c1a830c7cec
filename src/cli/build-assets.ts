// `npm run assets`: writes the static assets, for whoever runs wrangler by hand.
import { buildAssets } from "./assets.ts";

await buildAssets();
