import { describe, expect, it } from "vitest";
import type { Api, ApiAnswer } from "../../../src/console/api.ts";
import { actorLabel, keyLabel, keyOptions, readKeyNames } from "../../../src/console/key-names.ts";

const KEYS = [
	{ key_id: "key_1", name: "web", last4: "aaaa" },
	{ key_id: "key_2", name: null, last4: "bbbb" },
	{ key_id: "key_3", name: "ci", last4: "cccc" },
];

function answering(answer: unknown): Api {
	return { get: async () => answer as ApiAnswer<never> } as unknown as Api;
}

describe("names of keys", () => {
	it("stand for their ids: of one without a name its end, of one that is gone the end of its id", async () => {
		const names = await readKeyNames(answering({ ok: true, value: { data: KEYS } }));
		expect(["key_1", "key_2", "key_01ABCDEFG"].map((id) => keyLabel(names, id))).toEqual([
			"web",
			"unnamed …bbbb",
			"key …BCDEFG",
		]);
		expect(["key:key_3", "operator"].map((actor) => actorLabel(names, actor))).toEqual(["ci", "operator"]);
		expect(keyOptions(names, (id) => `key:${id}`)).toEqual([
			["key:key_3", "ci"],
			["key:key_2", "unnamed …bbbb"],
			["key:key_1", "web"],
		]);
	});

	it("are missing, and nothing else, where the API does not answer", async () => {
		const names = await readKeyNames(answering({ ok: false, failure: {} }));
		expect(keyLabel(names, "key_1")).toBe("key …key_1");
	});
});
