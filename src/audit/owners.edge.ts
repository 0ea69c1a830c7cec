// Records audit events, and reads events that D1 does not have yet from their owners. A user's meter lists the owners that
// hold any.
import type { KeyContext } from "../account/context.ts";
import { callObject } from "../durable/call-object.edge.ts";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import { logError } from "../http/log.edge.ts";
import type { MarkedOwner } from "../meter/meter-client.edge.ts";
import type { AuditEventRow } from "./event.ts";
import {
	type OwnerKey,
	type OwnerKind,
	ownerKeyPrefix,
	ownerObjectName,
	parseOwnerKey,
	type UnflushedEvents,
} from "./owner.ts";
import type { EventPageQuery } from "./page.ts";

/**
 * Owners read by one request. Each may return a page of 4 million characters, which the Worker holds beside D1's page in
 * 128 MB. With one retry each, this also stays far below the limit of 50 subrequests.
 */
export const MAX_OWNERS_READ = 5;

/** Owners flushed by one request when more are marked than it may read. Each returns a boolean only. */
const MAX_OWNERS_FLUSHED = 40;

/** The RPC stub of an owner's object. */
type OwnerStub = Pick<ReturnType<Env["WORKSPACE_LEDGER"]["getByName"]>, "unflushedEvents" | "catchUp">;

type OwnersContext = Pick<KeyContext, "account" | "meter" | "env" | "waitUntil">;

/** Calls an owner's object; retries once. */
function callOwner<T>(env: Env, userId: string, key: OwnerKey, call: (owner: OwnerStub) => Promise<T>): Promise<T> {
	const namespaces: Record<OwnerKind, { getByName(name: string): OwnerStub }> = {
		workspace: env.WORKSPACE_LEDGER,
		run: env.AGENT_RUN,
	};
	return callObject(namespaces[key.kind], ownerObjectName(userId, key), call);
}

/**
 * Records an event with its workspace. Once this returns, reads see the event.
 * @throws StorageUnavailableError when the owner cannot be reached. The event may then be recorded or not.
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
	message: `more than ${MAX_OWNERS_READ} of your workspaces and runs hold writes that the database has not taken yet, and an answer without them could be incomplete; ask about one workspace, or try again`,
};

/** Asks owners to flush. Never throws: an owner that could not flush stays marked. */
async function flushOwners(
	{ meter, env }: Pick<OwnersContext, "meter" | "env">,
	userId: string,
	marked: readonly MarkedOwner[],
): Promise<void> {
	const one = async ({ owner, mark }: MarkedOwner) => {
		const isCaughtUp = await callOwner(env, userId, parseOwnerKey(owner), async (stub) => await stub.catchUp());
		// An owner removes its own mark. This removes marks that a lost call left behind.
		if (isCaughtUp) await meter(userId).unmarkOwner(owner, mark);
		return isCaughtUp;
	};
	const [first, ...others] = marked;
	try {
		// The first owner goes alone, so that a D1 that is down is tried once per read.
		if (first && (await one(first))) await Promise.all(others.map(one));
	} catch (error) {
		logError("owners_not_caught_up", error);
	}
}

/** Flushes what a user's owners hold. Returns whether D1 then has everything, as far as the meter knows. */
export async function catchUpOwners(context: Pick<OwnersContext, "meter" | "env">, userId: string): Promise<boolean> {
	const own = context.meter(userId);
	await flushOwners(context, userId, await own.markedOwners("", MAX_OWNERS_FLUSHED));
	return (await own.markedOwners("", 1)).length === 0;
}

/**
 * Reads from every marked owner of the caller. When more than MAX_OWNERS_READ are marked, they are flushed first; if more than
 * that still hold rows, the read fails. Call this before reading D1, or read D1 again afterwards: a row may move there in
 * between.
 * @param kind restricts the owners to one kind; null reads all.
 * @throws StorageUnavailableError when the meter or an owner cannot be reached.
 */
export async function readFromOwners<T extends { idle: boolean }>(
	context: OwnersContext,
	kind: OwnerKind | null,
	ask: (key: OwnerKey) => Promise<T>,
): Promise<Result<T[]>> {
	const own = context.meter(context.account.userId);
	const markedOwners = (limit: number) => own.markedOwners(kind === null ? "" : ownerKeyPrefix(kind), limit);
	let marked = await markedOwners(MAX_OWNERS_FLUSHED);
	if (marked.length > MAX_OWNERS_READ) {
		await flushOwners(context, context.account.userId, marked);
		marked = await markedOwners(MAX_OWNERS_READ + 1);
	}
	if (marked.length > MAX_OWNERS_READ) return fail(tooManyOwners);
	const answers = marked.map(async ({ owner, mark }) => {
		const answer = await ask(parseOwnerKey(owner));
		if (answer.idle)
			context.waitUntil(own.unmarkOwner(owner, mark).catch((error) => logError("owner_unmark_failed", error)));
		return answer;
	});
	return ok(await Promise.all(answers));
}

/**
 * Events of a page that D1 may lack. A filter by workspace reads that workspace's owner and all runs; otherwise all marked
 * owners are read, and the meter. Call this before reading D1.
 * @throws StorageUnavailableError as readFromOwners does.
 */
export async function readUnflushedEvents(
	context: OwnersContext,
	query: EventPageQuery,
): Promise<Result<AuditEventRow[]>> {
	const { env, account } = context;
	const ask = (key: OwnerKey) =>
		callOwner<UnflushedEvents>(env, account.userId, key, async (owner) => await owner.unflushedEvents(query));
	const { workspaceId } = query.filter;
	if (workspaceId === undefined) {
		// Events of the meter's own belong to no workspace.
		const own = context.meter(account.userId).unflushedEvents();
		const [answers, events] = await Promise.all([readFromOwners(context, null, ask), own]);
		return answers.ok ? ok([...events, ...answers.value.flatMap((answer) => answer.events)]) : answers;
	}
	// A run holds its workspace's events until the workspace's owner has stored them.
	const answers = await readFromOwners(context, "run", ask);
	if (!answers.ok) return answers;
	const own = await ask({ kind: "workspace", id: workspaceId });
	return ok([...answers.value, own].flatMap(({ events }) => events));
}
