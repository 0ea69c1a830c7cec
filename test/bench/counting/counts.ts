// The operations that the counting Worker counts, and the wrappers around bindings that count them.

/** Operations since the last reset. */
export interface OperationCounts {
	workerRequests: number;
	/** Calls of objects' methods, and alarms. */
	objectRequests: number;
	/** Wall-clock time in which an object had a call, an alarm or background work open. Overlapping work of one object counts once. */
	objectActiveMs: number;
	objectRowsRead: number;
	/** Each `setAlarm` counts as one row, as it is billed. */
	objectRowsWritten: number;
	databaseRowsRead: number;
	databaseRowsWritten: number;
	keyValueReads: number;
	/** Writes, deletes and lists, which have one price. */
	keyValueWrites: number;
	/** Lines the code writes; invocation logs are off. */
	logLines: number;
}

function zeroCounts(): OperationCounts {
	return {
		workerRequests: 0,
		objectRequests: 0,
		objectActiveMs: 0,
		objectRowsRead: 0,
		objectRowsWritten: 0,
		databaseRowsRead: 0,
		databaseRowsWritten: 0,
		keyValueReads: 0,
		keyValueWrites: 0,
		logLines: 0,
	};
}

export const counts = zeroCounts();

/** What one statement, method or alarm of one kind of object has used. */
export interface OperationSource {
	times: number;
	rowsRead: number;
	rowsWritten: number;
}

/** Since the last reset, by where they come from: the kind of object or D1, and the statement. */
export const sources = new Map<string, OperationSource>();

function countSource(name: string, rowsRead = 0, rowsWritten = 0): void {
	const source = sources.get(name) ?? { times: 0, rowsRead: 0, rowsWritten: 0 };
	sources.set(name, {
		times: source.times + 1,
		rowsRead: source.rowsRead + rowsRead,
		rowsWritten: source.rowsWritten + rowsWritten,
	});
}

const MAX_SOURCE_CHARS = 90;

/** A statement as the table of sources names it. */
function toSourceName(kind: string, query: string): string {
	return `${kind}: ${query.replace(/\s+/g, " ").trim()}`.slice(0, MAX_SOURCE_CHARS);
}

/** Counts that an object's alarm was set or deleted: one row. */
export function countAlarmSet(kind: string): void {
	counts.objectRowsWritten++;
	countSource(`${kind}: alarm set`, 0, 1);
}

/** Counts an alarm that rings, which is billed as a request of its object. */
export function countRing(kind: string): void {
	counts.objectRequests++;
	countSource(`${kind}: alarm rings`);
}

/** Size of the database, bytes, as the last query reported it. */
export const database = { sizeBytes: 0 };

/** The real clock. The benchmark moves `Date.now` ahead. */
const realNow = Date.now.bind(Date);

/** Work that is open now, by object. */
const active = new Map<string, { open: number; sinceMs: number }>();

/** Other open work: timers that will do something, and queries. */
let openWork = 0;

/** Whether operations may still come that are to be counted. */
export function isBusy(): boolean {
	return active.size > 0 || openWork > 0;
}

/** Keeps the counts from being taken for final until `work` ends. */
export function whileBusy<T>(work: Promise<T>): Promise<T> {
	openWork++;
	return work.finally(() => {
		openWork--;
	});
}

/** Starts all counts again. */
export function resetCounts(): void {
	Object.assign(counts, zeroCounts());
	sources.clear();
}

/** Counts the time until `work` ends as the object's. */
export function whileActive<T>(object: string, work: Promise<T>): Promise<T> {
	const entry = active.get(object) ?? { open: 0, sinceMs: realNow() };
	active.set(object, entry);
	entry.open++;
	return work.finally(() => {
		entry.open--;
		if (entry.open > 0) return;
		active.delete(object);
		counts.objectActiveMs += realNow() - entry.sinceMs;
	});
}

type Call = (...args: unknown[]) => unknown;

/** Wraps a platform object and replaces some members. The platform's own methods keep their own `this`. */
export function withMembersReplaced<T extends object>(target: T, replaced: Record<string, unknown>): T {
	return new Proxy(target, {
		get(_, name) {
			if (typeof name === "string" && Object.hasOwn(replaced, name)) return replaced[name];
			const member: unknown = Reflect.get(target, name, target);
			return typeof member === "function" ? (...args: unknown[]) => (member as Call).apply(target, args) : member;
		},
	});
}

/** The statements of a query. Those of a trigger are one. */
function statementsOf(query: string): string[] {
	if (/\bTRIGGER\b/i.test(query)) return [query];
	return query.split(";").filter((statement) => statement.trim() !== "");
}

/** Counts rows of every statement. @param kind the class of the object. */
export function countingSql(sql: SqlStorage, kind = "object"): SqlStorage {
	const exec = (query: string, ...bindings: unknown[]) => {
		// A cursor tells the rows of its last statement alone.
		const [last = query, ...earlier] = statementsOf(query).toReversed();
		for (const statement of earlier.toReversed()) exec(statement);
		return execOne(last, ...bindings);
	};
	const execOne = (query: string, ...bindings: unknown[]) => {
		const cursor = sql.exec(query, ...bindings);
		// Callers read a cursor to its end at once, so its counts are complete in the next microtask.
		queueMicrotask(() => {
			counts.objectRowsRead += cursor.rowsRead;
			counts.objectRowsWritten += cursor.rowsWritten;
			countSource(toSourceName(kind, query), cursor.rowsRead, cursor.rowsWritten);
		});
		return cursor;
	};
	return withMembersReplaced(sql, { exec });
}

function addMeta({ meta }: D1Result<unknown>, query: string): void {
	countSource(toSourceName("D1", query), meta.rows_read, meta.rows_written);
	counts.databaseRowsRead += meta.rows_read;
	counts.databaseRowsWritten += meta.rows_written;
	if (meta.size_after > 0) database.sizeBytes = meta.size_after;
}

/** The platform's statement behind a counting one, and its text. `batch` takes only the platform's own. */
const plainStatements = new WeakMap<D1PreparedStatement, { statement: D1PreparedStatement; query: string }>();

function countingStatement(statement: D1PreparedStatement, query: string): D1PreparedStatement {
	const counted = async <T>(result: Promise<D1Result<T>>) => {
		addMeta(await whileBusy(result), query);
		return result;
	};
	const wrapped = withMembersReplaced(statement, {
		bind: (...values: unknown[]) => countingStatement(statement.bind(...values), query),
		all: () => counted(statement.all()),
		run: () => counted(statement.run()),
		// `raw` does not report its cost, so a read is made twice. A write returns columns of one table, whose names are unique.
		raw: async () => {
			const { results } = await counted(statement.all<Record<string, unknown>>());
			return isRead(query) ? statement.raw() : results.map((row) => Object.values(row));
		},
	});
	plainStatements.set(wrapped, { statement, query });
	return wrapped;
}

function isRead(query: string): boolean {
	return /^\s*select\b/i.test(query);
}

/** Counts rows of every query, as D1 reports them. */
export function countingDatabase(binding: D1Database): D1Database {
	return withMembersReplaced(binding, {
		prepare: (query: string) => countingStatement(binding.prepare(query), query),
		batch: async (statements: D1PreparedStatement[]) => {
			const plain = statements.map((one) => plainStatements.get(one)?.statement ?? one);
			const results = await whileBusy(binding.batch(plain));
			for (const [index, result] of results.entries()) {
				const statement = statements[index];
				addMeta(result, (statement && plainStatements.get(statement)?.query) ?? "");
			}
			return results;
		},
	});
}

/** Counts operations by their price. */
export function countingKeyValue(binding: KVNamespace): KVNamespace {
	const counting = (name: "keyValueReads" | "keyValueWrites", method: Call) => {
		return (key: unknown, ...rest: unknown[]) => {
			counts[name] += Array.isArray(key) ? key.length : 1;
			return method.call(binding, key, ...rest);
		};
	};
	return withMembersReplaced(binding, {
		get: counting("keyValueReads", binding.get as Call),
		getWithMetadata: counting("keyValueReads", binding.getWithMetadata as Call),
		put: counting("keyValueWrites", binding.put as Call),
		delete: counting("keyValueWrites", binding.delete as Call),
		list: counting("keyValueWrites", binding.list as Call),
	});
}

function countingStub<T extends object>(stub: T, kind: string, object: string): T {
	return new Proxy(stub, {
		get(target, name) {
			if (typeof name !== "string") return Reflect.get(target, name, target);
			return (...args: unknown[]) => {
				counts.objectRequests++;
				countSource(`${kind}: calls ${name}`);
				// A stub's method is itself remote, so it must be called as a member: its `apply` would be another call.
				return whileActive(object, Promise.resolve((target as Record<string, Call>)[name]?.(...args)));
			};
		},
	});
}

/**
 * Counts calls of the namespace's objects, which are addressed by name.
 * @param kind the class of the objects: objects of two classes may have the same name.
 */
export function countingNamespace<T extends DurableObjectNamespace>(binding: T, kind: string): T {
	return withMembersReplaced(binding, {
		getByName: (name: string) => countingStub(binding.getByName(name), kind, `${kind}:${name}`),
	});
}
