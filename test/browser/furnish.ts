// A user who has something of everything, so that every page of the console can be looked at.
import { CONSOLE_PAGES } from "../../src/console/pages.ts";
import type { TestService } from "../clients/support.ts";
import { type ConsoleIds, type FurnishedAccount, furnishAccount } from "../support/history/furnish.ts";

/** Answers of the console that are no page: a part of one, and what is to be saved. */
export const NO_PAGES: readonly string[] = [
	"requests_rows",
	"run_live",
	"run_stream",
	"workspace_chain_proof",
	"workspace_checkpoint",
];

export interface FurnishedUser extends FurnishedAccount {
	/** Every page of the console, the ones with ids as well; of some, in more than one state. */
	paths: string[];
}

function fillPath(path: string, ids: ConsoleIds): string {
	return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
		const id = ids[name];
		if (id === undefined) throw new Error(`${path} needs a ${name}, which this user does not have`);
		return encodeURIComponent(id);
	});
}

/** Each page that is read, with a user's ids in its path. */
function pagePaths(ids: ConsoleIds): string[] {
	return CONSOLE_PAGES.filter(({ id, method }) => method === "GET" && !NO_PAGES.includes(id)).map(({ path }) =>
		fillPath(path, ids),
	);
}

/** Makes a new user of the service, with a request, a run, a second key, a workspace with its chain and manifests, and a share. */
export async function furnishUser(service: TestService): Promise<FurnishedUser> {
	const account = await furnishAccount(service);
	const workspace = `/console/workspaces/${encodeURIComponent(account.ids["id"] ?? "")}`;
	return { ...account, paths: [...pagePaths(account.ids), `${workspace}/manifest?from=1&to=2`] };
}
