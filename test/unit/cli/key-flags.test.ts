// The flags of `npm run keys` are the members of the service's own requests.
import { parseArgs } from "node:util";
import { describe, expect, it } from "vitest";
import { KEY_FLAGS, toKeyRequest } from "../../../src/cli/key-flags.ts";
import { keyRequestSchema } from "../../../src/keys/request.ts";

function parse(...args: string[]) {
	return toKeyRequest(parseArgs({ args, options: KEY_FLAGS }).values);
}

describe("the options of a key", () => {
	it("are those of a request, every one of them", () => {
		const members = Object.keys(KEY_FLAGS).map((flag) => flag.replaceAll("-", "_"));
		expect(members.toSorted()).toEqual(Object.keys(keyRequestSchema.unwrap().shape).toSorted());
	});

	it("are read as the request wants them", () => {
		const request = parse(
			...["--name", "CI", "--role", "agent", "--expires-at", "2099-01-01", "--rpm", "5", "--daily-requests", "50"],
			...["--models", "budget, gpt-*", "--brain-config", '{"max_cost":0.1}', "--tags", "ci,a:b"],
			...["--alert-webhook", "https://hooks.example.com/a,b"],
		);
		expect(keyRequestSchema.parse(request)).toEqual({
			name: "CI",
			role: "agent",
			expires_at: "2099-01-01T00:00:00.000Z",
			rpm: 5,
			daily_requests: 50,
			models: ["budget", "gpt-*"],
			brain_config: { max_cost: 0.1 },
			tags: ["ci", "a:b"],
			alert_webhook: "https://hooks.example.com/a,b",
		});
	});

	it("that are not given are left out, and none removes one", () => {
		expect(parse()).toEqual({});
		expect(parse("--rpm", "none", "--models", "none")).toEqual({ rpm: null, models: null });
		expect(() => parse("--brain-config", "{")).toThrow("not valid JSON");
	});
});
