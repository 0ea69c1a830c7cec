// `npm start` where another program has its port.
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
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
