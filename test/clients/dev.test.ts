// `npm run dev` on a fresh clone: what is missing is made, and it is what `npm start` uses.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey } from "../../src/cli/operator.ts";
import { expectRunning, type Launch, ServiceHome, until } from "./process.ts";
import { chat } from "./support.ts";

let home: ServiceHome;
let dev: Launch;
let key = "";

beforeAll(async () => {
	home = await ServiceHome.make();
	dev = home.launch({}, "src/cli/dev.ts");
	await until("wrangler is ready", 50, () => {
		expectRunning(dev);
		return /Ready on /.test(dev.output);
	});
});
afterAll(() => home?.remove());

function adminToken(): string {
	return parseEnv(readFileSync(join(home.dir, ".dev.vars"), "utf8"))["ADMIN_TOKEN"] ?? "";
}

describe("npm run dev on a fresh clone", () => {
	it("has secrets, a migrated database and an upstream that answers", async () => {
		({ key } = await createKey(home.url, adminToken(), "me", "corporate"));
		const response = await chat(home.url, key, "Say hello");
		expect([response.status, response.headers.get("x-svc-sandbox")]).toEqual([200, "1"]);
	});

	it("keeps a start from its state, and hands it on when it has stopped", async () => {
		const second = home.launch();
		expect(await second.exited).not.toBe(0);
		expect(second.output).toContain("already running");
		dev.process.kill("SIGTERM");
		expect(await dev.exited).toBe(0);
		expect(existsSync(join(home.dir, ".wrangler/state/owner.pid"))).toBe(false);
		await home.startReady();
		expect((await fetch(`${home.url}/v1/usage`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
	});
});
