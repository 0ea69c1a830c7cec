// Faults on purpose: bindings and the upstream fail before they apply a call, after it, or late, as a plan decides call by call.
//
// A `faulty…` wrapper goes into an `env` of the test's own. `useFaults` changes the bindings of this isolate themselves, so that
// whoever holds them meets the faults: the Worker behind `exports.default.fetch`, and a Durable Object, evicted or not.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

/** `failAfter`: the call is applied and its answer lost, as when a connection breaks; `hangAfter`: its answer never comes. */
export type Fault = SuddenFault | { slowMs: number; ending?: SuddenFault };
type SuddenFault = "pass" | "fail" | "failAfter" | "hangAfter";

/** One call that a plan decides about. */
export interface Operation {
	/** The method: `batch`, `run`, `put`, `admit`; for the upstream, the provider. */
	method: string;
	/** What it is for: SQL (of a batch, joined by `;`), a KV key, an object's name or id, an address. */
	target: string;
	args: readonly unknown[];
}

/** Decides once per call, when the call is made. */
export type FaultPlan = (operation: Operation) => Fault;

/** No faults. */
export const passAll: FaultPlan = () => "pass";

/** The same fault every time. */
export function always(fault: Fault): FaultPlan {
	return () => fault;
}

/** Faults in order of calls; what comes after them passes. */
export function inOrder(faults: Iterable<Fault>): FaultPlan {
	const remaining = faults[Symbol.iterator]();
	return () => remaining.next().value ?? "pass";
}

/** A plan for some methods only; the others pass. */
export function onlyFor(methods: readonly string[], plan: FaultPlan): FaultPlan {
	return (operation) => (methods.includes(operation.method) ? plan(operation) : "pass");
}

/** Whether a D1 operation writes. */
export function writes({ target }: Operation): boolean {
	return /^\s*(?:insert|update|delete|replace)\b/i.test(target);
}

/** Whether a D1 statement stores sums that a meter sends. */
export function isSumsFlush(target: string): boolean {
	return /insert into usage_days|insert into "usage_days"/i.test(target);
}

/** Whether a D1 statement stores stranded settlements, or asks for them. */
export function isOfStranded(target: string): boolean {
	return target.includes("stranded_settlements");
}

type Method = (...args: unknown[]) => unknown;

/** Makes a call as its plan decides, and throws `lost` for one that failed. */
async function carryOut(
	plan: FaultPlan,
	operation: Operation,
	lost: () => Error,
	apply: () => unknown,
): Promise<unknown> {
	const planned = plan(operation);
	const isSlow = typeof planned === "object";
	if (isSlow) await new Promise((resolve) => setTimeout(resolve, planned.slowMs));
	const fault = isSlow ? (planned.ending ?? "pass") : planned;
	if (fault === "fail") throw lost();
	const result = await apply();
	if (fault === "failAfter") throw lost();
	if (fault === "hangAfter") await new Promise(() => undefined);
	return result;
}

/** `real` with some of its methods replaced. */
function withMethods<T extends object>(real: T, methods: Record<string, Method>): T {
	return new Proxy(real, {
		get(target, name) {
			const replaced = typeof name === "string" && Object.hasOwn(methods, name) ? methods[name] : undefined;
			if (replaced) return replaced;
			const value: unknown = Reflect.get(target, name, target);
			return typeof value === "function" ? value.bind(target) : value;
		},
	});
}

/** The named methods of `real` as they are now. */
function methodsOf(real: object, names: readonly string[]): [string, Method][] {
	return names.map((name) => {
		const method: unknown = Reflect.get(real, name);
		if (typeof method !== "function") throw new Error(`the binding has no method ${name}`);
		return [name, method.bind(real)];
	});
}

const d1Lost = () => new Error("D1_ERROR: Network connection lost.");
const kvLost = () => new Error("KV: 503 Service Unavailable");
const objectLost = () => Object.assign(new Error("Network connection lost."), { retryable: true });
const upstreamLost = () => new Error("Network connection lost.");

/** What a wrapped statement stands for; a batch needs the real ones. */
const realStatements = new WeakMap<object, { real: D1PreparedStatement; sql: string }>();

function faultyStatement(real: D1PreparedStatement, sql: string, plan: FaultPlan): D1PreparedStatement {
	const runs = methodsOf(real, ["first", "run", "all", "raw"]).map(([method, apply]): [string, Method] => [
		method,
		(...args) => carryOut(plan, { method, target: sql, args }, d1Lost, () => apply(...args)),
	]);
	const bind: Method = (...values) => faultyStatement(real.bind(...values), sql, plan);
	const statement = withMethods(real, { ...Object.fromEntries(runs), bind });
	realStatements.set(statement, { real, sql });
	return statement;
}

function faultyD1Methods(real: D1Database | D1DatabaseSession, plan: FaultPlan): Record<string, Method> {
	const prepare = real.prepare.bind(real);
	const batch = real.batch.bind(real);
	return {
		prepare: (sql) => faultyStatement(prepare(String(sql)), String(sql), plan),
		batch: (statements) => {
			const known = (statements as D1PreparedStatement[]).map(
				(statement) => realStatements.get(statement) ?? { real: statement, sql: "" },
			);
			const target = known.map(({ sql }) => sql).join("; ");
			const apply = () => batch(known.map(({ real: statement }) => statement));
			return carryOut(plan, { method: "batch", target, args: [] }, d1Lost, apply);
		},
	};
}

function faultyDatabaseMethods(real: D1Database, plan: FaultPlan): Record<string, Method> {
	const exec = real.exec.bind(real);
	const withSession = real.withSession.bind(real);
	return {
		...faultyD1Methods(real, plan),
		exec: (sql) => carryOut(plan, { method: "exec", target: String(sql), args: [] }, d1Lost, () => exec(String(sql))),
		withSession: (bookmark) => {
			const session = withSession(bookmark as D1SessionBookmark);
			return withMethods(session, faultyD1Methods(session, plan));
		},
	};
}

function faultyKvMethods(real: KVNamespace, plan: FaultPlan): Record<string, Method> {
	const methods = methodsOf(real, ["get", "getWithMetadata", "put", "delete", "list"]);
	return Object.fromEntries(
		methods.map(([method, apply]): [string, Method] => [
			method,
			(...args) => carryOut(plan, { method, target: String(args[0]), args }, kvLost, () => apply(...args)),
		]),
	);
}

/** Parts of a stub that call nothing. */
const LOCAL_STUB_MEMBERS = new Set(["id", "name", "dup", "constructor"]);

function faultyStub<T extends object>(real: T, target: string, plan: FaultPlan): T {
	return new Proxy(real, {
		get(stub, method) {
			if (method === "then") return undefined;
			const value: unknown = Reflect.get(stub, method, stub);
			if (typeof method === "symbol" || LOCAL_STUB_MEMBERS.has(method) || typeof value !== "function") return value;
			// Looked up again for the call, because an RPC method must be called on its stub.
			const apply = (args: unknown[]) => (stub as Record<string, Method>)[method]?.(...args);
			return (...args: unknown[]) => carryOut(plan, { method, target, args }, objectLost, () => apply(args));
		},
	});
}

function faultyNamespaceMethods(
	// A namespace of any class: only its stubs' methods are looked at, by name.
	real: Pick<DurableObjectNamespace, "get" | "getByName">,
	plan: FaultPlan,
): Record<string, Method> {
	const get = real.get.bind(real);
	const getByName = real.getByName.bind(real);
	return {
		get: (id) => faultyStub(get(id as DurableObjectId), String(id), plan),
		getByName: (name) => faultyStub(getByName(String(name)), String(name), plan),
	};
}

/** A D1 database whose statements and batches a plan decides about; a batch is one operation, as it is one transaction. */
export function faultyD1(real: D1Database, plan: FaultPlan): D1Database {
	return withMethods(real, faultyDatabaseMethods(real, plan));
}

/** A KV namespace whose calls a plan decides about. */
export function faultyKv(real: KVNamespace, plan: FaultPlan): KVNamespace {
	return withMethods(real, faultyKvMethods(real, plan));
}

/** A namespace of Durable Objects: a plan decides about every call of every stub, by method name. */
export function faultyNamespace<T extends Rpc.DurableObjectBranded | undefined>(
	real: DurableObjectNamespace<T>,
	plan: FaultPlan,
): DurableObjectNamespace<T> {
	return withMethods(real, faultyNamespaceMethods(real, plan));
}

/** An upstream that a plan decides about: `fail` never reaches it, `failAfter` does, and its answer is lost. */
export function faultyUpstream(
	real: (request: Request) => Promise<Response>,
	plan: FaultPlan,
): (request: Request) => Promise<Response> {
	return async (request) => {
		const method = new URL(request.url).pathname.split("/")[1] ?? "";
		const operation = { method, target: request.url, args: [request] };
		return (await carryOut(plan, operation, upstreamLost, () => real(request))) as Response;
	};
}

/** Bindings of the service that a plan can be put on. */
type FaultyBinding = {
	[Name in keyof Env]: Env[Name] extends D1Database | KVNamespace | DurableObjectNamespace<infer _> ? Name : never;
}[keyof Env];

function faultyMethods(binding: Env[FaultyBinding], plan: FaultPlan): Record<string, Method> {
	if ("prepare" in binding) return faultyDatabaseMethods(binding, plan);
	return "getWithMetadata" in binding ? faultyKvMethods(binding, plan) : faultyNamespaceMethods(binding, plan);
}

/**
 * Puts plans on the service's bindings, by their names in `env`, for everybody in this isolate.
 * Stubs and statements that a test needs without faults it gets before this, or after `restore`.
 * @returns how to take them off again.
 */
export function useFaults(plans: Partial<Record<FaultyBinding, FaultPlan>>): { restore(): void } {
	const changed: [object, string][] = [];
	for (const [name, plan] of Object.entries(plans) as [FaultyBinding, FaultPlan][]) {
		for (const [method, value] of Object.entries(faultyMethods(env[name], plan))) {
			if (Object.hasOwn(env[name], method)) throw new Error(`${name} has a plan already`);
			Object.defineProperty(env[name], method, { value, configurable: true });
			changed.push([env[name], method]);
		}
	}
	return {
		restore() {
			for (const [binding, method] of changed.splice(0)) Reflect.deleteProperty(binding, method);
		},
	};
}

/** Kills an object at once, in the middle of whatever it does; its storage stays. Stubs of it are broken, also the one given. */
export async function killObject(stub: DurableObjectStub<undefined>): Promise<void> {
	await runInDurableObject(stub, (_, state) => state.abort("killed by a test")).catch(() => undefined);
}

/** When an object wants its alarm, ms since the epoch; null when it wants none. */
export function alarmAtMs(stub: DurableObjectStub<undefined>): Promise<number | null> {
	return runInDurableObject(stub, (_, state) => state.storage.getAlarm());
}
