// The client as a package: packed, installed in a fresh folder, and used there against the running service by the page's own lines.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildClient } from "../../src/cli/build-client.ts";
import { startTestService, type TestService } from "./support.ts";

const ROOT = join(import.meta.dirname, "../..");

let dir: string;
let project: string;
let service: TestService;
let key: string;

/** Runs a command and returns what it wrote. Not synchronously: the sandbox is in this process. */
async function run(command: string, args: string[], cwd: string, env: Record<string, string> = {}): Promise<string> {
	const variables = { PATH: process.env["PATH"] ?? "", HOME: dir, ...env };
	const { stdout } = await promisify(execFile)(command, args, { cwd, env: variables });
	return stdout;
}

function npm(args: string[], cwd: string): Promise<string> {
	const script = process.env["npm_execpath"];
	const quiet = [...args, "--offline", "--no-audit", "--no-fund", "--loglevel=error"];
	return script ? run(process.execPath, [script, ...quiet], cwd) : run("npm", quiet, cwd);
}

beforeAll(async () => {
	dir = mkdtempSync(join(tmpdir(), "svc-package-"));
	project = join(dir, "project");
	mkdirSync(project);
	writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
	await npm(["pack", await buildClient(join(dir, "built"))], dir);
	const tarball = readdirSync(dir).find((name) => name.endsWith(".tgz")) ?? "";
	await npm(["install", join(dir, tarball)], project);
	service = await startTestService();
	key = (await service.newKey("corporate")).key;
});
afterAll(async () => {
	await service?.stop();
	rmSync(dir, { recursive: true, force: true });
});

const environment = () => ({ SVC_BASE_URL: `${service.url}/v1`, SVC_API_KEY: key });

/** Runs an example of the page, by its place. @returns what it printed. */
function runExample(place: number): Promise<string> {
	const page = readFileSync(join(ROOT, "src/docs/client.md"), "utf8");
	const examples = [...page.matchAll(/```js\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
	const file = `example-${place}.js`;
	writeFileSync(join(project, file), examples[place] ?? "");
	return run(process.execPath, [file], project, environment());
}

it("calls functions for an agent, and asks before it sends, as its page shows", async () => {
	const output = await runExample(1);
	expect(output).toMatch(/^send_note \{.*"to":"ada@example.com".*\}: Needs confirmation/m);
	expect(output).toMatch(/^complete /m);
});

it("does what its page shows, with nothing else installed", async () => {
	const output = await runExample(0);
	expect(output).toMatch(/^planned$/m);
	expect(output).toMatch(/^complete 0\.\d+ /m);
	expect(output).toMatch(/^deny /m);
	expect(output).toMatch(/^true \[/m);
	expect(output).toMatch(/^run_not_found 404 svc-/m);
	expect(readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["svc-client"]);
});

it("has types of its own that a strict compiler accepts, and that refuse what the service does not take", async () => {
	const lines = (body: string) => `import { createClient } from "svc-client";
const svc = createClient({ baseUrl: "http://127.0.0.1" });
const route = await svc.route(${body});
const model: string = route.candidates[0]?.model ?? "";
export { model };
`;
	writeFileSync(join(project, "right.ts"), lines('{ prompt: "hi", routing_mode: "quality" }'));
	writeFileSync(join(project, "wrong.ts"), lines('{ prompt: "hi", routing_mode: "fastest" }'));
	const options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2024", "--types", ""];
	const compile = (file: string) =>
		run(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), ...options, file], project);
	await compile("right.ts");
	await expect(compile("wrong.ts")).rejects.toMatchObject({ stdout: expect.stringMatching(/fastest/) });
});

it("verifies a saved receipt with its second module", async () => {
	const script = `import { verifyProof } from "svc-client/verification";
import { createClient } from "svc-client";
const svc = createClient();
const { id } = await svc.chat({ messages: [{ role: "user", content: "hi" }] });
const text = await (await fetch(svc.origin + "/v1/proof/" + id)).text();
const publicKeys = await (await fetch(svc.origin + "/v1/proof/pubkey")).text();
const found = await verifyProof(text, { publicKeys });
const forged = await verifyProof(text.replace('"cost_usd":', '"cost_usd":1'), { publicKeys });
console.log(found.isValid, forged.isValid);
`;
	writeFileSync(join(project, "verify.js"), script);
	expect(await run(process.execPath, ["verify.js"], project, environment())).toBe("true false\n");
});

it("brings the command line, which needs nothing else either", async () => {
	const bin = join(project, "node_modules/.bin/svc");
	expect(await run(bin, ["chat", "Say hello"], project, environment())).toContain('you wrote "Say hello"');
	expect(await run(bin, ["completion", "bash"], project)).toContain("complete -o default -F _svc svc");
	const { id } = JSON.parse(await run(bin, ["chat", "--json", "hi"], project, environment()));
	expect(await run(bin, ["verify", id], project, environment())).toMatch(/^ok {4}signature: holds/m);
});
