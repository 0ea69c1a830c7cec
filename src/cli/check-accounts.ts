// `npm run check:accounts`: compares the sums of users' days with the rows that they count and with the operator's sums in D1, and prints one
// JSON object for each user and month or so. Ends with status 1 when sums differ or could not be compared.
import { parseArgs } from "node:util";
import { adminTokenFor, localServiceUrl, operatorPages } from "./operator.ts";

interface CheckedUser {
	agrees: boolean | null;
}

async function checkAccounts(args: string[]): Promise<boolean> {
	const { values } = parseArgs({ args, options: { user: { type: "string" }, url: { type: "string" } } });
	const url = values.url ?? localServiceUrl();
	const query: Record<string, string> = values.user === undefined ? {} : { user: values.user };
	let agrees = true;
	let users = 0;
	const pages = operatorPages<CheckedUser>(url, adminTokenFor(values.url), "/internal/accounts/check", query);
	for await (const page of pages) {
		for (const user of page) {
			console.log(JSON.stringify(user));
			agrees &&= user.agrees === true;
			users++;
		}
	}
	if (users === 0 && values.user !== undefined) throw new Error(`there is no user ${values.user}`);
	return agrees;
}

checkAccounts(process.argv.slice(2)).then(
	(agrees) => process.exit(agrees ? 0 : 1),
	(error: unknown) => {
		console.error(error instanceof Error ? error.message : error);
		process.exit(1);
	},
);
