// `npm run assets`: writes the static assets, for runs of wrangler by hand.
import { buildAssets } from "./assets.ts";

await buildAssets();
