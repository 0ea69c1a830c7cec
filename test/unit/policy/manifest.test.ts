// Manifests: which bodies are accepted, what two equal manifests are, and their digest.
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	defaultManifest,
	manifestDigest,
	manifestRequestSchema,
	normalizeManifest,
	workspaceManifestSchema,
} from "../../../src/policy/manifest.ts";

const FULL = {
	workspace_id: "acme/web",
	project_name: "Web",
	stack: ["TypeScript", "Hono"],
	protected_paths: ["infra/", "infra/"],
	forbidden_commands: ["rm -rf"],
	require_handoffs: true,
	require_risk_gate: false,
};

function messages(body: unknown): string[] {
	const parsed = manifestRequestSchema.safeParse(body);
	return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

describe("a manifest", () => {
	it("needs a workspace id and nothing else", () => {
		expect(messages({ workspace_id: "w" })).toEqual([]);
		expect(messages({})).toHaveLength(1);
		expect(messages({ workspace_id: "a b" })[0]).toContain("workspace_id: must be 1 to 128 characters");
	});

	it("says which member is wrong and what its limit is", () => {
		expect(messages({ workspace_id: "w", project_name: "x".repeat(501) })).toEqual([
			"project_name: must have at most 500 characters",
		]);
		expect(messages({ workspace_id: "w", stack: Array(201).fill("x") })).toEqual([
			"stack: must have at most 200 entries",
		]);
		expect(messages({ workspace_id: "w", protected_paths: ["ok", "x".repeat(501)] })).toEqual([
			"protected_paths.1: must have at most 500 characters",
		]);
		expect(messages({ workspace_id: "w", forbidden_commands: "rm" })[0]).toMatch(/^forbidden_commands: /);
		expect(messages({ workspace_id: "w", require_handoffs: "yes" })[0]).toMatch(/^require_handoffs: /);
		expect(messages({ workspace_id: "w", require_risk_gate: 1 })[0]).toMatch(/^require_risk_gate: /);
	});

	it("has all seven members in its normal form, and no others", () => {
		const request = manifestRequestSchema.parse({ workspace_id: "w", project_name: null, owner: "someone" });
		expect(normalizeManifest(request)).toEqual({
			workspace_id: "w",
			project_name: null,
			stack: [],
			protected_paths: [],
			forbidden_commands: [],
			require_handoffs: false,
			require_risk_gate: false,
		});
		expect(normalizeManifest(manifestRequestSchema.parse(FULL))).toEqual(FULL);
		expect(workspaceManifestSchema.parse(defaultManifest("w"))).toEqual(normalizeManifest(request));
	});

	it("has allowed commands only where it lists some, so that no digest without them changes", () => {
		const digest = (body: unknown) => manifestDigest(normalizeManifest(manifestRequestSchema.parse(body)));
		const normal = (body: unknown) => normalizeManifest(manifestRequestSchema.parse(body));
		for (const allowed_commands of [undefined, null, []]) {
			expect(Object.keys(normal({ ...FULL, allowed_commands }))).not.toContain("allowed_commands");
			expect(digest({ ...FULL, allowed_commands })).toBe(manifestDigest(FULL));
		}
		const allowing = normal({ ...FULL, allowed_commands: ["npm run *"] });
		expect(allowing).toEqual({ ...FULL, allowed_commands: ["npm run *"] });
		expect(workspaceManifestSchema.parse(JSON.parse(JSON.stringify(allowing)))).toEqual(allowing);
		expect(manifestDigest({ ...FULL, allowed_commands: [] })).toBe(manifestDigest(FULL));
		expect(messages({ workspace_id: "w", allowed_commands: Array(201).fill("x") })).toEqual([
			"allowed_commands: must have at most 200 entries",
		]);
		expect(messages({ workspace_id: "w", allowed_commands: ["x".repeat(501)] })).toHaveLength(1);
	});

	it("says of self-approval only that it is forbidden, so that no digest without it changes", () => {
		const digest = (tools: unknown) =>
			manifestDigest(normalizeManifest(manifestRequestSchema.parse({ ...FULL, tools })));
		const normal = (tools: unknown) => normalizeManifest(manifestRequestSchema.parse({ ...FULL, tools }));
		const denying = { deny: ["send_*"] };
		for (const self_approval of [undefined, null, true]) {
			expect(digest({ self_approval })).toBe(manifestDigest(FULL));
			expect(digest({ ...denying, self_approval })).toBe(digest(denying));
			expect(normal({ ...denying, self_approval }).tools).toEqual({ ...denying, allow: [], ask: [], unknown: "ask" });
		}
		const forbidding = normal({ self_approval: false });
		expect(forbidding.tools).toEqual({ allow: [], ask: [], deny: [], unknown: "ask", self_approval: false });
		expect(workspaceManifestSchema.parse(JSON.parse(JSON.stringify(forbidding)))).toEqual(forbidding);
		expect(new Set([FULL, forbidding, normal(denying)].map(manifestDigest)).size).toBe(3);
		expect(messages({ workspace_id: "w", tools: { self_aproval: false } })).toHaveLength(1);
	});

	it("is equal to one that says null, [] or false where it says nothing", () => {
		const spelled = {
			workspace_id: "w",
			project_name: null,
			stack: [],
			protected_paths: null,
			forbidden_commands: [],
			require_handoffs: null,
			require_risk_gate: false,
		};
		const digest = (body: unknown) => manifestDigest(normalizeManifest(manifestRequestSchema.parse(body)));
		expect(digest(spelled)).toBe(digest({ workspace_id: "w" }));
	});
});

describe("a manifest's digest", () => {
	it("is SHA-256 of its canonical JSON with a type, so that anyone can recompute it", () => {
		const canonical =
			'{"forbidden_commands":["rm -rf"],"project_name":"Web","protected_paths":["infra/","infra/"],' +
			'"require_handoffs":true,"require_risk_gate":false,"stack":["TypeScript","Hono"],' +
			'"type":"svc.manifest.v1","workspace_id":"acme/web"}';
		expect(manifestDigest(FULL)).toBe(`sha256:${createHash("sha256").update(canonical).digest("hex")}`);
	});

	it("does not depend on the order of keys", () => {
		fc.assert(
			fc.property(fc.shuffledSubarray(Object.entries(FULL), { minLength: 7 }), (members) => {
				const manifest = normalizeManifest(manifestRequestSchema.parse(Object.fromEntries(members)));
				expect(manifestDigest(manifest)).toBe(manifestDigest(FULL));
			}),
		);
	});

	it("changes with every member, with the order of a list and with a duplicate", () => {
		const variants = [
			FULL,
			{ ...FULL, workspace_id: "acme/web2" },
			{ ...FULL, project_name: null },
			{ ...FULL, project_name: "" },
			{ ...FULL, stack: ["Hono", "TypeScript"] },
			{ ...FULL, protected_paths: ["infra/"] },
			{ ...FULL, forbidden_commands: [] },
			{ ...FULL, allowed_commands: ["a", "b"] },
			{ ...FULL, allowed_commands: ["b", "a"] },
			{ ...FULL, require_handoffs: false },
			{ ...FULL, require_risk_gate: true },
		];
		expect(new Set(variants.map(manifestDigest)).size).toBe(variants.length);
	});
});
