// `npm run types:client`: writes the client's types from the list of endpoints; with `--check` it only says whether they are current.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { renderClientTypes } from "./client-types.ts";
import { loadEndpoints } from "./endpoint-list.ts";

const FILE = "src/client/endpoint-types.ts";

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const text = renderClientTypes(await loadEndpoints());
if (!values.check) writeFileSync(FILE, text);
else if (readFileSync(FILE, "utf8") !== text) {
	console.error(`${FILE} is stale: run "npm run types:client"`);
	process.exitCode = 1;
}
