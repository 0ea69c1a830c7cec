// `npm run usage:check`: compares the meters' usage totals with the rows in D1, and prints one JSON object per user. Ends with
// status 1 when a user's totals differ or could not be compared.
import { parseArgs } from "node:util";
import { adminTokenFor, callOperator } from "./operator.ts";

interface UsageCheckPage {
	data: { agrees: boolean | null }[];
	next: string | null;
}

async function checkUsage(args: string[]): Promise<boolean> {
	const { values } = parseArgs({ args, options: { user: { type: "string" }, url: { type: "string" } } });
	const url = values.url ?? `http://127.0.0.1:${process.env["PORT"] ?? 8787}`;
	const token = adminTokenFor(values.url);
	let agrees = true;
	let users = 0;
	for (let after: string | null = ""; after !== null; ) {
		const query = new URLSearchParams({ after, ...(values.user === undefined ? {} : { user: values.user }) });
		const answer = (await callOperator(url, token, "GET", `/internal/usage/check?${query}`)) as UsageCheckPage;
		for (const user of answer.data) {
			console.log(JSON.stringify(user));
			agrees &&= user.agrees === true;
			users++;
		}
		after = answer.next;
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
