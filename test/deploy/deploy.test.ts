// `npm run deploy` with the real wrangler against a double of the platform: from nothing, again, changed, killed, refused.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
	appendFileSync,
	cpSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { COMPILE_CACHE } from "../support/compile-cache.ts";
import { ACCOUNT_ID, PlatformDouble } from "./platform-double.ts";

const ROOT = join(import.meta.dirname, "../..");

/** A checkout of its own, with a platform of its own. */
class Deployment {
	readonly dir = mkdtempSync(join(tmpdir(), "svc-deploy-test-"));
	readonly platform: PlatformDouble;
	running: ChildProcess | null = null;

	private constructor(platform: PlatformDouble) {
		this.platform = platform;
		for (const name of ["node_modules", "package.json", "README.md", ".github", "LICENSE"])
			symlinkSync(join(ROOT, name), join(this.dir, name));
		for (const name of ["src", "migrations", "wrangler.toml", "tsconfig.json"])
			cpSync(join(ROOT, name), join(this.dir, name), { recursive: true });
	}

	/** For the test that is under way; removed when it has ended. Others run beside it. */
	static async make(onEnd: TestContext["onTestFinished"]): Promise<Deployment> {
		const deployment = new Deployment(await PlatformDouble.start());
		onEnd(() => deployment.remove());
		return deployment;
	}

	async run(...args: string[]): Promise<{ code: number | null; output: string }> {
		return this.runWith({ CLOUDFLARE_API_TOKEN: "token" }, args);
	}

	async runWith(
		variables: Record<string, string>,
		args: readonly string[],
	): Promise<{ code: number | null; output: string }> {
		const child = spawn(process.execPath, ["src/deploy/cloudflare.ts", "--url", this.platform.url, ...args], {
			cwd: this.dir,
			env: {
				PATH: process.env["PATH"],
				HOME: this.dir,
				...COMPILE_CACHE,
				CLOUDFLARE_API_BASE_URL: `${this.platform.url}/client/v4`,
				CLOUDFLARE_ACCOUNT_ID: ACCOUNT_ID,
				...variables,
			},
			// A group of its own, so that wrangler dies with it.
			detached: true,
			stdio: ["ignore", "pipe", "pipe"],
		});
		this.running = child;
		let output = "";
		for (const stream of [child.stdout, child.stderr])
			stream.setEncoding("utf8").on("data", (text: string) => {
				output += text;
			});
		const [code] = await once(child, "close");
		this.running = null;
		return { code, output };
	}

	/** Kills the run with all that it started. */
	kill(): void {
		if (this.running?.pid) process.kill(-this.running.pid, "SIGKILL");
	}

	file(name: string): string {
		return readFileSync(join(this.dir, ".deploy", name), "utf8");
	}

	remove(): void {
		this.kill();
		this.platform.stop();
		rmSync(this.dir, { recursive: true, force: true });
	}
}

/** What there is once a deployment is done, whatever happened on the way. */
function expectDone({ platform }: Deployment): void {
	expect(platform.faults).toEqual([]);
	expect([platform.databases.size, platform.namespaces.size, platform.workers.size]).toEqual([1, 1, 1]);
	expect(platform.keys.filter((key) => key.revoked_at === null)).toHaveLength(1);
	const [worker] = platform.workers.values();
	expect([...(worker?.secrets.keys() ?? [])].sort()).toEqual(["ADMIN_TOKEN", "KEY_PEPPER", "SIGNING_KEY"]);
}

describe.concurrent("a deployment", () => {
	it("is made by one command, and a second one changes nothing", async ({ onTestFinished }) => {
		const deployment = await Deployment.make(onTestFinished);
		const { platform } = deployment;
		const dry = await deployment.run("--dry-run");
		expect([dry.code, dry.output]).toEqual([0, expect.stringContaining("would create the D1 database svc")]);
		expect(platform.writes).toEqual([]);
		const first = await deployment.run();
		expect(first.output).toMatch(/export SVC_API_KEY=svc_sk_key_1\n/);
		expect(first.code).toBe(0);
		expectDone(deployment);
		const secrets = deployment.file("production.secrets");
		expect(statSync(join(deployment.dir, ".deploy/production.secrets")).mode & 0o777).toBe(0o600);
		for (const [, value = ""] of secrets.matchAll(/^\w+=(\w+)$/gm)) expect(first.output).not.toContain(value);
		const before = platform.writes.length;
		const second = await deployment.run();
		expect([second.code, second.output]).toEqual([0, expect.stringContaining("nothing to do")]);
		expect(platform.writes.slice(before)).toEqual([]);

		// Changed code is a new version with the same secrets; a provider's key goes up with it.
		appendFileSync(join(deployment.dir, "src/ids.ts"), '\nglobalThis.console.debug("changed");\n');
		appendFileSync(join(deployment.dir, ".deploy/production.secrets"), "OPENAI_API_KEY=sk-test\n");
		const changed = await deployment.run();
		expect([changed.code, changed.output]).toEqual([0, expect.stringContaining("with OPENAI_API_KEY")]);
		const [worker] = platform.workers.values();
		expect([worker?.versions.length, worker?.secrets.get("OPENAI_API_KEY")]).toEqual([2, "sk-test"]);
		expect(deployment.file("production.secrets")).toContain(secrets);
		expect(platform.keys).toHaveLength(1);
	});

	it("can be looked at without a login, which only a dry run does without", async ({ onTestFinished }) => {
		const deployment = await Deployment.make(onTestFinished);
		const dry = await deployment.runWith({}, ["--dry-run"]);
		expect([dry.code, dry.output]).toEqual([0, expect.stringContaining("would create the D1 database svc")]);
		expect(dry.output).toMatch(/^no login at Cloudflare works here/);
		const real = await deployment.runWith({}, []);
		expect([real.code, real.output]).toEqual([1, expect.stringContaining("log in with npx wrangler login")]);
		expect(deployment.platform.writes).toEqual([]);
	});

	it("has the operator's catalog of a file, and refuses a wrong one before anything", async ({ onTestFinished }) => {
		const deployment = await Deployment.make(onTestFinished);
		const { platform } = deployment;
		const login = { CLOUDFLARE_API_TOKEN: "token" };
		const document = {
			providers: [{ id: "my-llm", base_url: "https://models.example.com/v1" }],
			models: [
				{
					id: "my-model",
					provider: "my-llm",
					tier: "mid",
					prices: { input: 1, output: 1 },
					limits: { context_window: 8_192, max_output_tokens: 2_048 },
				},
			],
		};
		const write = (file: string, text: string) => writeFileSync(join(deployment.dir, file), text);
		write("local.yaml", "providers:\n  - id: my-llm\n    base_url: http://10.0.0.5:8000/v1\n");
		const refused = await deployment.runWith({ ...login, CATALOG_FILE: "local.yaml" }, []);
		expect([refused.code, refused.output]).toEqual([
			1,
			"local.yaml: line 3, column 15: providers.0.base_url: is of this machine or a private network; UPSTREAM_HOSTS must list its host\nCATALOG_FILE is wrong: nothing was started or changed\n",
		]);
		expect(platform.calls).toEqual([]);

		write("catalog.json", JSON.stringify(document, null, "\t"));
		const first = await deployment.runWith({ ...login, CATALOG_FILE: "catalog.json" }, []);
		expect(first.output).toContain("store the operator's catalog");
		expect(first.code, first.output).toBe(0);
		const [namespace] = platform.namespaces.keys();
		const stored = () => JSON.parse(platform.values.get(`${namespace}/catalog:operator`) ?? "null");
		expect(stored()).toEqual(document);
		const before = platform.writes.length;
		for (const CATALOG_FILE of ["catalog.json", ""]) {
			const again = await deployment.runWith({ ...login, CATALOG_FILE }, []);
			expect([again.code, again.output]).toEqual([0, expect.stringContaining("nothing to do")]);
		}
		expect(platform.writes.slice(before)).toEqual([]);

		// A host of a private network is allowed where the deployed service allows it.
		appendFileSync(join(deployment.dir, ".deploy/production.secrets"), "UPSTREAM_HOSTS=10.0.0.5:8000\n");
		const changed = await deployment.runWith({ ...login, CATALOG_FILE: "local.yaml" }, []);
		expect(changed.code, changed.output).toBe(0);
		expect(stored()).toEqual({ providers: [{ id: "my-llm", base_url: "http://10.0.0.5:8000/v1" }] });
		expect(platform.faults).toEqual([]);
	});

	it("of another environment shares nothing with production", async ({ onTestFinished }) => {
		const deployment = await Deployment.make(onTestFinished);
		await deployment.run("--env", "staging");
		expect([...deployment.platform.workers.keys()]).toEqual(["svc-staging"]);
		expect([...deployment.platform.namespaces.values()]).toEqual(["svc-staging-KV"]);
		expect(deployment.file("staging.toml")).toContain("svc-staging");
	});
});

describe.concurrent("a run that is killed after a call", () => {
	/** The calls that change something, by what they do; of a migration the call after that which makes the table of migrations. */
	const CALLS: [string, (path: string, method: string, queries: number) => boolean][] = [
		["creates the database", (path, method) => path === "/d1/database" && method === "POST"],
		["creates the namespace", (path, method) => path === "/storage/kv/namespaces" && method === "POST"],
		["applies a migration", (_path, _method, queries) => queries === 2],
		["uploads the version", (path, method) => /^\/workers\/scripts\/svc$/.test(path) && method === "PUT"],
		["stores the operator's catalog", (path, method) => /\/values\//.test(path) && method === "PUT"],
		["makes the first key", (path, method) => path === "/internal/keys" && method === "POST"],
	];

	it.for(CALLS)("that %s is finished by the next", async ([_what, isIt], { onTestFinished }) => {
		const deployment = await Deployment.make(onTestFinished);
		let isKilled = false;
		let queries = 0;
		deployment.platform.afterCall = ({ path, method, isWriting }) => {
			if (isWriting && /\/query$/.test(path)) queries++;
			if (isKilled || !isWriting || !isIt(path, method, queries)) return;
			isKilled = true;
			deployment.kill();
		};
		writeFileSync(join(deployment.dir, "catalog.json"), '{"providers":[{"id":"openai","timeout_ms":5000}]}');
		const run = () => deployment.runWith({ CLOUDFLARE_API_TOKEN: "token", CATALOG_FILE: "catalog.json" }, []);
		const killed = await run();
		expect([isKilled, killed.code]).toEqual([true, null]);
		const next = await run();
		expect(next.code, next.output).toBe(0);
		expect(next.output).toMatch(/export SVC_API_KEY=svc_sk_key_\d\n/);
		expectDone(deployment);
		expect([...deployment.platform.values.values()]).toEqual(['{"providers":[{"id":"openai","timeout_ms":5000}]}']);
	});
});

describe.concurrent("what the platform refuses", () => {
	it("is said with what to do, and nothing is half done", async ({ onTestFinished }) => {
		const deployment = await Deployment.make(onTestFinished);
		const { platform } = deployment;
		platform.refuse = () => ({ status: 403, code: 10000, message: "Authentication error" });
		const denied = await deployment.run();
		expect([denied.code, denied.output]).toEqual([1, expect.stringContaining("npx wrangler login")]);

		// The platform is busy twice, then goes on.
		let busy = 2;
		platform.refuse = ({ path, method }) =>
			path === "/d1/database" && method === "POST" && busy-- > 0
				? { status: 503, code: 10013, message: "An unknown error has occurred" }
				: null;
		const retried = await deployment.run();
		expect(retried.code, retried.output).toBe(0);
		expectDone(deployment);
	});

	it("nothing that is something else's is touched", async ({ onTestFinished }) => {
		const deployment = await Deployment.make(onTestFinished);
		const { platform } = deployment;
		platform.workers.set("svc", {
			secrets: new Map([["STRIPE_KEY", "x"]]),
			variables: new Map(),
			bindings: [],
			versions: [],
			migrationTag: null,
		});
		const refused = await deployment.run();
		expect([refused.code, refused.output]).toEqual([1, expect.stringContaining("the Worker svc is something else's")]);
		expect(platform.writes).toEqual([]);
	});

	it("nothing is touched that a version from before made, and another name is free", async ({ onTestFinished }) => {
		const deployment = await Deployment.make(onTestFinished);
		const { platform } = deployment;
		expect((await deployment.run()).code).toBe(0);
		const [database] = platform.databases.values();
		database?.sql.exec("UPDATE d1_migrations SET name = '0000_users.sql' WHERE name = '0000_tables.sql'");
		const before = platform.writes.length;
		const refused = await deployment.run();
		expect([refused.code, refused.output]).toEqual([
			1,
			expect.stringContaining("the database svc was made by a version from before 25 November 2026"),
		]);
		expect(platform.writes.slice(before)).toEqual([]);
		const beside = await deployment.run("--env", "next", "--dry-run");
		expect([beside.code, beside.output]).toEqual([0, expect.stringContaining("would create the D1 database svc-next")]);
	});
});
