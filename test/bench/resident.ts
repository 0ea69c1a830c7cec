// `npm run bench:memory`: resident memory of `npm start` under many requests of one kind, of the Node process (the front, and the
// sandbox with it) and of the runtime apart. Each kind gets a service of its own on a fresh state.
// Run: npm run bench:memory -- [untouched|key|meter|chat|streamed|mixed …] [--requests N] [--samples N] [--connections N]
//      [--dir OTHER_CHECKOUT] [--v8-flags "FLAGS"]
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs, parseEnv } from "node:util";
import { buildBundle } from "../../src/cli/local-service.ts";
import { createKey } from "../../src/cli/operator.ts";
import type { Load } from "./load.ts";
import { STREAMED, WHOLE } from "./loads.ts";
import { stateRoots } from "./options.ts";
import { processCpuMs, type ResidentMemory, residentMemory } from "./process.ts";
import { renderTable } from "./table.ts";
import { freePort } from "./targets.ts";
import { nextBody } from "./varied.ts";

/** Users in turn: the plan lets each send 1,000 requests a minute. */
const USERS = 96;
const WARM_UP_REQUESTS = 1_000;
/** A pause without requests at the end, so that the processes can free what only waits. */
const IDLE_PAUSE_MS = 15_000;
const MIB = 1_048_576;
/** Where `npm start` keeps its bundle, below the folder that it runs in. */
const BUNDLE = ".wrangler/svc-bundle";

interface ResidentLoad {
	path: string;
	/** null: a GET. */
	chat: Load | null;
	status: number;
}

const get = (path: string, status = 200): ResidentLoad => ({ path, chat: null, status });
const post = (chat: Load): ResidentLoad => ({ path: chat.path, chat, status: 200 });

/** From a request that touches nothing to one that touches all. */
const KINDS: Record<string, readonly ResidentLoad[]> = {
	untouched: [get("/no-such-path", 404)],
	key: [get("/v1/models")],
	meter: [get("/v1/usage")],
	chat: [post(WHOLE)],
	streamed: [post(STREAMED)],
	mixed: [WHOLE, WHOLE, WHOLE, STREAMED].map(post),
};

interface StartedProcess {
	url: string;
	node: ChildProcess;
	runtimePid: number;
	adminToken: string;
	stop(): Promise<void>;
}

/** Runs `npm start` of a checkout in a folder of its own. */
async function start(checkout: string, v8Flags: string | undefined): Promise<StartedProcess> {
	const dir = mkdtempSync(join(stateRoots().tmpfs ?? tmpdir(), "svc-resident-"));
	const remove = () => rmSync(dir, { recursive: true, force: true });
	process.once("exit", remove);
	mkdirSync(join(dir, "tmp"));
	for (const name of ["node_modules", "src", "migrations", "wrangler.toml", "package.json"])
		symlinkSync(join(checkout, name), join(dir, name));
	cpSync(join(checkout, BUNDLE), join(dir, BUNDLE), { recursive: true });
	const port = await freePort();
	const { PATH, HOME } = process.env;
	const env = { PATH, HOME, TMPDIR: join(dir, "tmp"), PORT: `${port}`, MINIFLARE_WORKERD_V8_FLAGS: v8Flags };
	const node = spawn(process.execPath, ["src/cli/start.ts"], { cwd: dir, env, stdio: ["ignore", "pipe", "inherit"] });
	const exited = once(node, "exit");
	const stop = async () => {
		node.kill("SIGTERM");
		await exited;
		process.off("exit", remove);
		remove();
	};
	const kill = () => node.kill("SIGTERM");
	process.once("exit", kill);
	let output = "";
	const ready = new Promise<void>((found) =>
		node.stdout.on("data", (chunk) => {
			// What follows is the log.
			if (!output.includes("ready on")) output += chunk;
			if (output.includes("ready on")) found();
		}),
	);
	await Promise.race([ready, exited]);
	if (node.exitCode !== null) throw new Error(`the service in ${checkout} does not start:\n${output}`);
	return {
		url: `http://127.0.0.1:${port}`,
		node,
		runtimePid: Number(readFileSync(join(dir, ".wrangler/state/runtime.pid"), "utf8")),
		adminToken: parseEnv(readFileSync(join(dir, ".dev.vars"), "utf8"))["ADMIN_TOKEN"] ?? "",
		stop,
	};
}

/** Sends one request; its body is read and thrown away. @throws Error for another status than the load's. */
function send(url: string, agent: Agent, { path, chat, status }: ResidentLoad, key: string): Promise<void> {
	return new Promise((done, reject) => {
		const body = chat === null ? null : nextBody(chat.body);
		const headers = {
			authorization: `Bearer ${key}`,
			...(body === null ? {} : { "content-type": "application/json", "content-length": body.byteLength }),
		};
		const sent = request(`${url}${path}`, { agent, method: body === null ? "GET" : "POST", headers }, (response) => {
			response.resume();
			response.once("end", () => {
				if (response.statusCode === status) done();
				else reject(new Error(`benchmark failed: ${path} answered ${response.statusCode}`));
			});
		});
		sent.once("error", reject);
		if (body === null) sent.end();
		else sent.end(body);
	});
}

let sentBefore = 0;

async function sendMany(
	url: string,
	agent: Agent,
	loads: readonly ResidentLoad[],
	keys: readonly string[],
	{ requests, connections }: { requests: number; connections: number },
): Promise<void> {
	let left = requests;
	const connection = async () => {
		while (left-- > 0) {
			const n = sentBefore++;
			const load = loads[n % loads.length];
			if (load) await send(url, agent, load, keys[n % keys.length] ?? "");
		}
	};
	await Promise.all(Array.from({ length: connections }, connection));
}

function renderMib({ anonymousBytes, residentBytes }: ResidentMemory): string {
	return `${(anonymousBytes / MIB).toFixed(0)} (${(residentBytes / MIB).toFixed(0)})`;
}

interface ResidentPlan {
	checkout: string;
	v8Flags: string | undefined;
	requests: number;
	samples: number;
	connections: number;
}

async function measureKind(kind: string, loads: readonly ResidentLoad[], plan: ResidentPlan): Promise<void> {
	const service = await start(plan.checkout, plan.v8Flags);
	const agent = new Agent({ keepAlive: true, maxSockets: plan.connections });
	try {
		const { url, adminToken } = service;
		const keys: string[] = [];
		for (let user = 0; user < USERS; user++)
			keys.push((await createKey(url, adminToken, `bench-${user}`, "corporate")).key);
		const { connections } = plan;
		await sendMany(url, agent, loads, keys, { requests: WARM_UP_REQUESTS, connections });
		const nodePid = service.node.pid ?? 0;
		const rows = [["requests", "node, MiB", "runtime, MiB", "CPU of the runtime, ms a request"]];
		const sample = (name: string, cpu: string) => {
			const row = [name, renderMib(residentMemory(nodePid)), renderMib(residentMemory(service.runtimePid)), cpu];
			process.stderr.write(`${kind}: ${row.join("; ")}\n`);
			rows.push(row);
		};
		sample("0", "");
		const step = Math.ceil(plan.requests / plan.samples);
		for (let sent = 0; sent < plan.requests; sent += step) {
			const beforeMs = processCpuMs(service.runtimePid);
			await sendMany(url, agent, loads, keys, { requests: step, connections });
			const cpuMs = (processCpuMs(service.runtimePid) - beforeMs) / step;
			sample(`${sent + step}`, cpuMs.toFixed(3));
		}
		await delay(IDLE_PAUSE_MS);
		sample(`${IDLE_PAUSE_MS / 1_000} s later`, "");
		console.log(`${kind}, ${connections} connections; allocated by the process, in brackets with mapped files`);
		console.log(`${renderTable(rows)}\n`);
	} finally {
		agent.destroy();
		await service.stop();
	}
}

async function measureResident(): Promise<void> {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: {
			requests: { type: "string", default: "50000" },
			samples: { type: "string", default: "10" },
			connections: { type: "string", default: "16" },
			dir: { type: "string" },
			"v8-flags": { type: "string" },
		},
	});
	const kinds = positionals.length === 0 ? Object.keys(KINDS) : positionals;
	const unknown = kinds.filter((kind) => !KINDS[kind]);
	if (unknown.length > 0) throw new Error(`there is no kind ${unknown.join(", ")}; ${Object.keys(KINDS).join(", ")}`);
	const plan = {
		checkout: resolve(values.dir ?? join(import.meta.dirname, "../..")),
		v8Flags: values["v8-flags"],
		requests: Number(values.requests),
		samples: Number(values.samples),
		connections: Number(values.connections),
	};
	// Once for all starts. The build reads the sources of the folder that it runs in.
	process.chdir(plan.checkout);
	await buildBundle(BUNDLE);
	for (const kind of kinds) await measureKind(kind, KINDS[kind] ?? [], plan);
}

measureResident().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
