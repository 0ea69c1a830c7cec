// `npm start`: where another program has its port, and what it refuses before the runtime reads it, and when it builds.
import { once } from "node:events";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServiceHome } from "./process.ts";

describe("a port that another program has", () => {
	let home: ServiceHome;
	beforeAll(async () => {
		home = await ServiceHome.make();
	});
	afterAll(() => home?.remove());

	it("is named before anything is built", async () => {
		const server = createServer().listen(home.port, "127.0.0.1");
		await once(server, "listening");
		try {
			const start = home.launch();
			expect(await start.exited).toBe(1);
			expect(start.output).toBe(`the port ${home.port} is in use; stop what uses it, or choose another with PORT=…\n`);
			expect(existsSync(join(home.dir, ".wrangler/svc-bundle"))).toBe(false);
		} finally {
			server.close();
		}
	});
});

describe("a Host that names no host", () => {
	let home: ServiceHome;
	beforeAll(async () => {
		home = await ServiceHome.makeMigrated();
		await home.startReady();
	});
	afterAll(() => home?.remove());

	async function ask(...hosts: string[]): Promise<string> {
		const socket = connect(home.port, "127.0.0.1");
		socket.write(
			["GET /v1/plans HTTP/1.1", ...hosts.map((host) => `Host: ${host}`), "Connection: close", "", ""].join("\r\n"),
		);
		let answer = "";
		for await (const part of socket.setEncoding("utf8")) answer += part;
		return answer;
	}

	it("is 400, on loopback too", async () => {
		for (const hosts of [["a b"], ["[::1"], ["127.0.0.1:99999"], ["user@127.0.0.1"], ["127.0.0.1", "127.0.0.1"]]) {
			const answer = await ask(...hosts);
			expect(answer).toMatch(/^HTTP\/1\.1 400 /);
			expect(answer).toContain('"error":"invalid_host"');
		}
		expect(await ask(`127.0.0.1:${home.port}`)).toMatch(/^HTTP\/1\.1 200 /);
	});
});

describe("the bundle", () => {
	let home: ServiceHome;
	beforeAll(async () => {
		home = await ServiceHome.makeMigrated();
	});
	afterAll(() => home?.remove());

	it("stays while its sources are the same, and is built again from others", async () => {
		const bundle = join(home.dir, ".wrangler/svc-bundle");
		const madeAtMs = () => statSync(join(bundle, "index.js")).mtimeMs;
		const before = madeAtMs();
		const start = await home.startReady();
		expect(madeAtMs()).toBe(before);
		start.process.kill("SIGTERM");
		await start.exited;
		writeFileSync(join(bundle, "sources.sha256"), "of other sources");
		await home.startReady();
		expect(madeAtMs()).toBeGreaterThan(before);
	});
});
