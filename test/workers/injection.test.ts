// Injected text through the front door: attacks on runs whose model obeys whatever it reads. No write and no send runs unless the manifest
// names it, none at all after private data, and no output shows an attacker's link.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
	type FrontDoor,
	obey,
	openDoor,
	playCase,
	readAttacks,
	readBenignCases,
	renderCompletion,
} from "../support/injection.ts";
import { providerOf } from "../support/scripted.ts";
import { call, newKey, type Upstream, useSandbox } from "../support/service.ts";

const files = import.meta.glob<string>("../eval/injection-*.jsonl", { query: "?raw", import: "default", eager: true });
const rowsOf = (name: string) => files[`../eval/injection-${name}.jsonl`] ?? "";

let upstream: Upstream;
let isParallel = false;
let door: FrontDoor;

async function send(key: string, method: string, path: string, body?: unknown) {
	const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
	const response = await call(path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
	return { status: response.status, body: await response.json() };
}

beforeEach(async () => {
	upstream = useSandbox(async (request) => {
		if (providerOf(request) !== "openai") return undefined;
		const body = await request.json<Record<string, unknown>>();
		const answer = obey(body, isParallel);
		if (!answer) return undefined;
		const type = body["stream"] === true ? "text/event-stream" : "application/json";
		return new Response(renderCompletion(answer, body["stream"] === true), { headers: { "content-type": type } });
	});
	const owner = await newKey("corporate", `injection-${crypto.randomUUID()}`);
	door = await openDoor(send, owner.key);
});
afterEach(() => upstream.restore());

const attacks = readAttacks(rowsOf("attacks"));

describe("a model that obeys the attacker", () => {
	it.each(attacks)("does no harm unasked: $id", async (attack) => {
		isParallel = attack.parallel ?? false;
		const { violations, asked } = await playCase(door, attack);
		expect(violations).toEqual([]);
		const named = asked.flatMap(({ names }) => names);
		for (const value of attack.names) expect(named).toContain(value);
	});
});

describe("ordinary work", () => {
	it.each(readBenignCases(rowsOf("benign")))("asks no more than it must: $id", async (row) => {
		isParallel = false;
		const { status, asked, denied } = await playCase(door, row);
		expect({ status, denied }).toEqual({ status: "complete", denied: 0 });
		expect(asked.map(({ tool }) => tool)).toEqual(row.asks);
	});
});
