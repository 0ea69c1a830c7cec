// The quota of stored bytes: what fits, and what leaves the rolling sum when.
import { describe, expect, it } from "vitest";
import { toUtcDay } from "../../../src/meter/budget-period.ts";
import { fitWrite, RollingBytes, storedQuotaBytes } from "../../../src/meter/stored-bytes.ts";

const DAY_MS = 86_400_000;
const NOW = 20_000 * DAY_MS + 5;

describe("a rolling sum", () => {
	it("has the last thirty days, the current one included", () => {
		let sum = new RollingBytes();
		for (let day = 0; day < 40; day++) sum = sum.plus(toUtcDay(NOW) + day, 1, NOW + day * DAY_MS);
		const last = NOW + 39 * DAY_MS;
		expect(sum.total(last)).toBe(30);
		expect(sum.total(last + 10 * DAY_MS)).toBe(20);
		expect(sum.nextLeaveMs(last)).toBe((20_000 + 40) * DAY_MS);
	});

	it("gives back what was counted on a day, and never more", () => {
		const sum = new RollingBytes().plus(20_000, 10, NOW).plus(20_001, 5, NOW);
		expect(sum.plus(20_000, -10, NOW).days(NOW)).toEqual([[20_001, 5]]);
		expect(sum.plus(20_000, -99, NOW).total(NOW)).toBe(5);
		expect(sum.plus(19_000, -10, NOW).total(NOW)).toBe(15);
	});

	it("keeps all days while a clock steps back", () => {
		const sum = new RollingBytes().plus(20_000, 10, NOW);
		expect(sum.total(NOW - 3 * DAY_MS)).toBe(10);
	});
});

describe("a write", () => {
	const totals = { storedBytes: 90, quotaBytes: 100 };

	it("fits up to the last byte, and below nothing always", () => {
		expect(fitWrite({ rollingBytes: 4, keptBytes: 6 }, totals)).toEqual({ stored: true, isReduced: false });
		expect(fitWrite({ rollingBytes: 5, keptBytes: 6 }, totals)).toEqual({ stored: false, ...totals });
		expect(fitWrite({ rollingBytes: 0, keptBytes: -5 }, { storedBytes: 900, quotaBytes: 100 }).stored).toBe(true);
		expect(fitWrite({ rollingBytes: 1e15, keptBytes: 0 }, { ...totals, quotaBytes: null }).stored).toBe(true);
	});

	it("is reduced where it may be, whatever is left", () => {
		const write = { rollingBytes: 50, keptBytes: 0, reducedRollingBytes: 20 };
		expect(fitWrite(write, totals)).toEqual({ stored: true, isReduced: true });
	});
});

describe("a plan", () => {
	it("has a quota of its own, and Corporate the operator's", () => {
		const quotas = (["free", "personal", "pro", "corporate"] as const).map((plan) => storedQuotaBytes(plan, 7));
		expect(quotas).toEqual([50_000_000, 200_000_000, 5_000_000_000, 7]);
		expect(storedQuotaBytes("corporate", null)).toBeNull();
	});
});
