// Where a key comes from, which decides whether it may approve: drawn histories of keys that are made and rotated, against a model.
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { ulid } from "ulid";
import { describe, expect, it } from "vitest";
import { database } from "../../src/db/client.edge.ts";
import { comesFrom } from "../../src/keys/key-origins.store.ts";
import { useService } from "../support/per-test.ts";
import { call, callWithKey, newKey, type TestKey, withKey } from "../support/service.ts";

useService("corporate");

/** A key as the model knows it. */
interface DrawnKey {
	id: string;
	key: string;
	replaced: string | null;
	maker: string | null;
}

type Change = { change: "make" | "rotate"; by: number; of: number };

const histories = fc.array(
	fc.record<Change>({ change: fc.constantFrom("make", "rotate"), by: fc.nat(20), of: fc.nat(20) }),
	{ minLength: 1, maxLength: 8 },
);

/** What a change makes; nothing where the calling key was rotated and ends before the key that it would make. */
async function change(keys: DrawnKey[], { change, by, of }: Change): Promise<DrawnKey[]> {
	const maker = keys[by % keys.length] as DrawnKey;
	const target = keys[of % keys.length] as DrawnKey;
	const path = change === "make" ? "/v1/keys" : `/v1/keys/${target.id}/rotate`;
	const response = await callWithKey(maker.key, path, change === "make" ? {} : { overlap_seconds: 3_600 });
	if (response.status === 403) return [];
	const made: { key_id: string; key: string; made_by: string; rotated_from: string | null } = await response.json();
	expect([response.status, made.made_by]).toEqual([200, maker.id]);
	return [{ id: made.key_id, key: made.key, replaced: made.rotated_from, maker: maker.id }];
}

/** The keys of the side of one, said once more: grown from its rotation line until nothing is added. */
function sideOf(origin: DrawnKey, keys: readonly DrawnKey[]): Set<string> {
	const side = new Set<string>();
	for (let at: DrawnKey | undefined = origin; at; at = keys.find(({ id }) => id === at?.replaced)) side.add(at.id);
	for (let size = 0; size < side.size; ) {
		size = side.size;
		for (const { id, replaced, maker } of keys) if (side.has(replaced ?? "") || side.has(maker ?? "")) side.add(id);
	}
	return side;
}

describe("a key comes from another", () => {
	it("through any number of rotations and makers, and from nobody else", async () => {
		const db = database(env.DB);
		await fc.assert(
			fc.asyncProperty(histories, async (history) => {
				const user = `user ${ulid()}`;
				const roots = [await newKey("corporate", user), await newKey("corporate", user)];
				const [{ user_id }] = roots as [TestKey, TestKey];
				const keys = roots.map(({ key_id, key }): DrawnKey => ({ id: key_id, key, replaced: null, maker: null }));
				for (const each of history) keys.push(...(await change(keys, each)));
				for (const origin of keys) {
					const side = sideOf(origin, keys);
					for (const { id } of keys)
						expect([id, await comesFrom(db, user_id, id, { origin: origin.id })]).toEqual([id, side.has(id)]);
				}
			}),
			{ numRuns: 10, seed: 20_261_128 },
		);
	});

	it("also when the key between them is deleted", async () => {
		const owner = await newKey("pro");
		const second: TestKey = await (await callWithKey(owner.key, "/v1/keys", {})).json();
		const third: TestKey = await (await callWithKey(second.key, "/v1/keys", { role: "approver" })).json();
		await call(`/v1/keys/${second.key_id}`, { ...withKey(owner.key), method: "DELETE" });
		const from = (id: string, origin: string) => comesFrom(database(env.DB), owner.user_id, id, { origin });
		expect(await from(third.key_id, owner.key_id)).toBe(true);
		expect(await from(owner.key_id, third.key_id)).toBe(false);
	});

	it("of the operator's alone where the operator made or rotated it", async () => {
		const owner = await newKey("pro");
		const { key_id, user_id } = owner;
		const made = await newKey("pro", await nameOf(owner));
		expect(await comesFrom(database(env.DB), user_id, made.key_id, { origin: key_id })).toBe(false);
	});
});

/** The name of a key's user. */
async function nameOf({ user_id }: TestKey): Promise<string> {
	const row = await env.DB.prepare("SELECT name FROM users WHERE id = ?").bind(user_id).first<{ name: string }>();
	return row?.name ?? "";
}
