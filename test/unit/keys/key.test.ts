// What one key may give to another, and until when a key is an owner's.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { TIERS } from "../../../src/catalog/vocabulary.ts";
import {
	findWiderMember,
	inheritOptions,
	isLiveKey,
	type KeyOptions,
	mergeOptions,
	ownerUntil,
	UNLIMITED,
} from "../../../src/keys/key.ts";
import { isListed, type RoutingConfig } from "../../../src/routing/routing-config.ts";

function wider(options: KeyOptions, own: KeyOptions, before?: KeyOptions) {
	return findWiderMember(options, own, { catalog: CATALOG }, before);
}

/** Entries of lists: ids, tiers, providers, globs that overlap. */
const entry = fc.constantFrom(
	...TIERS,
	"*",
	"openai",
	"open*",
	"o*",
	"m*",
	"gpt-*",
	"gpt-5*",
	"gpt-5-nano",
	"*-nano",
	"claude-*",
	"claude-haiku-5-5",
	"mistral*",
);
const list = fc.option(fc.array(entry, { minLength: 1, maxLength: 3 }));

const config: fc.Arbitrary<RoutingConfig> = fc.record({
	model: fc.constant("auto"),
	routing_mode: fc.constant(null),
	max_cost: fc.constantFrom(null, 0.01, 1),
	blocked: fc.uniqueArray(fc.constantFrom("xai", "gpt-*")),
	fallback: fc.constant([]),
});

const options: fc.Arbitrary<KeyOptions> = fc.record({
	name: fc.constant(null),
	role: fc.constantFrom<KeyOptions["role"]>("owner", "agent"),
	expiresAt: fc.constantFrom(null, "2026-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"),
	rpm: fc.constantFrom(null, 1, 10),
	dailyRequests: fc.constantFrom(null, 1, 10),
	budget: fc.constant(null),
	models: list,
	config: fc.option(config),
	defaultMaxTokens: fc.constantFrom(null, 500),
	tags: fc.constant([]),
	alertWebhook: fc.constant(null),
	ownOnly: fc.constant(null),
	logTexts: fc.boolean(),
});

describe("a key", () => {
	it("may give what it has, and a key without limits anything", () => {
		fc.assert(
			fc.property(options, (some) => {
				expect(wider(some, some)).toBeNull();
				expect(wider(some, UNLIMITED)).toBeNull();
			}),
		);
	});

	it("inherits what is not named, so that it is never refused for that", () => {
		fc.assert(
			fc.property(options, (own) => {
				expect(wider(inheritOptions({ role: own.role }, own), own)).toBeNull();
			}),
		);
	});

	it("gives nothing by which a third key would be wider than itself", () => {
		const narrower = (first: KeyOptions) => options.filter((second) => wider(second, first) === null);
		const three = options.chain((first) =>
			narrower(first).chain((second) => fc.tuple(fc.constant(first), fc.constant(second), narrower(second))),
		);
		fc.assert(
			fc.property(three, ([first, second, third]) => {
				expect([wider(second, first), wider(third, second), wider(third, first)]).toEqual([null, null, null]);
			}),
		);
	});

	it("gives no list that has a model which its own has not", () => {
		fc.assert(
			fc.property(options, options, (second, first) => {
				fc.pre(wider(second, first) === null);
				const has = ({ models }: KeyOptions) => CATALOG.models.filter((each) => isListed(each, models ?? ["*"]));
				expect(has(first)).toEqual(expect.arrayContaining(has(second)));
			}),
			{ numRuns: 3_000 },
		);
	});

	it("gives a tier only where it has it by name: a glob that matches the name is no tier", () => {
		const own = (models: string[]) => ({ ...UNLIMITED, models });
		expect(wider(own(["mid"]), own(["m*"]))).toBe("models");
		expect(wider(own(["mid"]), own(["mid", "gpt-*"]))).toBeNull();
		expect(wider(own(["gpt-5*"]), own(["gpt-*"]))).toBeNull();
		expect(wider(own(["gpt-*"]), own(["gpt-5*"]))).toBe("models");
		expect(wider(own(["gpt-5-nano"]), own(["budget"]))).toBeNull();
		expect(wider(UNLIMITED, own(["gpt-*"]))).toBe("models");
	});

	it("may narrow a wider one, and leave it what it has", () => {
		const own = { ...UNLIMITED, rpm: 5 };
		const before = { ...UNLIMITED, rpm: 50 };
		expect(wider({ ...before, rpm: 40 }, own, before)).toBeNull();
		expect(wider({ ...before, name: "x" }, own, before)).toBeNull();
		expect(wider({ ...before, rpm: 51 }, own, before)).toBe("rpm");
		expect(wider({ ...before, rpm: null }, own, before)).toBe("rpm");
	});

	it("is an owner's until it ends, and longest without an end", () => {
		const at = "2026-01-01T00:00:00.000Z";
		const life = { role: "owner", expiresAt: null, revokedAt: null } as const;
		expect(ownerUntil(life) > ownerUntil({ ...life, expiresAt: "9998-12-31T23:59:59.999Z" })).toBe(true);
		expect(ownerUntil({ ...life, expiresAt: at })).toBe(at);
		expect(ownerUntil({ ...life, revokedAt: at })).toBe("");
		expect(ownerUntil({ ...life, role: "agent" })).toBe("");
	});

	it("works until its end, which is not part of it", () => {
		const at = "2026-01-01T00:00:00.000Z";
		const life = { role: "agent", expiresAt: at, revokedAt: null } as const;
		expect(isLiveKey(life, "2025-12-31T23:59:59.999Z")).toBe(true);
		expect(isLiveKey(life, at)).toBe(false);
		expect(isLiveKey({ ...life, expiresAt: null, revokedAt: at }, "2025-01-01T00:00:00.000Z")).toBe(false);
	});
});

describe("a key with a budget", () => {
	const month = (limitNanoUsd: number): KeyOptions => ({ ...UNLIMITED, budget: { limitNanoUsd, period: "month" } });

	it("gives no key anything, and no budget more than it had", () => {
		const own = month(10);
		expect(findWiderMember(month(1), own, { catalog: CATALOG })).toBe("budget_usd");
		expect(findWiderMember(month(5), own, { catalog: CATALOG }, month(4))).toBe("budget_usd");
		expect(findWiderMember(UNLIMITED, own, { catalog: CATALOG }, month(4))).toBe("budget_usd");
		const daily: KeyOptions = { ...UNLIMITED, budget: { limitNanoUsd: 4, period: "day" } };
		expect(findWiderMember(daily, own, { catalog: CATALOG }, month(4))).toBe("budget_usd");
		expect(findWiderMember(month(4), own, { catalog: CATALOG }, month(4))).toBeNull();
		expect(findWiderMember(month(1), own, { catalog: CATALOG }, UNLIMITED)).toBeNull();
		expect(findWiderMember(month(1), UNLIMITED, { catalog: CATALOG })).toBeNull();
	});

	it("keeps its period when only the amount changes", () => {
		const amount = { budget: { limitNanoUsd: 3, period: null } };
		expect(mergeOptions(month(10), amount).budget).toEqual({ limitNanoUsd: 3, period: "month" });
		expect(mergeOptions(UNLIMITED, amount).budget).toEqual({ limitNanoUsd: 3, period: "total" });
		expect(mergeOptions(month(10), { budget: null }).budget).toBeNull();
		expect(mergeOptions(month(10), { name: "x" }).budget).toEqual({ limitNanoUsd: 10, period: "month" });
		expect(inheritOptions({}, month(10)).budget).toBeNull();
	});
});
