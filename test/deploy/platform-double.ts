// A double of the platform's API on loopback, as far as `npm run deploy` and wrangler use it: databases that run SQL, namespaces,
// a Worker with versions and secrets. It keeps its state in memory, records every call, and refuses where a test says so. It also
// answers as the deployed Worker: `/health` and operator keys, with the secrets that were uploaded.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { buffer } from "node:stream/consumers";

export const ACCOUNT_ID = "0123456789abcdef0123456789abcdef";

export interface RecordedCall {
	method: string;
	/** Below the account, without a query. */
	path: string;
	/** Whether it changes anything at the platform. */
	isWriting: boolean;
}

/** What the API refuses a call with. */
export interface Refusal {
	status: number;
	code: number;
	message: string;
}

interface Worker {
	secrets: Map<string, string>;
	variables: Map<string, string>;
	bindings: { type: string; name: string; [member: string]: unknown }[];
	versions: { id: string; tables: readonly string[] }[];
	migrationTag: string | null;
}

interface OperatorKey {
	key_id: string;
	user: string;
	last_used_on: string | null;
	revoked_at: string | null;
}

type Outcome = { result: unknown; info?: unknown } | { raw: string } | Refusal;

function isRefusal(outcome: Outcome): outcome is Refusal {
	return "status" in outcome;
}

const NOT_FOUND: Refusal = { status: 404, code: 10007, message: "This Worker does not exist on your account." };

/** The rows of a query that reads. Statements that change something have none. */
function runSql(database: DatabaseSync, sql: string, params: readonly (string | number | null)[] = []): unknown[] {
	let rows: unknown[] = [];
	if (isChanging(sql)) database.exec(sql);
	else rows = database.prepare(sql).all(...params);
	return [{ results: rows, success: true, meta: { duration: 1, changes: 0, rows_read: rows.length, rows_written: 0 } }];
}

function isChanging(sql: string): boolean {
	return !/^\s*(?:select|pragma)\b[^;]*;?\s*$/i.test(sql);
}

export class PlatformDouble {
	readonly databases = new Map<string, { name: string; sql: DatabaseSync }>();
	readonly namespaces = new Map<string, string>();
	/** By the namespace's id and the key, with a slash between them. */
	readonly values = new Map<string, string>();
	readonly workers = new Map<string, Worker>();
	readonly keys: OperatorKey[] = [];
	readonly calls: RecordedCall[] = [];
	/** Asked before each call; a refusal is answered instead. */
	refuse: (call: RecordedCall) => Refusal | null = () => null;
	/** Told after each call was carried out and before it is answered. */
	afterCall: (call: RecordedCall) => Promise<void> | void = () => {};
	/** What went wrong in a test's view: a version without tables or secrets. */
	readonly faults: string[] = [];
	url = "";
	#stop: () => void = () => {};

	static async start(): Promise<PlatformDouble> {
		const double = new PlatformDouble();
		const server = createServer((request, response) => {
			double.#serve(request, response).catch((error: unknown) => {
				double.faults.push(`the double failed at ${request.url}: ${error}`);
				response.destroy();
			});
		});
		server.listen(0, "127.0.0.1");
		await once(server, "listening");
		double.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		double.#stop = () => {
			server.closeAllConnections();
			server.close();
		};
		return double;
	}

	stop(): void {
		this.#stop();
		for (const { sql } of this.databases.values()) sql.close();
	}

	get writes(): RecordedCall[] {
		return this.calls.filter(({ isWriting }) => isWriting);
	}

	async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const body = await buffer(request);
		const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
		const send = (status: number, value: unknown) => {
			response.writeHead(status, { "content-type": "application/json" });
			response.end(JSON.stringify(value));
		};
		if (!pathname.startsWith("/client/v4")) {
			const call = { method: request.method ?? "GET", path: pathname, isWriting: request.method !== "GET" };
			this.calls.push(call);
			const [status, answer] = this.#answerAsWorker(request, pathname, body);
			await this.afterCall(call);
			send(status, answer);
			return;
		}
		const path = pathname.replace("/client/v4", "").replace(`/accounts/${ACCOUNT_ID}`, "");
		const call = {
			method: request.method ?? "GET",
			path,
			isWriting: isWritingCall(request.method ?? "GET", path, body),
		};
		this.calls.push(call);
		const outcome = this.refuse(call) ?? (await this.#carryOut(call, searchParams, body, request));
		await this.afterCall(call);
		if (isRefusal(outcome)) {
			send(outcome.status, {
				success: false,
				errors: [{ code: outcome.code, message: outcome.message }],
				messages: [],
				result: null,
			});
			return;
		}
		if ("raw" in outcome) {
			response.end(outcome.raw);
			return;
		}
		send(200, { success: true, errors: [], messages: [], result: outcome.result, result_info: outcome.info });
	}

	/** What the deployed Worker answers: status and body. */
	#answerAsWorker(request: IncomingMessage, path: string, body: Buffer): [number, unknown] {
		const worker = [...this.workers.values()].at(-1);
		if (!worker) return [404, { message: "there is nothing here yet" }];
		if (path === "/health") return [200, { status: "ok" }];
		if (request.headers.authorization !== `Bearer ${worker.secrets.get("ADMIN_TOKEN")}`)
			return [401, { message: "the operator's token is wrong" }];
		const [, id, verb] = /^\/internal\/keys\/([^/]+)\/(\w+)$/.exec(path) ?? [];
		if (request.method === "GET")
			return [200, { data: this.keys.filter((key) => key.revoked_at === null), next: null }];
		const rotated = verb === "rotate" ? this.keys.find((key) => key.key_id === id) : undefined;
		if (rotated) rotated.revoked_at = "now";
		const user = rotated?.user ?? JSON.parse(String(body)).user;
		const key = { key_id: `key_${this.keys.length + 1}`, user, last_used_on: null, revoked_at: null };
		this.keys.push(key);
		return [201, { user_id: "usr_1", plan: "corporate", key_id: key.key_id, key: `svc_sk_${key.key_id}` }];
	}

	async #carryOut(
		{ method, path }: RecordedCall,
		query: URLSearchParams,
		body: Buffer,
		request: IncomingMessage,
	): Promise<Outcome> {
		const json = () => JSON.parse(String(body) || "{}");
		if (path === "/user") return { result: { id: "u", email: "ada@example.com" } };
		if (path === "/memberships" || path === "/accounts")
			return { result: [{ id: ACCOUNT_ID, name: "Ada", account: { id: ACCOUNT_ID, name: "Ada" } }] };
		if (path === "/d1/database" || path.startsWith("/d1/database/")) return this.#database(method, path, query, json);
		if (path === "/storage/kv/namespaces") return this.#namespace(method, query, json);
		const [, namespace, key] = /^\/storage\/kv\/namespaces\/([^/]+)\/values\/([^/]+)$/.exec(path) ?? [];
		if (namespace !== undefined && key !== undefined)
			return this.#value(method, namespace, decodeURIComponent(key), body);
		return this.#script(method, path, body, request);
	}

	#database(method: string, path: string, query: URLSearchParams, json: () => Record<string, unknown>): Outcome {
		const [, , , id, verb] = path.split("/");
		const describe = (uuid: string) => ({
			uuid,
			name: this.databases.get(uuid)?.name,
			version: "production",
			created_at: "",
		});
		if (id === undefined && method === "GET") {
			const wanted = query.get("name");
			const found = [...this.databases.keys()].map(describe).filter(({ name }) => wanted === null || name === wanted);
			const isFirst = Number(query.get("page") ?? 1) === 1;
			return {
				result: isFirst ? found : [],
				info: { page: 1, per_page: 100, count: found.length, total_count: found.length },
			};
		}
		if (id === undefined) {
			const name = String(json()["name"]);
			if ([...this.databases.values()].some((each) => each.name === name))
				return { status: 400, code: 7502, message: `A database with that name already exists` };
			const uuid = randomUUID();
			this.databases.set(uuid, { name, sql: new DatabaseSync(":memory:") });
			return { result: describe(uuid) };
		}
		const database = this.databases.get(id);
		if (!database) return { status: 404, code: 7404, message: "The database was not found" };
		if (verb === undefined) return { result: describe(id) };
		const batch = json();
		const queries = Array.isArray(batch["batch"]) ? batch["batch"] : [batch];
		try {
			return { result: queries.flatMap(({ sql, params }) => runSql(database.sql, sql, params)) };
		} catch (error) {
			return { status: 400, code: 7500, message: String(error) };
		}
	}

	#namespace(method: string, query: URLSearchParams, json: () => Record<string, unknown>): Outcome {
		// wrangler asks for pages until one is empty.
		if (method === "GET" && Number(query.get("page") ?? 1) > 1) return { result: [] };
		if (method === "GET")
			return {
				result: [...this.namespaces].map(([id, title]) => ({ id, title, supports_url_encoding: true })),
				info: { page: 1, total_pages: 1 },
			};
		const title = String(json()["title"]);
		if ([...this.namespaces.values()].includes(title))
			return { status: 400, code: 10014, message: "a namespace with this account ID and title already exists" };
		const id = randomUUID().replaceAll("-", "");
		this.namespaces.set(id, title);
		return { result: { id, title } };
	}

	#value(method: string, namespace: string, key: string, body: Buffer): Outcome {
		if (!this.namespaces.has(namespace)) return { status: 404, code: 10013, message: "namespace not found" };
		const place = `${namespace}/${key}`;
		if (method === "PUT") {
			this.values.set(place, String(body));
			return { result: {} };
		}
		const raw = this.values.get(place);
		return raw === undefined ? { status: 404, code: 10009, message: "key not found" } : { raw };
	}

	async #script(method: string, path: string, body: Buffer, request: IncomingMessage): Promise<Outcome> {
		const [, , kind, name = "", verb] = path.split("/");
		if (path === "/workers/subdomain") return { result: { subdomain: "ada" } };
		const worker = this.workers.get(name);
		if (verb === "subdomain") return { result: { enabled: true, previews_enabled: false } };
		if (verb === "secrets" && method === "GET")
			return worker
				? { result: [...worker.secrets.keys()].map((each) => ({ name: each, type: "secret_text" })) }
				: NOT_FOUND;
		if (kind === "scripts" && method === "PUT" && verb === undefined) return this.#upload(name, body, request);
		if (kind === "scripts" && verb === "versions" && method === "POST") return this.#upload(name, body, request);
		if (path === "/workers/scripts") return { result: [...this.workers.keys()].map((id) => ({ id })) };
		if (!worker) return NOT_FOUND;
		const latest = worker.versions.at(-1)?.id;
		if (verb === "deployments")
			return {
				result: {
					id: "d",
					deployments: [
						{
							id: "d",
							source: "wrangler",
							strategy: "percentage",
							author_email: "",
							created_on: "2026-01-01T00:00:00Z",
							versions: [{ version_id: latest, percentage: 100 }],
						},
					],
				},
			};
		if (verb === "versions")
			return {
				result: {
					items: worker.versions.map(({ id }) => ({ id, metadata: {} })),
					id: latest,
					resources: { bindings: worker.bindings },
				},
			};
		if (verb === "settings" || verb === "script-settings")
			return { result: { bindings: worker.bindings, tags: [], migration_tag: worker.migrationTag } };
		if (verb === "bindings") return { result: worker.bindings };
		if (kind === "services")
			return {
				result: {
					default_environment: {
						environment: "production",
						script: { migration_tag: worker.migrationTag, last_deployed_from: "wrangler", tag: name, tags: [] },
					},
				},
			};
		return { result: {} };
	}

	async #upload(name: string, body: Buffer, request: IncomingMessage): Promise<Outcome> {
		const form = await new Response(new Uint8Array(body), {
			headers: { "content-type": request.headers["content-type"] ?? "" },
		}).formData();
		const metadata = JSON.parse(String(form.get("metadata")));
		const worker: Worker = this.workers.get(name) ?? {
			secrets: new Map(),
			variables: new Map(),
			bindings: [],
			versions: [],
			migrationTag: null,
		};
		for (const { type, name, text } of metadata.bindings) {
			if (type === "secret_text") worker.secrets.set(name, text);
			if (type === "plain_text") worker.variables.set(name, text);
		}
		worker.bindings = metadata.bindings.filter(
			({ type }: { type: string }) => type !== "secret_text" && type !== "inherit",
		);
		worker.migrationTag = metadata.migrations?.new_tag ?? worker.migrationTag;
		const d1 = metadata.bindings.find(({ type }: { type: string }) => type === "d1");
		const database = this.databases.get(d1?.id ?? d1?.database_id);
		const tables = database
			? runSql(database.sql, "SELECT name FROM sqlite_master WHERE type = 'table'").flatMap((each) =>
					(each as { results: { name: string }[] }).results.map(({ name }) => name),
				)
			: [];
		if (!tables.includes("users")) this.faults.push("a version was uploaded before its tables");
		for (const secret of ["SIGNING_KEY", "KEY_PEPPER", "ADMIN_TOKEN"])
			if (!worker.secrets.has(secret)) this.faults.push(`a version was uploaded without ${secret}`);
		const id = randomUUID();
		worker.versions.push({ id, tables });
		this.workers.set(name, worker);
		return {
			result: {
				id: name,
				tag: name,
				deployment_id: id,
				version_id: id,
				startup_time_ms: 20,
				metadata: { has_preview: false },
				number: worker.versions.length,
				resources: { script: { etag: id } },
			},
		};
	}
}

/** Whether a call changes anything: SQL is read for it, since all of it is posted. */
function isWritingCall(method: string, path: string, body: Buffer): boolean {
	if (method === "GET") return false;
	if (!/\/d1\/database\/[^/]+\/(?:query|raw)$/.test(path)) return true;
	const { sql = "", batch } = JSON.parse(String(body)) as { sql?: string; batch?: { sql: string }[] };
	return (batch ?? [{ sql }]).some((each) => isChanging(each.sql));
}
