// A user's data key: made once whoever comes first, the same after a restart, and another one under another pepper.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { DataKey } from "../../src/meter/data-key.edge.ts";
import { meterClient } from "../../src/meter/meter-client.edge.ts";
import { SALT_FORM } from "../../src/proof/salted.ts";

describe("a data key", () => {
	it("is one for all who ask for it first at the same time", async () => {
		const meter = meterClient(env.ACCOUNT_METER, "usr_at_once");
		const salts = await Promise.all(Array.from({ length: 20 }, () => meter.salt("svc-1")));
		expect(new Set(salts).size).toBe(1);
		expect(salts[0]).toMatch(SALT_FORM);
		expect(await meter.salt("svc-2")).not.toBe(salts[0]);
		expect(await meterClient(env.ACCOUNT_METER, "usr_other").salt("svc-1")).not.toBe(salts[0]);
	});

	it("is what was stored first, though another instance wraps one of its own meanwhile", async () => {
		await runInDurableObject(env.ACCOUNT_METER.getByName("usr_two"), async (_, { storage: { sql } }) => {
			const instances = [new DataKey(sql, env), new DataKey(sql, env)];
			const [first, second] = await Promise.all(instances.map((key) => key.salt("svc-1")));
			expect(second).toBe(first);
			expect(await new DataKey(sql, env).salt("svc-1")).toBe(first);
		});
	});

	it("is another one under another pepper, stays beside it, and opens again under its own", async () => {
		await runInDurableObject(env.ACCOUNT_METER.getByName("usr_pepper"), async (_, { storage: { sql } }) => {
			const salt = await new DataKey(sql, env).salt("svc-1");
			const other = new DataKey(sql, Object.assign({ ...env }, { KEY_PEPPER: "another pepper, as long as that" }));
			const otherSalt = await other.salt("svc-1");
			expect(otherSalt).not.toBe(salt);
			expect(await new DataKey(sql, env).salt("svc-1")).toBe(salt);
			expect(await other.salt("svc-1")).toBe(otherSalt);
		});
	});

	it("that was changed in storage opens no more, and is not replaced", async () => {
		await runInDurableObject(env.ACCOUNT_METER.getByName("usr_changed"), async (_, { storage: { sql } }) => {
			await new DataKey(sql, env).salt("svc-1");
			sql.exec("UPDATE data_key SET wrapped = zeroblob(length(wrapped))");
			for (let times = 0; times < 2; times++)
				await expect(new DataKey(sql, env).salt("svc-1")).rejects.toThrow("does not open");
		});
	});
});
