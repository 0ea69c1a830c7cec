// `npm run docs:fields`: writes the field tables, endpoint lists and examples of the reference; what stands around them is by hand.
import { writeFileSync } from "node:fs";
import { RECORDED_EXAMPLES } from "../site/examples.ts";
import { loadEndpoints } from "./endpoint-list.ts";
import { fillBlocks } from "./reference/blocks.ts";
import { readReferencePages, toPageFile } from "./reference/pages.ts";

const pages = readReferencePages(".");
const filled = fillBlocks(pages, { endpoints: await loadEndpoints(), exchanges: RECORDED_EXAMPLES });
const changed = filled.filter(({ markdown }, position) => markdown !== pages[position]?.markdown);
for (const page of changed) writeFileSync(toPageFile(page), page.markdown);
console.log(`${changed.length} of ${pages.length} pages of the reference have changed`);
