// Names of a request (session, end user, metadata) at every entrance: what is refused, what is warned of, and that no provider is sent
// more for them.
import { describe, expect, it, vi } from "vitest";
import { useService } from "../support/per-test.ts";
import { call, callWithKey, db, withKey } from "../support/service.ts";

const { upstream, key } = useService("corporate");

type Json = Record<string, unknown>;

interface Listed extends Json {
	request_id: string;
}

const hello = [{ role: "user", content: "Say hello" }];

/** Each entrance with the least body that it answers. */
const ENDPOINTS: readonly { path: string; body: Json }[] = [
	{ path: "/v1/chat/completions", body: { messages: hello } },
	{ path: "/v1/responses", body: { input: "Say hello", max_output_tokens: 2000 } },
	{ path: "/v1/messages", body: { messages: hello, max_tokens: 100 } },
	{ path: "/v1/skills/debugging/invoke", body: { task: "Say hello" } },
	{ path: "/v2/orchestrate", body: { messages: hello, strategy: "single" } },
	{ path: "/v2/code", body: { task: "Print hello in Python", review: false } },
	{ path: "/v1/agent/run", body: { goal: "Say hello", max_steps: 1, max_cost_usd: 0.05 } },
];

function post(path: string, body: Json, headers: Record<string, string> = {}): Promise<Response> {
	const init = withKey(key.key, body);
	return call(path, { ...init, headers: { ...init.headers, ...headers } });
}

/** The warnings in an answer. */
async function warningsOf(response: Response): Promise<{ code: string; param: string | null }[]> {
	expect(response.status, await response.clone().text()).toBe(200);
	const { svc } = (await response.json()) as { svc?: { warnings?: { code: string; param: string | null }[] } };
	return svc?.warnings ?? [];
}

describe.each(ENDPOINTS)("at $path", ({ path, body }) => {
	it("names are taken without a warning, and providers are sent the same as without them", async () => {
		const sentBodies = () => upstream.requests.map((request) => JSON.stringify(request.body));
		expect(await warningsOf(await post(path, body))).toEqual([]);
		const plain = sentBodies();
		upstream.replace();
		const named = { ...body, metadata: { team: "blue", "ticket no": "T-1" } };
		expect(await warningsOf(await post(path, named, { "x-session-id": "session one" }))).toEqual([]);
		// Work of many calls marks its texts with a nonce.
		const hasNonce = path.startsWith("/v2/") || path.startsWith("/v1/agent");
		const sent = sentBodies();
		expect(sent).toHaveLength(plain.length);
		if (!hasNonce) expect(sent).toEqual(plain);
		expect(sent.join("")).not.toMatch(/ticket no|T-1|session one/);
	});

	it("names stand with the request's row, and in no receipt and no log line", async () => {
		const lines = vi.spyOn(console, "log");
		const end = path === "/v1/messages" ? {} : { user: "mark-user" };
		const metadata = { pair: "mark-pair", ...(path === "/v1/messages" ? { user_id: "mark-user" } : {}) };
		const response = await post(path, { ...body, ...end, metadata }, { "x-session-id": "mark-session" });
		expect(response.status).toBe(200);
		await response.text();
		const listed = await (await callWithKey(key.key, "/v1/requests?limit=1")).json<{ data: Listed[] }>();
		const [row] = listed.data;
		expect(row).toMatchObject({
			session_id: "mark-session",
			end_user: "mark-user",
			metadata: { pair: "mark-pair" },
		});
		const receipt = await (await callWithKey(key.key, `/v1/proof/${row?.request_id}`)).text();
		expect(receipt).toContain(row?.request_id);
		expect(receipt).not.toContain("mark-");
		expect(lines).toHaveBeenCalled();
		expect(JSON.stringify(lines.mock.calls)).not.toContain("mark-");
		lines.mockRestore();
		const { results } = await db.prepare("SELECT * FROM usage_days").all();
		expect(JSON.stringify(results)).not.toContain("mark-");
	});

	it("an odd session id is no error, and a warning names its place", async () => {
		const warnings = await warningsOf(await post(path, body, { "x-claude-code-session-id": "x".repeat(129) }));
		expect(warnings).toMatchObject([{ code: "parameter_dropped", param: "x-claude-code-session-id" }]);
	});

	it("metadata beyond its bounds is 422, in the entrance's own form, before anything is called", async () => {
		const response = await post(path, { ...body, metadata: { team: 7 } });
		expect(response.status).toBe(422);
		const text = await response.text();
		expect(text).toContain("metadata.team");
		expect(text).toContain("must be a string");
		const { error, type } = JSON.parse(text) as { error: unknown; type?: string };
		if (path === "/v1/messages") expect(type).toBe("error");
		else if (path === "/v1/responses") expect(error).toMatchObject({ param: "metadata.team" });
		else expect(error).toBe("invalid_request");
		expect(upstream.requests).toHaveLength(0);
	});
});
