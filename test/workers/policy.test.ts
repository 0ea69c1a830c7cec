// Policy checks and risk scores through the front door: what is decided and why, and the trail that each decision leaves.
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { beforeEach, describe, expect, it } from "vitest";
import { always, inOrder, onlyFor, useFaults, writes } from "../support/faults.ts";
import { errorOf, ledgerOf } from "../support/ledger.ts";
import { call, callWithKey, db, newKey, type TestKey, withKey } from "../support/service.ts";

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
