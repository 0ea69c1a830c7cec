// Reads the rows of all objects in pages, and puts them back.

import * as z from "zod";
import type { ServiceContext } from "../account/context.ts";
import type { RunPage } from "../agents/run/agent-run.object.ts";
import { catchUpOwners } from "../audit/owners.edge.ts";
import type { BackedUpObject } from "../durable/backed-up-object.edge.ts";
import { callObject } from "../durable/call-object.edge.ts";
import type { ObjectPage } from "../durable/object-rows.edge.ts";
import type { BackupPart, PartVerdict } from "../durable/restored-rows.edge.ts";
import { StorageUnavailableError } from "../failure.ts";
import { OBJECT_CLASSES, type ObjectClass, type ObjectRecord } from "./backup.ts";
import { listObjects, type ObjectPlace } from "./objects.store.ts";

type ObjectStub = DurableObjectStub<BackedUpObject>;

function namespaceOf(env: Env, kind: ObjectClass): { getByName(name: string): ObjectStub } {
	const namespaces = {
		AccountMeter: env.ACCOUNT_METER,
		WorkspaceLedger: env.WORKSPACE_LEDGER,
		AgentRun: env.AGENT_RUN,
		StoredResponses: env.STORED_RESPONSES,
		RequestArchive: env.REQUEST_ARCHIVE,
	};
	// They share these methods; the types of the stubs do not say so.
	return namespaces[kind] as unknown as { getByName(name: string): ObjectStub };
}

function call<T>(env: Env, kind: ObjectClass, name: string, ask: (stub: ObjectStub) => Promise<T>): Promise<T> {
	return callObject(namespaceOf(env, kind), name, ask);
}

/** Objects that are read at once, and as many are listed at once. */
const READ_AT_ONCE = 5;
/** JSON of the objects of one page, characters; it ends after the object that reaches this. */
const OBJECT_PAGE_CHARS = 1_000_000;
/** How often a page lists objects: an invocation may make 1,000 calls, and a user's objects take up to a hundred. */
const LISTS_PER_PAGE = 5;
/** How often an object of several pages may begin anew, as after a migration of its tables. */
const MOST_TRIES = 20;

/** See ObjectPlace. */
const placeSchema = z.lazy(() => z.strictObject({ name: z.string(), userId: z.string(), key: z.array(z.string()) }));

/** Between two pages. */
export const pagePositionSchema = z.lazy(() =>
	z.strictObject({
		kind: z.enum(OBJECT_CLASSES),
		/** The last object that was read, whole or in part; null before the first one. */
		key: z.array(z.string()).nullable(),
		/** The rest of that object. */
		rest: z
			.strictObject({
				place: placeSchema,
				/** `next` of its last page. */
				after: z.string(),
				/** The number of its next page. */
				part: z.int(),
				tries: z.int(),
			})
			.optional(),
	}),
);
type PagePosition = z.infer<typeof pagePositionSchema>;

export interface ObjectRecordPage {
	records: ObjectRecord[];
	/** `after` of the next page; null on the last one. */
	next: string | null;
}

function toRecord(kind: ObjectClass, name: string, page: ObjectPage & Pick<RunPage, "mirror">, part: number) {
	const { version, rows, takenAtMs, mirror } = page;
	const record: ObjectRecord = { class: kind, name, part, version, taken_at_ms: takenAtMs, rows };
	return mirror ? { ...record, mirror: { ...mirror } } : record;
}

async function readPage(env: Env, kind: ObjectClass, name: string, after: string | null): Promise<RunPage> {
	return call(env, kind, name, async (stub) => (await stub.readRows(after)) as RunPage);
}

/** The first page of an object, after it has given D1 what D1 lacks. */
async function readFirst(context: ServiceContext, kind: ObjectClass, { name, userId }: ObjectPlace): Promise<RunPage> {
	if (kind === "AccountMeter") {
		await context.meter(userId).flushNow();
		if (!(await catchUpOwners(context, userId)))
			throw new StorageUnavailableError("the database lacks rows that objects hold");
	}
	return readPage(context.env, kind, name, null);
}

/** The next page of an object's rows, which may be its first one again. */
async function readRest(
	{ env }: ServiceContext,
	{ kind, key, rest }: PagePosition & { rest: NonNullable<PagePosition["rest"]> },
): Promise<{ records: ObjectRecord[]; position: PagePosition }> {
	const page = await readPage(env, kind, rest.place.name, rest.after);
	const tries = page.isFirst ? rest.tries + 1 : rest.tries;
	if (tries > MOST_TRIES) throw new StorageUnavailableError("an object cannot be read to its end");
	const part = page.isFirst ? 0 : rest.part;
	const records = [toRecord(kind, rest.place.name, page, part)];
	if (page.next === null) return { records, position: { kind, key } };
	return { records, position: { kind, key, rest: { ...rest, after: page.next, part: part + 1, tries } } };
}

/** The object that says which run the idempotency key of a run names. */
async function readClaim({ env }: ServiceContext, { claim }: RunPage): Promise<ObjectRecord[]> {
	return claim === undefined ? [] : [toRecord("AgentRun", claim, await readPage(env, "AgentRun", claim, null), 0)];
}

/** Objects behind a position, and the position behind them. */
async function readNext(
	context: ServiceContext,
	{ kind, key, rest }: PagePosition,
): Promise<{ records: ObjectRecord[]; position: PagePosition | null }> {
	if (rest) return readRest(context, { kind, key, rest });
	const places = await listObjects(context.db, kind, key, READ_AT_ONCE);
	if (places.length === 0) {
		const next = OBJECT_CLASSES[OBJECT_CLASSES.indexOf(kind) + 1];
		return { records: [], position: next ? { kind: next, key: null } : null };
	}
	const pages = await Promise.all(places.map((place) => readFirst(context, kind, place)));
	const records: ObjectRecord[] = [];
	let position: PagePosition = { kind, key };
	for (const [index, place] of places.entries()) {
		const page = pages[index];
		// Those behind an object of several pages are read again after it.
		if (!page || position.rest) break;
		if (page.version > 0) records.push(toRecord(kind, place.name, page, 0));
		records.push(...(await readClaim(context, page)));
		position = { kind, key: place.key };
		if (page.next !== null) position.rest = { place, after: page.next, part: 1, tries: 0 };
	}
	return { records, position };
}

/** A page of all objects. @param after where the page before ended; null for the first. */
export async function readObjects(context: ServiceContext, after: PagePosition | null): Promise<ObjectRecordPage> {
	let position: PagePosition | null = after ?? { kind: OBJECT_CLASSES[0], key: null };
	const records: ObjectRecord[] = [];
	let chars = 0;
	for (let lists = 0; position && lists < LISTS_PER_PAGE && chars < OBJECT_PAGE_CHARS; lists++) {
		const read = await readNext(context, position);
		records.push(...read.records);
		for (const { rows } of read.records) chars += rows.length;
		position = read.position;
	}
	return { records, next: position && JSON.stringify(position) };
}

/** Hands a part of its rows to an object, which keeps it aside. */
export function putPart(env: Env, kind: ObjectClass, name: string, part: BackupPart): Promise<PartVerdict> {
	return call(env, kind, name, async (stub) => await stub.takePart(part));
}

/** Makes the parts that were kept aside an object's own, and waits until it works with them. False when one is missing. */
export async function finishObject(
	env: Env,
	{ class: kind, name, parts }: { class: ObjectClass; name: string; parts: number },
	backupId: string,
): Promise<boolean> {
	const isRestored = await call(env, kind, name, async (stub) => await stub.finishParts(backupId, parts));
	if (!isRestored) return false;
	const stub = namespaceOf(env, kind).getByName(name);
	// This call fails, because it ends the instance that answers it.
	await Promise.resolve(stub.beginAnew()).catch(() => undefined);
	await call(env, kind, name, async (anew) => await anew.isThere());
	return true;
}
