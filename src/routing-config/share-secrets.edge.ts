// Finds what looks like a secret in a routing config before it is shared, because anybody can read a share.
import { plainConversation } from "../compliance/conversation.ts";
import { type FoundSecret, findSecrets } from "../compliance/find-secrets.ts";
import { scanConversation } from "../compliance/scans.edge.ts";
import type { SecretPlace } from "../failure.ts";
import { loadDetector } from "../load-detector.ts";
import type { Steps } from "../turns/steps.ts";
import type { TurnOwner } from "../turns/turns.edge.ts";
import type { ConfigInput } from "./config-input.ts";
import { pathName } from "./read.ts";
import type { SharedConfig } from "./share.ts";

/** Places that a refusal names. */
const MAX_PLACES = 20;

/** The line and the column of an offset, both from 1. */
function toPosition(text: string, offset: number): { line: number; column: number } {
	const before = text.slice(0, offset);
	const line = before.split("\n").length;
	return { line, column: offset - before.lastIndexOf("\n") };
}

function toPlace({ path, kind, start }: FoundSecret, text: string | null): SecretPlace {
	const position = text === null ? { line: null, column: null } : toPosition(text, start);
	return { path: pathName(path), ...position, kind };
}

/**
 * The places of secrets in what a share would show: in a text by line and column, else by path. What escapes in a text hide is
 * found in the parsed config and in its errors.
 */
export async function findShareSecrets(
	{ brain_md, brain_config }: ConfigInput,
	{ title, config, errors }: Pick<SharedConfig, "title" | "config" | "errors">,
	owner: TurnOwner,
): Promise<SecretPlace[]> {
	const { secretSpans } = await loadDetector();
	const find = (value: unknown) => {
		const text = JSON.stringify(value);
		function* findInOneTurn(): Steps<FoundSecret[]> {
			const found = findSecrets(value, secretSpans);
			yield text.length;
			return found;
		}
		return scanConversation(plainConversation(text), findInOneTurn, owner);
	};
	const inTitle = (await find({ title })).map((secret) => toPlace(secret, null));
	const inText = (await find({ brain_md })).map((secret) => toPlace(secret, brain_md ?? ""));
	const parsed = inText.length > 0 ? [] : await find(brain_md == null ? { brain_config } : { config, errors });
	return [...inTitle, ...inText, ...parsed.map((secret) => toPlace(secret, null))].slice(0, MAX_PLACES);
}
