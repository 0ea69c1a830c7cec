// The one way into the audit log, and the one way to what its owners hold and D1 does not have. A user's meter knows which
// owners to ask.
import type { KeyContext } from "../account/context.ts";
import type { MarkedOwner } from "../account/meter-client.edge.ts";
import { callTwice } from "../durable/call-object.edge.ts";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import { logError } from "../http/log.edge.ts";
import type { AuditEventRow } from "./event.ts";
import {
	type OwnerKey,
	type OwnerKind,
	ownerKeyOf,
	ownerObjectName,
	ownerPrefix,
	type UnflushedEvents,
} from "./owner.ts";
import type { PageQuery } from "./page.ts";

/**
 * Owners that one read asks. Each may answer with a page of 4 million characters, which the Worker holds beside D1's in its
 * 128 MB; and asking, each call repeated once, stays far below the 50 calls that a request may make.
 */
export const MOST_OWNERS_ASKED = 5;

/** The stub of an owner's object. */
type OwnerStub = Pick<ReturnType<Env["WORKSPACE_LEDGER"]["getByName"]>, "unflushedEvents" | "isIdle">;

type OwnersContext = Pick<KeyContext, "account" | "meter" | "env" | "waitUntil">;

/** Calls the object of an owner, and once more when that fails. */
function callOwner<T>(env: Env, userId: string, key: OwnerKey, call: (owner: OwnerStub) => Promise<T>): Promise<T> {
	const namespaces: Record<OwnerKind, { getByName(name: string): OwnerStub }> = {
		workspace: env.WORKSPACE_LEDGER,
		run: env.AGENT_RUN,
	};
	return callTwice(namespaces[key.kind], ownerObjectName(userId, key), call);
}

/**
 * Records an event with the workspace it belongs to. When this returns, reads see it.
 * @throws StorageUnavailableError when the owner could not be reached; the event may be recorded or not.
 */
export async function recordEvent(
	{ env }: Pick<KeyContext, "env">,
	key: OwnerKey & { kind: "workspace" },
	event: AuditEventRow,
): Promise<void> {
	const name = ownerObjectName(event.user_id, key);
	await callTwice(env.WORKSPACE_LEDGER, name, (owner) => owner.record(event, key));
}

const tooManyOwners: Failure = {
	reason: "storage_unavailable",
	message: `more than ${MOST_OWNERS_ASKED} of your workspaces and runs hold writes that the database has not taken yet, and an answer without them could be incomplete; ask about one workspace, or try again`,
};

/**
 * Asks every owner of the caller's, of one kind or of all, that may hold what D1 does not have; fails when they are more
 * than a few. Ask before D1 is read, or read D1 again afterwards: in between a row may have moved there.
 * @throws StorageUnavailableError when the meter or an owner could not be reached.
 */
export async function askOwners<T extends { idle: boolean }>(
	{ account: { userId }, meter, env, waitUntil }: OwnersContext,
	kind: OwnerKind | null,
	ask: (key: OwnerKey) => Promise<T>,
): Promise<Result<T[]>> {
	const own = meter(userId);
	const marked = await own.markedOwners(kind === null ? "" : ownerPrefix(kind), MOST_OWNERS_ASKED + 1);
	/** An owner takes its mark away itself; what a lost call or an earlier version left behind goes here. */
	const unmark = ({ owner, mark }: MarkedOwner) =>
		waitUntil(own.unmarkOwner(owner, mark).catch((error) => logError("owner_unmark_failed", error)));

	if (marked.length > MOST_OWNERS_ASKED) {
		// A call wakes an owner whose alarm was lost: whatever went wrong, enough reads put it right.
		const wake = marked.slice(0, MOST_OWNERS_ASKED).map(async (one) => {
			if (await callOwner(env, userId, ownerKeyOf(one.owner), async (owner) => await owner.isIdle())) unmark(one);
		});
		waitUntil(Promise.all(wake).catch((error) => logError("owners_not_woken", error)));
		return fail(tooManyOwners);
	}
	const answers = marked.map(async (one) => {
		const answer = await ask(ownerKeyOf(one.owner));
		if (answer.idle) unmark(one);
		return answer;
	});
	return ok(await Promise.all(answers));
}

/**
 * The caller's events of a page that D1 may lack: those of one workspace's owner where the filter names one, else of all
 * owners that are marked; fails when they are more than a few. To be read before D1.
 * @throws StorageUnavailableError as askOwners.
 */
export async function readUnflushed(context: OwnersContext, query: PageQuery): Promise<Result<AuditEventRow[]>> {
	const { env, account } = context;
	const ask = (key: OwnerKey) =>
		callOwner<UnflushedEvents>(env, account.userId, key, async (owner) => await owner.unflushedEvents(query));
	const { workspaceId } = query.filter;
	if (workspaceId === undefined) {
		const answers = await askOwners(context, null, ask);
		return answers.ok ? ok(answers.value.flatMap(({ events }) => events)) : answers;
	}
	// A run holds events of its workspace until the workspace's owner has taken them.
	const answers = await askOwners(context, "run", ask);
	if (!answers.ok) return answers;
	const own = await ask({ kind: "workspace", id: workspaceId });
	return ok([...answers.value, own].flatMap(({ events }) => events));
}
