// The benchmark's command line.
import { describe, expect, it } from "vitest";
import { comparisonMs, readOptions, TARGET_NAMES } from "./options.ts";

describe("the benchmark's options", () => {
	it("are everything, in rounds of several seconds, by default", () => {
		const options = readOptions([]);
		expect(options.parts).toEqual([
			"cold",
			"load",
			"stream",
			"chunks",
			"governance",
			"workflows",
			"neighbours",
			"memory",
			"cost",
		]);
		expect([...options.targets]).toEqual(["bare", "bare-stream", "relay", "floor", "portkey", "svc"]);
		expect(options).toMatchObject({ states: ["disk", "tmpfs"], memoryRequests: 50_000, quick: false });
		expect(options.roundMs).toBeGreaterThanOrEqual(8_000);
	});

	it("compare all targets of one load within ten minutes, with a minute left to build and start them", () => {
		// The floor and the service run twice, with state on disk and on tmpfs. The relay is for streams only.
		const targets = TARGET_NAMES.length + 2 - 1;
		expect(comparisonMs(targets, readOptions([]))).toBeLessThanOrEqual(9 * 60_000);
	});

	it("choose parts and targets by name, in the order of the table", () => {
		const options = readOptions(["stream", "load", "--only", "svc,bare", "--state", "tmpfs"]);
		expect(options.parts).toEqual(["load", "stream"]);
		expect([...options.targets]).toEqual(["bare", "svc"]);
		expect(options.states).toEqual(["tmpfs"]);
	});

	it("can be few and short, and say so one by one", () => {
		expect(readOptions(["--quick", "--rounds", "3"])).toMatchObject({ rounds: 3, roundMs: 4_000, quick: true });
		expect(readOptions(["--seconds", "2.5"]).roundMs).toBe(2_500);
	});

	it.each([[["tea"]], [["--only", "svc,tea"]], [["--state", "tea"]], [["--rounds", "0"]], [["--seconds", "soon"]]])(
		"refuse %j with the usage",
		(args) => {
			expect(() => readOptions(args)).toThrow(/PART/);
		},
	);
});
