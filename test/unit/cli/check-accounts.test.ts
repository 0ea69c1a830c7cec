// `npm run check:accounts` as a process: what it asks, prints, and ends with.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";

const COMMAND = join(import.meta.dirname, "../../../src/cli/check-accounts.ts");

/** Runs the command against a service that answers page by page. */
async function check(pages: { agrees: boolean | null }[][], ...args: string[]) {
	const asked: string[] = [];
	const server = createServer((request, response) => {
		asked.push(`${request.headers.authorization} ${request.url}`);
		const page = asked.length;
		response.setHeader("content-type", "application/json");
		response.end(JSON.stringify({ data: pages[page - 1] ?? [], next: page < pages.length ? `usr_${page}` : null }));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	const child = spawn(process.execPath, [COMMAND, ...args, "--url", `http://127.0.0.1:${port}`], {
		env: { ...process.env, ADMIN_TOKEN: "a token for the test" },
	});
	let printed = "";
	child.stdout.on("data", (chunk: Buffer) => (printed += chunk));
	const status = await new Promise((resolve) => child.on("exit", resolve));
	server.close();
	return { status, asked, lines: printed.split("\n").filter((line) => line !== "") };
}

it("asks page by page, prints a line for each user, and ends with 0 when all agree", async () => {
	const { status, asked, lines } = await check([[{ agrees: true }, { agrees: true }], [{ agrees: true }]]);
	expect(status).toBe(0);
	expect(asked).toEqual([
		"Bearer a token for the test /internal/accounts/check?after=",
		"Bearer a token for the test /internal/accounts/check?after=usr_1",
	]);
	expect(lines.map((line) => JSON.parse(line))).toEqual(Array(3).fill({ agrees: true }));
});

it.each([false, null])("ends with 1 when one user's is %s, and still goes through all", async (agrees) => {
	const { status, lines } = await check([[{ agrees }], [{ agrees: true }]]);
	expect([status, lines.length]).toEqual([1, 2]);
});

it("ends with 1 for a user that there is none of", async () => {
	const { status, asked } = await check([[]], "--user", "nobody & sons");
	expect(status).toBe(1);
	expect(asked[0]).toContain("user=nobody+%26+sons");
});
