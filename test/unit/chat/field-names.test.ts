// The engine's words for parts of a call, as the sender of a chat body reads them.
import { describe, expect, it } from "vitest";
import { toChatWarning, withChatFieldNames } from "../../../src/chat/field-names.ts";

describe("faults and warnings", () => {
	it("name the fields of a chat body", () => {
		const issues = ["output", "effort", "config", "tools"].map((path) => ({ path, message: "m" }));
		const failure = withChatFieldNames({ reason: "invalid_request", issues });
		expect(failure).toMatchObject({
			issues: [{ path: "response_format" }, { path: "reasoning_effort" }, { path: "brain_config" }, { path: "tools" }],
		});
		const warning = { code: "parameter_dropped", message: "m" } as const;
		expect(toChatWarning({ ...warning, param: "effort" }).param).toBe("reasoning_effort");
		expect(toChatWarning({ ...warning, param: "seed" }).param).toBe("seed");
		expect(toChatWarning({ ...warning, param: null }).param).toBeNull();
	});
});
