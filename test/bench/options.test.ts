// The benchmark's command line.
import { describe, expect, it } from "vitest";
import { readOptions } from "./options.ts";

describe("the benchmark's options", () => {
	it("are everything, in long rounds, where nothing is said", () => {
		const options = readOptions([]);
		expect(options.parts).toEqual(["cold", "load", "stream", "chunks", "agents", "memory", "cost"]);
		expect([...options.targets]).toEqual(["bare", "relay", "floor", "portkey", "svc"]);
		expect(options).toMatchObject({ states: ["disk", "tmpfs"], memoryRequests: 50_000, quick: false });
		expect(options.roundMs).toBeGreaterThanOrEqual(10_000);
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
