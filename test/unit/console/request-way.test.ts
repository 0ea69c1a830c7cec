// The way of a request: its steps fill the time from its arrival to its receipt.
import { describe, expect, it } from "vitest";
import { toWay } from "../../../src/console/request-way.ts";

const FAILED = {
	provider: "a",
	model: "m",
	status: 503,
	error: "server_error",
	started_ms: 12,
	first_token_ms: null,
	ms: 80,
};
const SERVED = { provider: "b", model: "n", status: 200, error: null, started_ms: 95, first_token_ms: 200, ms: 900 };

describe("a request that was answered", () => {
	it("is admitted, called for until one serves, and settled", () => {
		const { steps, wholeMs } = toWay(1_010, [FAILED, SERVED], true);
		expect(wholeMs).toBe(1_010);
		expect(steps.map(({ kind, startMs, ms }) => [kind, startMs, ms])).toEqual([
			["admission", 0, 12],
			["attempt", 12, 80],
			["attempt", 95, 900],
			["settlement", 995, 15],
		]);
		expect(steps[1]).toMatchObject({ label: "Call 1: m of a", result: "server error, 503", isFailure: true });
		expect(steps[2]).toMatchObject({ result: "answered, 200", firstTokenMs: 295 });
	});
});

describe("a request without a bill", () => {
	it("was refused before any call", () => {
		expect(toWay(3, [], false).steps).toMatchObject([{ kind: "admission", result: "refused", isFailure: true, ms: 3 }]);
	});
	it("or failed after calls, which may outlast it", () => {
		const { steps, wholeMs } = toWay(50, [FAILED], false);
		expect(steps.map(({ kind }) => kind)).toEqual(["admission", "attempt"]);
		expect(wholeMs).toBe(92);
	});
});
