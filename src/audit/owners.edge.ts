// The one way into the audit log, and the one way to what its owners hold and D1 does not have. A user's meter knows which
// owners to ask.
import type { KeyContext } from "../account/context.ts";
import { callObject } from "../durable/call-object.edge.ts";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import { logError } from "../http/log.edge.ts";
import type { MarkedOwner } from "../meter/meter-client.edge.ts";
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

/** Owners that one read has catch up where more are marked than it asks: each answers with one word, and holds nothing here. */
const MOST_OWNERS_CAUGHT_UP = 40;

/** The stub of an owner's object. */
type OwnerStub = Pick<ReturnType<Env["WORKSPACE_LEDGER"]["getByName"]>, "unflushedEvents" | "catchUp">;

type OwnersContext = Pick<KeyContext, "account" | "meter" | "env" | "waitUntil">;

/** Calls the object of an owner, and once more when that fails. */
function callOwner<T>(env: Env, userId: string, key: OwnerKey, call: (owner: OwnerStub) => Promise<T>): Promise<T> {
	const namespaces: Record<OwnerKind, { getByName(name: string): OwnerStub }> = {
		workspace: env.WORKSPACE_LEDGER,
		run: env.AGENT_RUN,
	};
	return callObject(namespaces[key.kind], ownerObjectName(userId, key), call);
}

/**
 * Records an event with the workspace it belongs to. When this returns, reads see it.
 * @throws StorageUnavailableError when the owner could not be reached; the event may be recorded or not.
 */
export async function recordAuditEvent(
	{ env }: Pick<KeyContext, "env">,
	key: OwnerKey & { kind: "workspace" },
	event: AuditEventRow,
): Promise<void> {
	const name = ownerObjectName(event.user_id, key);
	await callObject(env.WORKSPACE_LEDGER, name, (owner) => owner.record(event, key));
}

const tooManyOwners: Failure = {
	reason: "storage_unavailable",
	message: `more than ${MOST_OWNERS_ASKED} of your workspaces and runs hold writes that the database has not taken yet, and an answer without them could be incomplete; ask about one workspace, or try again`,
};

/** Has owners hand on what they hold, if D1 takes it. Never throws: what stays behind stays marked. */
async function catchUp(
	{ account: { userId }, meter, env }: OwnersContext,
	marked: readonly MarkedOwner[],
): Promise<void> {
	const one = async ({ owner, mark }: MarkedOwner) => {
		const isCaughtUp = await callOwner(env, userId, ownerKeyOf(owner), async (stub) => await stub.catchUp());
		// An owner takes its mark away itself; what a lost call left behind goes here.
		if (isCaughtUp) await meter(userId).unmarkOwner(owner, mark);
		return isCaughtUp;
	};
	const [first, ...others] = marked;
	try {
		// One tries for all, so that an absent D1 is asked once per read.
		if (first && (await one(first))) await Promise.all(others.map(one));
	} catch (error) {
		logError("owners_not_caught_up", error);
	}
}

/**
 * Asks every owner of the caller's, of one kind or of all, that may hold what D1 does not have. Where they are more than a
 * few, they are made to catch up first; fails when a few more than that stay behind. Ask before D1 is read, or read D1 again
 * afterwards: in between a row may have moved there.
 * @throws StorageUnavailableError when the meter or an owner could not be reached.
 */
export async function readFromOwners<T extends { idle: boolean }>(
	context: OwnersContext,
	kind: OwnerKind | null,
	ask: (key: OwnerKey) => Promise<T>,
): Promise<Result<T[]>> {
	const own = context.meter(context.account.userId);
	const markedOwners = (limit: number) => own.markedOwners(kind === null ? "" : ownerPrefix(kind), limit);
	let marked = await markedOwners(MOST_OWNERS_CAUGHT_UP);
	if (marked.length > MOST_OWNERS_ASKED) {
		await catchUp(context, marked);
		marked = await markedOwners(MOST_OWNERS_ASKED + 1);
	}
	if (marked.length > MOST_OWNERS_ASKED) return fail(tooManyOwners);
	const answers = marked.map(async ({ owner, mark }) => {
		const answer = await ask(ownerKeyOf(owner));
		if (answer.idle)
			context.waitUntil(own.unmarkOwner(owner, mark).catch((error) => logError("owner_unmark_failed", error)));
		return answer;
	});
	return ok(await Promise.all(answers));
}

/**
 * The caller's events of a page that D1 may lack: those of one workspace's owner where the filter names one, else of all
 * owners that are marked; fails when they are more than a few. To be read before D1.
 * @throws StorageUnavailableError as readFromOwners.
 */
export async function readUnflushed(context: OwnersContext, query: PageQuery): Promise<Result<AuditEventRow[]>> {
	const { env, account } = context;
	const ask = (key: OwnerKey) =>
		callOwner<UnflushedEvents>(env, account.userId, key, async (owner) => await owner.unflushedEvents(query));
	const { workspaceId } = query.filter;
	if (workspaceId === undefined) {
		const answers = await readFromOwners(context, null, ask);
		return answers.ok ? ok(answers.value.flatMap(({ events }) => events)) : answers;
	}
	// A run holds events of its workspace until the workspace's owner has taken them.
	const answers = await readFromOwners(context, "run", ask);
	if (!answers.ok) return answers;
	const own = await ask({ kind: "workspace", id: workspaceId });
	return ok([...answers.value, own].flatMap(({ events }) => events));
}
