// Programs that download and programs that send, by transfers.json.
import transfersFile from "./transfers.json" with { type: "json" };

function programsThat(...deeds: readonly string[]): ReadonlySet<string> {
	const rows = Object.entries(transfersFile.programs);
	return new Set(rows.flatMap(([name, row]) => (row.split(" ").some((deed) => deeds.includes(deed)) ? name : [])));
}

/** Programs that print or write what they fetch. */
export const DOWNLOADERS = programsThat("downloads");

/** Programs that send requests. Their headers and addresses carry a client's credentials as a matter of course. */
export const REQUEST_SENDERS = programsThat("requests");

/** All programs that send what they read or are given. */
export const SENDERS = programsThat("requests", "sends");
