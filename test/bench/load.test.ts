// The benchmark's built-in load generator: loads take turns, and a round ends at the first of its two limits.
import { createServer, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Load, type LoadTarget, runRound } from "./load.ts";
import { splitAtVaried, VARIED } from "./varied.ts";

let server: Server;
let target: LoadTarget;
const paths: (string | undefined)[] = [];
const bodies: string[] = [];

beforeEach(async () => {
	paths.length = 0;
	bodies.length = 0;
	server = createServer(async (request, response) => {
		paths.push(request.url);
		bodies.push(await text(request));
		response.end("sound");
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("the server has no port");
	const url = `http://127.0.0.1:${address.port}`;
	const traits = { keys: ["bench"], headers: {}, pid: null, signs: false, expected: null, inspectorUrl: null };
	target = { name: "test", url, ...traits, stop: async () => undefined };
});

afterEach(() => new Promise((resolve) => server.close(resolve)));

function getLoad(path: string, expected = "sound"): Load {
	return { path, body: splitAtVaried(`{"a":"${VARIED}!"}`), streamed: false, expected, signed: false };
}

it("sends loads in turn, as many as allowed", async () => {
	const limits = { connections: 1, durationMs: 60_000, maxRequests: 3 };
	expect((await runRound(target, [getLoad("/a"), getLoad("/b")], limits)).requests).toBe(3);
	expect(paths).toEqual(["/a", "/b", "/a"]);
});

it("ends after its time where requests are not limited", async () => {
	const limits = { connections: 2, durationMs: 50, maxRequests: Number.POSITIVE_INFINITY };
	const { requests } = await runRound(target, [getLoad("/a")], limits);
	expect(requests).toBe(paths.length);
	expect(requests).toBeGreaterThan(0);
});

it("takes what the target says instead of the load's expected text", async () => {
	const limits = { connections: 1, durationMs: 60_000, maxRequests: 1 };
	await expect(runRound(target, [getLoad("/a", "other")], limits)).rejects.toThrow("answered something else");
	await expect(runRound({ ...target, expected: "sound" }, [getLoad("/a", "other")], limits)).resolves.toBeDefined();
});

it("sends another text with each request, of the same length", async () => {
	const limits = { connections: 2, durationMs: 60_000, maxRequests: 200 };
	await runRound(target, [getLoad("/a")], limits);
	expect(new Set(bodies).size).toBe(200);
	expect(new Set(bodies.map((body) => body.length))).toEqual(new Set([`{"a":"${VARIED}!"}`.length]));
	for (const body of bodies) expect(body).toMatch(/^\{"a":"\d{9}(?: [a-z]{5}){4}!"\}$/);
});
