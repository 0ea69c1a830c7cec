// The benchmark's cost model: counted operations to quantities per request, and quantities to dollars.
import { describe, expect, it } from "vitest";
import { includedRequests, type Quantities, storageUsdPerMonth, toBill, toQuantities } from "./cost.ts";
import { PRICED_OPERATIONS, PRICES } from "./prices.ts";

const counts = {
	workerRequests: 10,
	objectRequests: 25,
	objectActiveMs: 1_000,
	objectRowsRead: 80,
	objectRowsWritten: 70,
	databaseRowsRead: 50,
	databaseRowsWritten: 90,
	keyValueReads: 20,
	keyValueWrites: 5,
	logLines: 12,
};

const nothing = Object.fromEntries(PRICED_OPERATIONS.map((operation) => [operation, 0])) as unknown as Quantities;

describe("quantities", () => {
	const perRequest = toQuantities(counts, 10, 4);

	it("are averages over the requests", () => {
		expect(perRequest).toMatchObject({
			workerRequests: 1,
			workerCpuMs: 4,
			objectRequests: 2.5,
			objectRowsRead: 8,
			objectRowsWritten: 7,
			databaseRowsRead: 5,
			databaseRowsWritten: 9,
			keyValueReads: 2,
			keyValueWrites: 0.5,
		});
	});

	it("take an object's time with the 128 MB it is billed for", () => {
		expect(perRequest.objectGbSeconds).toBeCloseTo(0.0128);
	});

	it("log the lines written, and no invocations", () => {
		expect(perRequest.logEvents).toBeCloseTo(12 / 10);
	});

	it("leave CPU time open where it was not measured", () => {
		expect(toQuantities(counts, 10, null).workerCpuMs).toBeNull();
	});
});

describe("the bill", () => {
	it("reproduces Cloudflare's example of 7 ms of CPU time, before what is included", () => {
		// Workers pricing, example 4: 100 million requests of 7 ms; $27.00 and $13.40 after 10 million requests and 30 million ms.
		const { usd } = toBill({ ...nothing, workerRequests: 1, workerCpuMs: 7 }, 100_000_000);
		expect(usd.workerRequests).toBeCloseTo(27 + 10 * 0.3);
		expect(usd.workerCpuMs).toBeCloseTo(13.4 + 30 * 0.02);
	});

	it("charges a row written to an object or to D1 a thousand times a row read", () => {
		for (const store of ["object", "database"] as const) {
			const read = toBill({ ...nothing, [`${store}RowsRead`]: 1000 }, 1_000_000);
			const written = toBill({ ...nothing, [`${store}RowsWritten`]: 1 }, 1_000_000);
			expect(read.totalUsd).toBeCloseTo(1);
			expect(written.totalUsd).toBeCloseTo(1);
		}
	});

	it("adds up its lines, each once", () => {
		const bill = toBill(toQuantities(counts, 10, 4), 1_000_000);
		const lines = Object.values(bill.usd).map((usd) => usd ?? 0);
		expect(lines).toHaveLength(PRICED_OPERATIONS.length);
		expect(bill.totalUsd).toBeCloseTo(lines.reduce((sum, usd) => sum + usd));
	});

	it("keeps a line open that was not measured, and leaves it out of the total", () => {
		const bill = toBill({ ...nothing, workerRequests: 1, workerCpuMs: null }, 1_000_000);
		expect(bill.usd.workerCpuMs).toBeNull();
		expect(bill.totalUsd).toBeCloseTo(0.3);
	});

	it("grows with the requests in proportion: nothing is taken as included", () => {
		const perRequest = toQuantities(counts, 10, 4);
		expect(toBill(perRequest, 3_000_000).totalUsd).toBeCloseTo(3 * toBill(perRequest, 1_000_000).totalUsd);
	});
});

describe("what the plan includes", () => {
	it("is told as requests that it covers", () => {
		expect(includedRequests({ ...nothing, objectRequests: 2 }, "objectRequests")).toBe(500_000);
	});

	it("is no limit for what a request does not do", () => {
		expect(includedRequests(nothing, "keyValueWrites")).toBeNull();
		expect(includedRequests({ ...nothing, workerCpuMs: null }, "workerCpuMs")).toBeNull();
	});
});

describe("storage", () => {
	it("costs by the gigabyte of 10⁹ bytes and the month", () => {
		expect(storageUsdPerMonth(2_000, 1_000_000)).toBeCloseTo(1.5);
	});
});

describe("the price table", () => {
	it.each(PRICED_OPERATIONS)("names the page and the day it was read for %s", (operation) => {
		const { source, read, usdPerMillion, includedPerMonth } = PRICES[operation];
		expect(source).toMatch(/^https:\/\/developers\.cloudflare\.com\//);
		expect(read).toMatch(/^\d{4}-\d\d-\d\d, /);
		expect(usdPerMillion).toBeGreaterThan(0);
		expect(includedPerMonth).toBeGreaterThan(0);
	});
});
