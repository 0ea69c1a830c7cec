// Keeps texts of requests, and reads them: sealed under a key that follows from their user's data key. Whether a policy forbids it, those
// above decide.
import type { KeyContext } from "../account/context.ts";
import { logError } from "../http/log.edge.ts";
import { withDeadline } from "../in-time.edge.ts";
import { parseJson } from "../json.ts";
import { DAY_MS } from "../meter/budget-period.ts";
import { type KeptTexts, keptTextsName, type RequestTexts, toKeptTexts } from "../meter/kept-texts.ts";
import { meterClient } from "../meter/meter-client.edge.ts";
import { userSeal } from "../meter/user-seal.edge.ts";
import type { Settings } from "../settings.ts";

/** A settlement waits this long for its texts. */
const KEEP_TIMEOUT_MS = 2_000;

/** Whose texts are kept. */
export interface TextsOwner {
	userId: string;
	requestId: string;
}

/** Whether texts of a key's requests are kept: where both the operator and the key's owner want it. */
export function keepsTexts(settings: Pick<Settings, "logTextsDays">, { logsTexts }: { logsTexts: boolean }): boolean {
	return logsTexts && settings.logTextsDays > 0;
}

async function keep(env: Env, { userId, requestId }: TextsOwner, days: number, texts: RequestTexts): Promise<void> {
	const seal = await userSeal(env, userId);
	const sealed = await seal.seal(keptTextsName(requestId), JSON.stringify(toKeptTexts(texts)));
	const expiresAtMs = Date.now() + days * DAY_MS;
	await meterClient(env.ACCOUNT_METER, userId).keepTexts({ requestId, sealed: sealed.buffer, expiresAtMs });
}

/** Keeps the texts of a request. Never throws: a request is answered whether its texts are kept or not. */
export async function keepTexts(
	env: Env,
	owner: TextsOwner,
	{ logTextsDays }: Pick<Settings, "logTextsDays">,
	texts: RequestTexts,
): Promise<void> {
	const fields = { request_id: owner.requestId };
	const kept = keep(env, owner, logTextsDays, texts).catch((error: unknown) => {
		logError("texts_not_kept", error, fields);
	});
	await withDeadline(kept, KEEP_TIMEOUT_MS, () => undefined);
}

/** The texts of a request and when they expire, ms since the epoch; null where none are kept. */
export async function readTexts(
	{ env, meter }: Pick<KeyContext, "env" | "meter">,
	{ userId, requestId }: TextsOwner,
): Promise<{ texts: KeptTexts; expiresAtMs: number } | null> {
	const found = await meter(userId).texts(requestId);
	if (!found) return null;
	const seal = await userSeal(env, userId);
	const text = await seal.open(keptTextsName(requestId), new Uint8Array(found.sealed));
	// Sealed under another pepper, it does not open any more.
	return text === null ? null : { texts: parseJson(text) as KeptTexts, expiresAtMs: found.expiresAtMs };
}
