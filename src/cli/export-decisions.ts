// `npm run export:decisions`: prints what was decided for each request, its cost and its user's feedback, one JSON object per line.
import { parseArgs } from "node:util";
import { adminTokenFor, localServiceUrl, operatorPages } from "./operator.ts";

async function exportDecisions(args: string[]): Promise<void> {
	const { values } = parseArgs({ args, options: { url: { type: "string" } } });
	const url = values.url ?? localServiceUrl();
	for await (const page of operatorPages<object>(url, adminTokenFor(values.url), "/internal/decisions")) {
		for (const decision of page) console.log(JSON.stringify(decision));
	}
}

exportDecisions(process.argv.slice(2)).catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
