// Policy checks and risk scores through the front door: what is decided and why, and the trail that each decision leaves.
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { beforeEach, describe, expect, it } from "vitest";
import { always, inOrder, onlyFor, useFaults, writes } from "../support/faults.ts";
import { errorOf, ledgerOf } from "../support/ledger.ts";
import { call, callWith, callWithKey, db, newKey, type TestKey, withKey } from "../support/service.ts";

const WORKSPACE = "acme/shop";
const MANIFEST = {
	protected_paths: ["migrations/", "infra/**/*.tf"],
	forbidden_commands: ["npm publish", "terraform apply"],
};

let key: TestKey;
beforeEach(async () => {
	key = await newKey("pro");
});

interface Decision {
	decision: string;
	risk_score: number;
	risk_tier: string;
	factors: { id: string; label: string; weight: number; triggered: boolean }[];
	reason: string;
	event_id: string;
	created_at: string;
}

interface Event {
	id: string;
	payload: Record<string, unknown>;
}

function ask(body: Record<string, unknown>, own = key): Promise<Response> {
	return callWithKey(own.key, "/v1/policy/check", { workspace_id: WORKSPACE, action: "Change something", ...body });
}

async function check(body: Record<string, unknown> = {}, own = key): Promise<Decision> {
	const response = await ask(body, own);
	expect(response.status, await response.clone().text()).toBe(200);
	return response.json();
}

async function events(query = "", own = key): Promise<Event[]> {
	const response = await callWithKey(own.key, `/v1/audit/events?event_type=policy_check${query}`);
	expect(response.status, await response.clone().text()).toBe(200);
	return ((await response.json()) as { data: Event[] }).data;
}

async function setManifest(manifest: Record<string, unknown>, own = key): Promise<string> {
	const path = `/v1/workspace/${encodeURIComponent(WORKSPACE)}/manifest`;
	const response = await call(path, { ...withKey(own.key, manifest), method: "PUT" });
	expect(response.status).toBe(200);
	return ((await response.json()) as { digest: string }).digest;
}

function triggered({ factors }: Decision): string[] {
	return factors.filter((factor) => factor.triggered).map(({ id }) => id);
}

describe("POST /v1/policy/check", () => {
	it.each<[string, Record<string, unknown>, string, string, string[]]>([
		["nothing but words", {}, "allow", "auto", []],
		["an edit of an ordinary file", { action_kind: "edit", files_affected: ["src/a.ts"] }, "allow", "auto", []],
		["a command that reads", { commands: ["git status && ls -la src | head"] }, "allow", "auto", []],
		["tests", { commands: ["npm test"] }, "allow", "auto", []],
		[
			"a deletion by kind",
			{ action_kind: "delete", files_affected: ["src/a.ts"] },
			"confirm",
			"confirm",
			["delete_action"],
		],
		[
			"a protected file by a built-in rule",
			{ files_affected: ["config/.env"] },
			"approve",
			"approve",
			["protected_path"],
		],
		[
			"a protected file by the manifest",
			{ files_affected: ["migrations/7.sql"] },
			"approve",
			"approve",
			["protected_path"],
		],
		[
			"a protected file by a glob",
			{ files_affected: ["./infra/eu/../us/main.tf"] },
			"approve",
			"approve",
			["protected_path"],
		],
		["a file beside a glob", { files_affected: ["infra/us/README.md"] }, "allow", "auto", []],
		[
			"a redirection into a protected file",
			{ commands: ["echo x > migrations/7.sql"] },
			"approve",
			"approve",
			["protected_path"],
		],
		[
			"an in-place edit of a protected file",
			{ commands: ["cd infra && sed -i s/a/b/ us/main.tf"] },
			"approve",
			"approve",
			["protected_path"],
		],
		[
			"a copy over a protected file",
			{ commands: ["cp /tmp/x migrations/7.sql"] },
			"approve",
			"approve",
			["protected_path"],
		],
		[
			"a built-in forbidden command",
			{ commands: ["terraform destroy -auto-approve"] },
			"deny",
			"block",
			["forbidden_command"],
		],
		[
			"a forbidden command of the manifest",
			{ commands: ["terraform   apply"] },
			"deny",
			"block",
			["forbidden_command"],
		],
		[
			"a forbidden command inside another",
			{ commands: ["bash -c 'cd infra; terraform apply'"] },
			"deny",
			"block",
			["forbidden_command"],
		],
	])("decides on %s", async (_, body, decision, tier, factors) => {
		await setManifest(MANIFEST);
		const decided = await check(body);
		expect([decided.decision, decided.risk_tier], decided.reason).toEqual([decision, tier]);
		expect(triggered(decided)).toEqual(expect.arrayContaining(factors));
		if (decision === "allow") expect([decided.risk_score, triggered(decided)]).toEqual([0, []]);
	});

	it("says all that the interface promises, and lists every factor in one order, whatever was triggered", async () => {
		await setManifest(MANIFEST);
		const bodies = [
			{},
			{ commands: ["npm publish"], files_affected: [".env"], action_kind: "delete", estimated_cost_usd: 99 },
			{ commands: ["terraform apply; rm -rf ~"] },
		];
		for (const body of bodies) {
			const decided = await check(body);
			expect(decided).toEqual({
				decision: expect.stringMatching(/^(?:allow|deny)$/),
				risk_score: expect.any(Number),
				risk_tier: expect.stringMatching(/^(?:auto|block)$/),
				factors: expect.any(Array),
				reason: expect.any(String),
				event_id: expect.stringMatching(/^ae_[0-9A-Z]{26}$/),
				created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
			});
			expect(Number.isInteger(decided.risk_score) && decided.risk_score >= 0 && decided.risk_score <= 100).toBe(true);
			expect(decided.factors.map(({ id }) => id)).toEqual([
				"forbidden_command",
				"oversize_command",
				"protected_path",
				"over_budget",
				"delete_action",
				"risky_command",
				"deploy_action",
				"exec_action",
				"unparsable_command",
			]);
		}
	});

	it("gives a reason that names the tier's threshold and what reached it", async () => {
		await setManifest(MANIFEST);
		const denied = await check({ commands: ["terraform apply"] });
		expect(denied.reason).toContain(`${denied.risk_score} reaches the block threshold of 86`);
		expect(denied.reason).toContain("terraform apply");
		const approve = await check({ files_affected: ["migrations/7.sql"] });
		expect(approve.reason).toContain("65 reaches the approve threshold of 61");
		expect(approve.reason).toContain("migrations/7.sql is protected by migrations/");
		const confirm = await check({ action_kind: "delete" });
		expect(confirm.reason).toContain("35 reaches the confirm threshold of 31");
	});

	it.each<[string, number]>([
		["free", 0.1],
		["personal", 0.5],
		["pro", 2.5],
		["corporate", 10],
	])("on plan %s, asks for confirmation of what costs more than five envelopes, %d USD", async (plan, limitUsd) => {
		const own = await newKey(plan);
		expect((await check({ estimated_cost_usd: limitUsd }, own)).decision).toBe("allow");
		const over = await check({ estimated_cost_usd: limitUsd + 0.001 }, own);
		expect([over.decision, over.risk_score, triggered(over)]).toEqual(["confirm", 40, ["over_budget"]]);
		expect(over.reason).toContain(`${limitUsd} USD`);
	});

	it("holds a manifest's rules above the built-in ones, never instead of them", async () => {
		const outcome = async (body: Record<string, unknown>) => (await check(body)).decision;
		const files = { files_affected: ["migrations/7.sql"] };
		const own = { commands: ["npm publish"] };
		expect([await outcome(files), await outcome(own)]).not.toContain("deny");
		await setManifest({ protected_paths: [...MANIFEST.protected_paths, "!.env"], forbidden_commands: ["npm publish"] });
		expect([await outcome(files), await outcome(own)]).toEqual(["approve", "deny"]);
		expect(await outcome({ files_affected: [".env"] })).toBe("approve");
		expect(await outcome({ commands: ["git push --force"] })).toBe("deny");
	});

	it("does not ask about a command that the manifest allows, and still heeds every other rule", async () => {
		const outcome = async (command: string) => (await check({ commands: [command] })).decision;
		const asking = ["kill -KILL 4711", "echo 'ls' | cat script.txt | bash -s"];
		expect(await Promise.all(asking.map(outcome))).toEqual(["confirm", "confirm"]);
		const rules = { ...MANIFEST, allowed_commands: ["kill -KILL *", "bash *", "rm *", "npm publish", "cp *"] };
		const digest = await setManifest(rules);
		expect(await Promise.all(asking.map(outcome))).toEqual(["allow", "confirm"]);
		expect(await outcome("rm -rf /")).toBe("deny");
		expect(await outcome("npm publish")).toBe("deny");
		expect(await outcome("cp a migrations/7.sql")).toBe("approve");
		expect(await outcome("rm -rf src")).toBe("confirm");
		expect((await events("&limit=1"))[0]?.payload["manifest_digest"]).toBe(digest);
		expect(await setManifest({ ...rules, allowed_commands: [] })).toBe(await setManifest(MANIFEST));
	});

	it("names the command that fired, what would pass instead, and no secret of it", async () => {
		const { reason } = await check({
			commands: ["npm test", "mysql -u root -phunter2Pw -e 'DROP DATABASE shop'", "git branch -M main"],
		});
		expect(reason).toContain("command 2, `");
		expect(reason).toContain("command 3, `git branch -M main`: ");
		expect(reason).not.toContain("hunter2Pw");
		expect(JSON.stringify((await events("&limit=1"))[0]?.payload["reason"])).not.toContain("hunter2Pw");
		const asked = await check({ commands: ["kill -KILL 4711"] });
		expect(asked.reason).toMatch(/A person can list the command in allowed_commands\.$/);
	});

	it("takes the policy of the caller's own workspace, not of another's with the same name, nor of another name", async () => {
		await setManifest(MANIFEST);
		const other = await newKey("pro");
		const body = { files_affected: ["migrations/7.sql"] };
		expect((await check(body)).decision).toBe("approve");
		expect((await check(body, other)).decision).toBe("allow");
		expect((await check({ ...body, workspace_id: "acme/depot" })).decision).toBe("allow");
	});

	it("answers the same input with the same bytes but id and time, whatever the order of its keys", async () => {
		await setManifest(MANIFEST);
		const body = {
			action: "Deploy to production",
			action_kind: "deploy",
			files_affected: [".env", "src/a.ts"],
			commands: ["npm publish", "rm -rf build"],
			estimated_cost_usd: 3,
			context: { a: 1, b: { c: [2], d: null } },
		};
		const reordered = {
			...Object.fromEntries(Object.entries(body).reverse()),
			context: { b: { d: null, c: [2] }, a: 1 },
		};
		const texts: string[] = [];
		for (const sent of [body, body, reordered]) {
			const text = await (await ask(sent)).text();
			const { event_id, created_at } = JSON.parse(text) as Decision;
			texts.push(text.replace(event_id, "ID").replace(created_at, "TIME"));
		}
		expect(new Set(texts).size).toBe(1);
		const payloads = (await events()).map(({ payload }) => JSON.stringify(payload));
		expect(payloads).toHaveLength(3);
		expect(new Set(payloads).size).toBe(1);
	});

	it("reads null and absence alike, and ignores what it does not know", async () => {
		const nothing = {
			action_kind: null,
			files_affected: null,
			commands: null,
			estimated_cost_usd: null,
			context: null,
		};
		await check({ ...nothing, unheard_of: true });
		await check();
		const hashes = (await events()).map(({ payload }) => payload["input_hash"]);
		expect(hashes[0]).toBe(hashes[1]);
	});

	it.each<[string, Record<string, unknown>]>([
		["workspace_id", { workspace_id: "no spaces" }],
		["workspace_id", { workspace_id: undefined }],
		["action", { action: undefined }],
		["action", { action: " \n" }],
		["action", { action: "x".repeat(10_001) }],
		["action_kind", { action_kind: "exec" }],
		["files_affected", { files_affected: "src/a.ts" }],
		["files_affected.1", { files_affected: ["a", 1] }],
		["commands", { commands: "ls" }],
		["commands.0", { commands: [null] }],
		["estimated_cost_usd", { estimated_cost_usd: -0.01 }],
		["estimated_cost_usd", { estimated_cost_usd: "1" }],
		["context", { context: [1] }],
	])("refuses a bad %s, names it and leaves no event", async (path, body) => {
		const response = await ask(body);
		const answer = (await response.json()) as { error: string; issues: { path: string }[] };
		expect([response.status, answer.error, answer.issues[0]?.path]).toEqual([422, "invalid_request", path]);
		expect(await events()).toEqual([]);
	});
});

describe("the event of a check", () => {
	it("echoes what was checked, what was decided, and under which manifest", async () => {
		const digest = await setManifest(MANIFEST);
		const body = {
			action: "Remove the old exporter",
			action_kind: "delete",
			files_affected: ["src/exporter.ts"],
			commands: ["terraform apply"],
			estimated_cost_usd: 1.5,
			context: { ticket: "SHOP-7", nested: { deep: [1, null, "x"] } },
		};
		const decided = await check(body);
		expect(await events()).toEqual([
			{
				id: decided.event_id,
				event_type: "policy_check",
				workspace_id: WORKSPACE,
				actor: `key:${key.key_id}`,
				created_at: decided.created_at,
				decision: decided.decision,
				risk_score: decided.risk_score,
				risk_tier: decided.risk_tier,
				payload: {
					...body,
					factors: triggered(decided),
					reason: decided.reason,
					manifest_digest: digest,
					input_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
					truncated: false,
				},
			},
		]);
	});

	it("cites the manifest in force: the default one, then each that is set", async () => {
		const shown = async () => {
			const response = await callWithKey(key.key, `/v1/workspace/${encodeURIComponent(WORKSPACE)}/manifest`);
			return ((await response.json()) as { digest: string }).digest;
		};
		const expected: string[] = [];
		for (const manifest of [null, MANIFEST, {}, MANIFEST]) {
			if (manifest) await setManifest(manifest);
			await check();
			expected.unshift(await shown());
		}
		const cited = (await events()).map(({ payload }) => payload["manifest_digest"]);
		expect(cited).toEqual(expected);
		expect([new Set(cited).size, cited[0], cited[1]]).toEqual([2, cited[2], cited[3]]);
	});

	it("is written for every check, also for repeated and simultaneous ones", async () => {
		const decided = await Promise.all(Array.from({ length: 20 }, () => check({ commands: ["ls"] })));
		decided.push(await check({ commands: ["ls"] }));
		const ids = new Set(decided.map(({ event_id }) => event_id));
		expect(ids.size).toBe(21);
		expect(new Set((await events("&limit=200")).map(({ id }) => id))).toEqual(ids);
	});

	it("is found by its decision", async () => {
		await check({ commands: ["git push --force"] });
		await check({ action_kind: "delete" });
		const found = await events("&decision=deny");
		expect(found).toMatchObject([{ decision: "deny", payload: { commands: ["git push --force"] } }]);
	});

	it("says that a member is missing, and not what type nothing has", async () => {
		const missing = await callWithKey(key.key, "/v1/policy/check", { action: "Run" });
		expect(await missing.json()).toMatchObject({ issues: [{ path: "workspace_id", message: "is missing" }] });
	});

	it("keeps a context of 64 KiB whole; a byte more is refused", async () => {
		const fits = { note: `${"é".repeat(32_762)}x` };
		expect(new TextEncoder().encode(JSON.stringify(fits)).length).toBe(65_536);
		await check({ context: fits });
		expect((await events())[0]?.payload["context"]).toEqual(fits);
		expect((await ask({ context: { note: `${fits.note}x` } })).status).toBe(422);
	});

	it("keeps the beginning of what is too large, and says so, while the decision saw all of it", async () => {
		const commands = ["(".repeat(1_000_000), "ls"];
		const decided = await check({ commands, context: { ticket: 7 } });
		expect(decided.decision).toBe("deny");
		expect(triggered(decided)).toContain("oversize_command");
		const other = await check({ commands: [`${"(".repeat(999_999)})`, "ls"], context: { ticket: 7 } });
		const [second, first] = await events();
		expect(first?.payload).toMatchObject({
			truncated: true,
			commands: ["(".repeat(500), "ls"],
			context: { ticket: 7 },
			factors: triggered(decided),
		});
		expect([first?.id, second?.id]).toEqual([decided.event_id, other.event_id]);
		expect(second?.payload["commands"]).toEqual(first?.payload["commands"]);
		expect(second?.payload["input_hash"]).not.toBe(first?.payload["input_hash"]);
	});
});

describe("a check in trouble", () => {
	it("is answered and on the record while D1 refuses writes, and once there when it takes them again", async () => {
		await setManifest(MANIFEST);
		const faults = useFaults({ DB: (operation) => (writes(operation) ? "fail" : "pass") });
		const decided: Decision[] = [];
		try {
			decided.push(await check({ commands: ["terraform apply"] }), await check());
			const expected = decided.map(({ event_id }) => event_id).toReversed();
			expect((await events()).map(({ id }) => id)).toEqual(expected);
			await evictDurableObject(ledgerOf(key, WORKSPACE));
			expect((await events(`&workspace_id=${WORKSPACE}`)).map(({ id }) => id)).toEqual(expected);
			expect((await events("&decision=deny")).map(({ id }) => id)).toEqual([decided[0]?.event_id]);
		} finally {
			faults.restore();
		}
		await runDurableObjectAlarm(ledgerOf(key, WORKSPACE));
		const stored = await db
			.prepare("SELECT id FROM audit_events WHERE user_id = ? AND event_type = 'policy_check' ORDER BY id")
			.bind(key.user_id)
			.all<{ id: string }>();
		expect(stored.results.map(({ id }) => id)).toEqual(decided.map(({ event_id }) => event_id).toSorted());
		expect(await events()).toHaveLength(2);
	});

	it("is 503, without decision and event, when the workspace's policy cannot be read", async () => {
		await setManifest(MANIFEST);
		const faults = useFaults({ DB: always("fail") });
		try {
			const response = await ask({ commands: ["ls"] });
			expect(await response.clone().text()).not.toContain("decision");
			expect(await errorOf(response)).toEqual({ status: 503, error: "storage_unavailable", retryAfter: "2" });
		} finally {
			faults.restore();
		}
		expect(await events()).toEqual([]);
	});

	it("is 503, without a decision, when it cannot be put on the record", async () => {
		const faults = useFaults({ WORKSPACE_LEDGER: always("fail") });
		try {
			const response = await ask({ commands: ["ls"] });
			expect(await response.clone().text()).not.toContain("decision");
			expect(await errorOf(response)).toEqual({ status: 503, error: "storage_unavailable", retryAfter: "2" });
		} finally {
			faults.restore();
		}
		expect(await events()).toEqual([]);
	});

	it("leaves one event when the ledger's answer was lost once", async () => {
		const faults = useFaults({ WORKSPACE_LEDGER: onlyFor(["record"], inOrder(["failAfter"])) });
		try {
			const decided = await check();
			expect((await events()).map(({ id }) => id)).toEqual([decided.event_id]);
		} finally {
			faults.restore();
		}
	});
});

describe("POST /v1/risk/score", () => {
	interface Risk {
		object: string;
		score: number;
		tier: string;
		factors: { id: string; label: string; weight: number }[];
	}

	async function score(body: unknown): Promise<Risk> {
		const response = await callWithKey(key.key, "/v1/risk/score", body);
		expect(response.status, await response.clone().text()).toBe(200);
		return response.json();
	}

	it.each<[string, string[], string, string[]]>([
		["edit", [], "auto", []],
		["edit", ["src/a.ts"], "auto", []],
		["edit", [".env"], "approve", ["protected_path"]],
		["read", ["src/a.ts"], "auto", []],
		["delete", [], "confirm", ["delete_action"]],
		["delete", ["src/a.ts"], "confirm", ["delete_action"]],
		["delete", [".git"], "approve", ["protected_path", "delete_action"]],
		["deploy", ["web"], "confirm", ["deploy_action"]],
		["network", ["https://example.com"], "auto", ["network_action"]],
		["exec", ["npm test"], "confirm", ["exec_action"]],
		["exec", ["terraform destroy"], "block", ["forbidden_command", "exec_action"]],
	])("of %s %j is %s", async (kind, targets, tier, factors) => {
		const risk = await score({ kind, targets });
		expect(risk).toEqual({
			object: "risk.score",
			score: expect.any(Number),
			tier,
			factors: factors.map((id) => ({ id, label: expect.any(String), weight: expect.any(Number) })),
		});
		const remaining = risk.factors.reduce((product, { weight }) => product * (1 - weight / 100), 1);
		expect(risk.score).toBe(Math.round(100 * (1 - remaining)));
	});

	it("is a dry run: the same each time, and nothing is on the record", async () => {
		const risks = [];
		for (let i = 0; i < 3; i++) risks.push(await score({ kind: "exec", targets: ["rm -rf /"] }));
		expect(risks[1]).toEqual(risks[0]);
		expect(risks[2]).toEqual(risks[0]);
		expect(await events()).toEqual([]);
	});

	it("needs no storage", async () => {
		await score({ kind: "edit" });
		const faults = useFaults({ DB: always("fail"), WORKSPACE_LEDGER: always("fail") });
		try {
			expect((await score({ kind: "delete", targets: null })).score).toBe(35);
		} finally {
			faults.restore();
		}
	});

	it.each<[string, unknown]>([
		["kind", {}],
		["kind", { kind: "write" }],
		["targets", { kind: "edit", targets: "src/a.ts" }],
		["targets.0", { kind: "edit", targets: [1] }],
	])("refuses a bad %s and names it", async (path, body) => {
		const response = await callWithKey(key.key, "/v1/risk/score", body);
		const answer = (await response.json()) as { error: string; issues: { path: string }[] };
		expect([response.status, answer.error, answer.issues[0]?.path]).toEqual([422, "invalid_request", path]);
	});
});

describe("POST /v1/hooks", () => {
	const ROOT = "/home/ada/shop";
	const QUERY = `workspace=${encodeURIComponent(WORKSPACE)}&root=${encodeURIComponent(ROOT)}`;

	interface HookAnswer {
		hookSpecificOutput?: { hookEventName: string; permissionDecision: string; permissionDecisionReason: string };
	}

	/** What an agent posts before it calls a tool. */
	const called = (tool_name: string, tool_input: unknown, more: Record<string, unknown> = {}) => ({
		hook_event_name: "PreToolUse",
		session_id: "672c9498-463e-4a91-a1ba-92205a2e7848",
		transcript_path: "/home/ada/.claude/x.jsonl",
		cwd: ROOT,
		permission_mode: "default",
		tool_name,
		tool_input,
		tool_use_id: "toolu_1",
		...more,
	});
	/** What it posts after. */
	const ended = (tool_name: string, tool_input: unknown, tool_response: unknown, more: Record<string, unknown> = {}) =>
		called(tool_name, tool_input, { hook_event_name: "PostToolUse", tool_response, ...more });

	function post(body: unknown, agent = "claude-code", own = key, query = QUERY): Promise<Response> {
		return callWithKey(own.key, `/v1/hooks/${agent}?${query}`, body);
	}

	async function decisionOf(body: unknown, agent = "claude-code"): Promise<string> {
		const response = await post(body, agent);
		expect(response.status, await response.clone().text()).toBe(200);
		const answer = (await response.json()) as HookAnswer;
		return answer.hookSpecificOutput?.permissionDecision ?? JSON.stringify(answer);
	}

	async function logged(query: string, own = key): Promise<(Event & { event_type: string; decision?: string })[]> {
		const response = await callWithKey(own.key, `/v1/audit/events?${query}`);
		expect(response.status, await response.clone().text()).toBe(200);
		return ((await response.json()) as { data: (Event & { event_type: string })[] }).data;
	}

	async function minuteLeft(own = key): Promise<number> {
		const response = await callWithKey(own.key, "/v1/usage");
		return Number(response.headers.get("x-ratelimit-remaining-requests"));
	}

	it("lets an agent go on under its own rules, has it ask, or denies, in its own form", async () => {
		await setManifest(MANIFEST);
		const edit = called("Edit", { file_path: `${ROOT}/infra/eu/main.tf`, old_string: "a", new_string: "b" });
		for (const agent of ["claude-code", "codex"]) {
			expect(await decisionOf(called("Bash", { command: "npm test" }), agent)).toBe("{}");
			expect(await decisionOf(called("Bash", { command: "npm publish" }), agent)).toBe("deny");
			expect(await decisionOf(edit, agent)).toBe(agent === "codex" ? "deny" : "ask");
		}
		const outside = called("Edit", { file_path: "/home/bob/notes.md" });
		expect(await decisionOf(outside)).toBe("{}");
		const [event] = await events("&limit=1");
		expect(event?.payload["files_affected"]).toEqual(["/home/bob/notes.md"]);
	});

	it("judges tools of servers by the manifest, whose digest is as before without rules about tools", async () => {
		const call = called("mcp__github__create_issue", { title: "x" });
		expect(await decisionOf(call)).toBe("{}");
		const digest = await setManifest(MANIFEST);
		expect(await decisionOf(call)).toBe("ask");
		expect(await decisionOf(call, "codex")).toBe("deny");
		expect(await setManifest({ ...MANIFEST, tools: { allow: [], unknown: "ask" } })).toBe(digest);
		expect(await setManifest({ ...MANIFEST, tools: { allow: ["github__*"] } })).not.toBe(digest);
		expect(await decisionOf(call)).toBe("{}");
		await setManifest({ ...MANIFEST, tools: { allow: ["github__*"], deny: ["*__create_*"] } });
		expect(await decisionOf(call)).toBe("deny");
		const [event] = await events("&limit=1");
		expect(event?.payload).toMatchObject({ factors: ["forbidden_tool"], tool: "github__create_issue" });
	});

	it.each([
		["tool", { tool: { deny: ["a__*"] } }],
		["tols", { tols: { deny: ["a__*"] } }],
		["tools", { tools: { dney: ["a__*"] } }],
		["tools.unknown", { tools: { unknown: "never" } }],
		["tools.deny.0", { tools: { deny: [" "] } }],
		["tools.deny", { tools: { deny: Array.from({ length: 201 }, () => "a") } }],
	])("refuses a manifest with a mistyped or bad %s", async (path, manifest) => {
		const response = await call(`/v1/workspace/${encodeURIComponent(WORKSPACE)}/manifest`, {
			...withKey(key.key, manifest),
			method: "PUT",
		});
		const answer = (await response.json()) as { issues: { path: string }[] };
		expect([response.status, answer.issues[0]?.path]).toEqual([422, path]);
	});

	it("keeps where a call came from, and finds it by that", async () => {
		await decisionOf(called("Bash", { command: "npm test" }));
		await decisionOf(
			called("Bash", { command: "npm publish" }, { session_id: "s2", cwd: `${ROOT}/a`, permission_mode: "plan" }),
			"codex",
		);
		await check();
		const [decided] = await logged("session_id=s2");
		expect(decided).toMatchObject({
			event_type: "policy_check",
			payload: {
				agent: "codex",
				session_id: "s2",
				directory: `${ROOT}/a`,
				permission_mode: "plan",
				tool: "Bash",
				tool_use_id: "toolu_1",
				commands: ["cd a", "npm publish"],
			},
		});
		const counts = await Promise.all(
			[
				"session_id=672c9498-463e-4a91-a1ba-92205a2e7848",
				"agent=codex",
				"agent=claude-code",
				"permission_mode=plan",
				`directory=${encodeURIComponent(ROOT)}`,
				`agent=codex&session_id=s2&permission_mode=plan&workspace_id=${encodeURIComponent(WORKSPACE)}`,
				"agent=claude-code&session_id=s2",
				"event_type=policy_check",
			].map(async (query) => (await logged(query)).length),
		);
		expect(counts).toEqual([1, 1, 1, 1, 1, 1, 0, 3]);
	});

	it("finds a session by its index, and an agent's events by theirs", async () => {
		for (const [column, index] of [
			["session_id", "audit_events_session"],
			["agent", "audit_events_agent"],
		] as const) {
			const { results } = await db
				.prepare(
					`EXPLAIN QUERY PLAN SELECT id FROM audit_events WHERE user_id = ? AND ${column} = ? ORDER BY created_at DESC, id DESC LIMIT 9`,
				)
				.bind("u", "x")
				.all<{ detail: string }>();
			expect(results.map(({ detail }) => detail).join()).toContain(`INDEX ${index} `);
		}
	});

	it("records what has run, in part where it is long, and counts it against no limit", async () => {
		const left = await minuteLeft();
		const content = "x".repeat(1_000_000);
		expect(await decisionOf(ended("Write", { file_path: "a", content }, { filePath: "a", content }))).toBe("{}");
		expect(
			await decisionOf(ended("Bash", { command: "false" }, undefined, { hook_event_name: "PostToolUseFailure" })),
		).toBe("{}");
		expect(await decisionOf(called("TodoWrite", { todos: [] }))).toBe("{}");
		expect(await decisionOf({ hook_event_name: "SessionStart", session_id: "s", cwd: ROOT, source: "startup" })).toBe(
			"{}",
		);
		expect(await minuteLeft()).toBe(left - 1);
		expect(await decisionOf(called("Bash", { command: "ls" }))).toBe("{}");
		expect(await minuteLeft()).toBe(left - 3);
		const found = (await logged("event_type=tool_recorded")).reverse().map(({ payload }) => payload);
		expect(found).toMatchObject([
			{ agent: "claude-code", tool: "Write", hook_event: "PostToolUse", truncated: true, tool_use_id: "toolu_1" },
			{ tool: "Bash", hook_event: "PostToolUseFailure", response: null, truncated: false },
			{ tool: "TodoWrite", hook_event: "PreToolUse", input: '{"todos":[]}' },
		]);
		expect(found[0]).toMatchObject({ input_chars: expect.any(Number), response_chars: expect.any(Number) });
		expect(JSON.stringify(found[0]).length).toBeLessThan(14_000);
		expect(Number(found[0]?.["input_chars"])).toBeGreaterThan(1_000_000);
	});

	it("keeps no secret of a record that AUDIT_SECRETS=hash keeps from checks, not half of one at the cut", async () => {
		const secret = ["ghp", "Zx81Qm4vT7bLw2Nc9RkYp3Hd6GfJs5AeB0uX"].join("_");
		const hashing = { AUDIT_SECRETS: "hash" } as unknown as Partial<Env>;
		const path = `/v1/hooks/codex?${QUERY}`;
		const padded = `${"y ".repeat(4_085)}${secret}`;
		for (const body of [
			ended("Bash", { command: `echo ${secret}` }, padded),
			called("Bash", { command: `echo ${secret}` }),
		])
			expect((await callWith(hashing, path, withKey(key.key, body))).status).toBe(200);
		const found = await logged("agent=codex");
		expect(found).toHaveLength(2);
		expect(JSON.stringify(found)).not.toContain("Zx81");
		expect(found.map(({ payload }) => payload["session_id"])).toEqual(
			Array(2).fill("672c9498-463e-4a91-a1ba-92205a2e7848"),
		);
	});

	it("bounds the records of a user a minute, and none but theirs", async () => {
		const [owner, other] = [await newKey("free"), await newKey("free")];
		const stop = { hook_event_name: "Stop", session_id: "s", cwd: ROOT };
		const statuses = new Set<number>();
		for (let sent = 0; sent < 600; sent += 50)
			for (const { status } of await Promise.all(Array.from({ length: 50 }, () => post(stop, "codex", owner))))
				statuses.add(status);
		expect([...statuses]).toEqual([200]);
		const refused = await post(stop, "codex", owner);
		expect([refused.status, await refused.json()]).toMatchObject([429, { error: { code: "rate_limit_exceeded" } }]);
		expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
		expect((await post(stop, "codex", other)).status).toBe(200);
		expect((await post(called("Bash", { command: "ls" }), "codex", owner)).status).toBe(200);
	});

	it("is called by an agent's key, not by one that is revoked, and each user has a log of their own", async () => {
		const made = (await (
			await callWithKey(key.key, "/v1/keys", { name: "agent", role: "agent" })
		).json()) as TestKey & { key_id: string };
		expect((await post(called("Bash", { command: "ls" }), "claude-code", made)).status).toBe(200);
		expect((await post(ended("Bash", { command: "ls" }, "a"), "claude-code", made)).status).toBe(200);
		expect(await logged(`actor=key:${made.key_id}`)).toHaveLength(2);
		const other = await newKey("pro");
		expect(await logged("agent=claude-code", other)).toEqual([]);
		expect((await call(`/v1/keys/${made.key_id}`, { ...withKey(key.key), method: "DELETE" })).status).toBe(200);
		expect((await post(ended("Bash", { command: "ls" }, "a"), "claude-code", made)).status).toBe(401);
		expect((await post(called("Bash", { command: "ls" }), "claude-code", made)).status).toBe(401);
	});

	it("blocks without a decision: no failure is a 2xx", async () => {
		const call = called("Bash", { command: "ls" });
		const bad: [unknown, string, string][] = [
			[call, "", "workspace"],
			[call, "workspace=a%20b", "workspace"],
			[call, `workspace=a&root=shop`, "root"],
			[{ ...call, hook_event_name: undefined }, QUERY, "hook_event_name"],
			[{ ...call, tool_name: undefined }, QUERY, "tool_name"],
			[{ ...call, tool_input: "ls" }, QUERY, "tool_input"],
			[{ ...call, cwd: undefined }, QUERY, "cwd"],
			[{ ...call, session_id: "s".repeat(257) }, QUERY, "session_id"],
		];
		for (const [body, query, path] of bad) {
			const response = await post(body, "claude-code", key, query);
			const answer = (await response.json()) as { issues: { path: string }[] };
			expect([response.status, answer.issues[0]?.path]).toEqual([422, path]);
		}
		const faults = useFaults({ DB: always("fail") });
		try {
			expect((await post(call)).status).toBe(503);
		} finally {
			faults.restore();
		}
	});
});
