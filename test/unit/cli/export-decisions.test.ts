// `npm run export:decisions` as a process: what it asks, prints, and ends with.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";

const COMMAND = join(import.meta.dirname, "../../../src/cli/export-decisions.ts");

/** Runs the command against a service that answers page by page, and with 503 where a page is null. */
async function exportFrom(pages: (object[] | null)[]) {
	const requests: string[] = [];
	const server = createServer((request, response) => {
		requests.push(`${request.headers.authorization} ${request.url}`);
		const count = requests.length;
		const data = pages[count - 1] ?? null;
		response.statusCode = data === null ? 503 : 200;
		response.setHeader("content-type", "application/json");
		const next = count < pages.length ? `svc-${count}` : null;
		response.end(JSON.stringify(data === null ? { error: "storage_unavailable", message: "away" } : { data, next }));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	const child = spawn(process.execPath, [COMMAND, "--url", `http://127.0.0.1:${port}`], {
		env: { ...process.env, ADMIN_TOKEN: "a token for the test" },
	});
	let stdout = "";
	let stderr = "";
	child.stdout.on("data", (chunk: Buffer) => (stdout += chunk));
	child.stderr.on("data", (chunk: Buffer) => (stderr += chunk));
	const status = await new Promise((resolve) => child.on("close", resolve));
	server.close();
	return { status, requests, lines: stdout.split("\n").filter((line) => line !== ""), stderr };
}

it("goes through all pages, and prints nothing but one JSON object a line", async () => {
	const { status, requests, lines, stderr } = await exportFrom([[{ n: 1 }, { n: 2, reason: "a\nb" }], [{ n: 3 }]]);
	expect([status, stderr]).toEqual([0, ""]);
	expect(requests).toEqual([
		"Bearer a token for the test /internal/decisions?after=",
		"Bearer a token for the test /internal/decisions?after=svc-1",
	]);
	expect(lines.map((line) => JSON.parse(line))).toEqual([{ n: 1 }, { n: 2, reason: "a\nb" }, { n: 3 }]);
});

it("prints nothing where there is nothing", async () => {
	expect(await exportFrom([[]])).toMatchObject({ status: 0, lines: [] });
});

it("ends with 1 when a page fails, so that a part is not taken for the whole", async () => {
	const { status, lines, stderr } = await exportFrom([[{ n: 1 }], null]);
	expect([status, lines.length]).toEqual([1, 1]);
	expect(stderr).toMatch(/answered 503: away/);
});
