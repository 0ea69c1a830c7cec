// `npm run usage:check`: compares the meters' usage totals and the daily sums with the rows in D1, and prints one JSON object per
// user. Ends with status 1 when a user's sums differ or could not be compared.
import { parseArgs } from "node:util";
import { adminTokenFor, localServiceUrl, operatorPages } from "./operator.ts";

interface CheckedTotals {
	agrees: boolean | null;
}

async function checkUsage(args: string[]): Promise<boolean> {
	const { values } = parseArgs({ args, options: { user: { type: "string" }, url: { type: "string" } } });
	const url = values.url ?? localServiceUrl();
	const query: Record<string, string> = values.user === undefined ? {} : { user: values.user };
	let agrees = true;
	let users = 0;
	for await (const page of operatorPages<CheckedTotals>(
		url,
		adminTokenFor(values.url),
		"/internal/usage/check",
		query,
	)) {
		for (const user of page) {
			console.log(JSON.stringify(user));
			agrees &&= user.agrees === true;
			users++;
		}
	}
	if (users === 0 && values.user !== undefined) throw new Error(`there is no user ${values.user}`);
	return agrees;
}

checkUsage(process.argv.slice(2)).then(
	(agrees) => process.exit(agrees ? 0 : 1),
	(error: unknown) => {
		console.error(error instanceof Error ? error.message : error);
		process.exit(1);
	},
);
