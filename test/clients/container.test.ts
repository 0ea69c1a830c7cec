// The image's recipe without Docker: its own COPY and link lines make a folder, and its own command starts there.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { canListen, until } from "./process.ts";

const ROOT = join(import.meta.dirname, "../..");
const DOCKERFILE = readFileSync(join(ROOT, "src/deploy/Dockerfile"), "utf8").replaceAll("\\\n", "");
const lines = (word: string) =>
	[...DOCKERFILE.matchAll(new RegExp(`^${word} (.+)$`, "gm"))].map(([, rest = ""]) => rest);

let dir: string;
let app: string;
let volume: string;
let child: ChildProcess | null = null;
let port: number;

interface LockedPackage {
	dev?: boolean;
	/** Neither needed where it is a development package, nor where an optional one lacks its platform. */
	devOptional?: boolean;
}

/** The packages that `npm ci --omit=dev` installs, as links to those of this checkout. */
function linkPackages(target: string): void {
	expect(lines("RUN").join("\n")).toContain("npm ci --omit=dev");
	const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
	for (const [path, { dev, devOptional }] of Object.entries<LockedPackage>(packages)) {
		// Packages within packages come with the link to the outer one.
		const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
		if (name === undefined || dev || devOptional || !existsSync(join(ROOT, path))) continue;
		mkdirSync(join(target, name, ".."), { recursive: true });
		symlinkSync(join(ROOT, path), join(target, name));
	}
}

/** Carries out the recipe, with the packages of this checkout and a folder for the volume. */
function build(): void {
	for (const copy of lines("COPY")) {
		const words = copy.split(/\s+/);
		const target = words.at(-1) ?? "";
		for (const name of words.slice(0, -1))
			cpSync(join(ROOT, name), join(app, target.endsWith("./") ? name : target), {
				recursive: true,
				// As .dockerignore has it.
				filter: (source) => !/\/built(?:\/|$)/.test(source),
			});
	}
	linkPackages(join(app, "node_modules"));
	for (const run of lines("RUN"))
		for (const [, target = "", name = ""] of run.matchAll(/ln -s \/data(\S*) (\S+)/g))
			symlinkSync(join(volume, target), join(app, name));
}

beforeAll(async () => {
	dir = mkdtempSync(join(tmpdir(), "svc-container-"));
	app = join(dir, "svc");
	volume = join(dir, "data");
	mkdirSync(app);
	mkdirSync(volume);
	build();
	for (port = 21_000 + Math.floor(Math.random() * 3_000); !(await canListen(port)); ) port += 2;
});
afterAll(async () => {
	if (child?.exitCode === null) {
		child.kill("SIGKILL");
		await once(child, "close");
	}
	rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});

/** Runs the image's command until it is ready. */
async function start(variables: Record<string, string>): Promise<{ output(): string; stop(): Promise<number | null> }> {
	const [command = "[]"] = lines("CMD");
	const [program = "", ...args] = JSON.parse(command) as string[];
	expect(program).toBe("node");
	const own = Object.fromEntries((lines("ENV")[0] ?? "").split(" ").map((pair) => pair.split("=")));
	const started = spawn(process.execPath, args, {
		cwd: app,
		env: { PATH: process.env["PATH"], HOME: dir, ...own, PORT: String(port), ...variables },
	});
	child = started;
	let output = "";
	for (const stream of [started.stdout, started.stderr])
		stream.on("data", (text) => {
			output += text;
		});
	const closed = once(started, "close");
	await until("the container is ready", 200, () => {
		if (started.exitCode !== null) throw new Error(`it ended: ${output}`);
		return output.includes("ready on");
	});
	return {
		output: () => output,
		async stop() {
			started.kill("SIGTERM");
			const [code] = await closed;
			return code;
		},
	};
}

const variables = { ALLOWED_HOSTS: "svc.example.com", TRUST_PROXY: "1" };
const ask = (path: string, headers: Record<string, string>, body?: object) =>
	fetch(`http://127.0.0.1:${port}${path}`, {
		headers,
		...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
	});

it("keeps everything on its volume: a second container has the same key, secrets and state", async () => {
	const first = await start(variables);
	const { SVC_API_KEY: key = "" } = parseEnv(readFileSync(join(volume, "env.local"), "utf8"));
	const secrets = readFileSync(join(volume, "dev.vars"), "utf8");
	const authorization = `Bearer ${key}`;
	expect((await ask("/v1/usage", { authorization })).status).toBe(200);
	expect(first.output()).toContain("no provider key is configured: no model is called (503)");
	const unserved = await ask(
		"/v1/chat/completions",
		{ authorization },
		{ messages: [{ role: "user", content: "hi" }] },
	);
	expect([unserved.status, await unserved.json()]).toEqual([
		503,
		expect.objectContaining({ error: "no_provider_available" }),
	]);
	expect((await ask("/health", { "mf-original-url": "http://127.0.0.1/" })).status).toBe(400);
	expect(await first.stop()).toBe(0);
	rmSync(app, { recursive: true });
	mkdirSync(app);
	build();
	const second = await start({ ...variables, SANDBOX: "1" });
	expect(second.output()).toContain("answers come from the sandbox");
	expect((await ask("/v1/usage", { authorization })).status).toBe(200);
	expect(readFileSync(join(volume, "dev.vars"), "utf8")).toBe(secrets);
	expect(await second.stop()).toBe(0);
});

it("has nothing in it that git or the image must not have", () => {
	const ignored = readFileSync(join(ROOT, ".dockerignore"), "utf8").split("\n");
	expect(ignored).toContain("*");
	const allowed = ignored.flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []));
	const copied = lines("COPY").flatMap((copy) => copy.split(/\s+/).slice(0, -1));
	expect(allowed.toSorted()).toEqual(copied.toSorted());
	for (const name of copied) expect(existsSync(join(ROOT, name)), name).toBe(true);
});

it("is what compose starts, behind TLS, with time to stop", () => {
	const { services } = parse(readFileSync(join(ROOT, "src/deploy/compose.yaml"), "utf8"));
	expect(services.svc.build).toEqual({ context: "../..", dockerfile: "src/deploy/Dockerfile" });
	expect(services.svc.environment).toMatchObject({
		TRUST_PROXY: "1",
		ALLOWED_HOSTS: expect.stringContaining("SVC_HOST"),
	});
	// All settings: whatever `environment` does not fix comes from one file, which must not override it.
	expect(services.svc.env_file).toEqual([{ path: "../../svc.env", required: false }]);
	expect(Object.keys(services.svc.environment)).toEqual(["ALLOWED_HOSTS", "LOG_ORIGIN", "TRUST_PROXY"]);
	expect(readFileSync(join(ROOT, ".gitignore"), "utf8").split("\n")).toContain("svc.env");
	expect(services.svc.ports).toBeUndefined();
	expect(services.svc.volumes).toEqual(["data:/data"]);
});
