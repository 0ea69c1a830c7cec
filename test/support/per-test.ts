// What most tests of the Worker start from: the sandbox as the only upstream, and a key of a new user. Both are made anew for
// each test and taken down after it.
import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { storeCatalog } from "../../src/load-settings.edge.ts";
import { BEDROCK_ROWS } from "./bedrock-rows.ts";
import { newKey, type TestKey, type Upstream, useSandbox } from "./service.ts";

/** The upstream of the current test. */
export interface TestUpstream extends Upstream {
	/** Starts anew for the rest of the test, with what `useSandbox` takes. */
	replace(...parameters: Parameters<typeof useSandbox>): void;
}

/**
 * Registers the hooks of a test file. The two objects it returns stay the same and show what the current test has.
 * @param plan of the key's user.
 */
export function useService(plan: string): { upstream: TestUpstream; key: TestKey } {
	let current: Upstream | undefined;
	const inTest = () => {
		if (!current) throw new Error("the upstream exists only within a test");
		return current;
	};
	const upstream: TestUpstream = {
		get answered() {
			return inTest().answered;
		},
		get requests() {
			return inTest().requests;
		},
		restore: () => inTest().restore(),
		replace(...parameters) {
			inTest().restore();
			current = useSandbox(...parameters);
		},
	};
	const key: TestKey = { user_id: "", key_id: "", plan, key: "" };
	beforeEach(async () => {
		current = useSandbox();
		Object.assign(key, await newKey(plan));
	});
	afterEach(() => inTest().restore());
	return { upstream, key };
}

/** Has models of Bedrock in the catalog for all tests of a file. */
export function useBedrock(): void {
	beforeAll(() => storeCatalog(env, JSON.stringify(BEDROCK_ROWS)));
	afterAll(async () => {
		await storeCatalog(env, "{}");
		await Promise.all([env.KV.delete("catalog:operator"), env.KV.delete("catalog:operator:last")]);
	});
}
