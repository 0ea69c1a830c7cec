// The examples of the OpenAPI document: every one is called again, and answered in the form that was recorded.
import { expect, it } from "vitest";
import { loadEndpoints } from "../../src/cli/endpoint-list.ts";
import { recordExamples } from "../../src/cli/record-examples.ts";
import { isJsonObject } from "../../src/json.ts";
import { RECORDED_EXAMPLES } from "../../src/site/examples.ts";
import { startTestService } from "./support.ts";

/** Types of members that the service writes some seconds after the first request: a slow run finds them, a quick one `null`. */
const WRITTEN_LATER = new Map([
	["stored_at", "string"],
	["stored_bytes", "number"],
]);

/** What stays the same of a value when ids, times and measured figures differ. */
function toShape(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(toShape);
	if (isJsonObject(value))
		return Object.fromEntries(
			Object.entries(value).map(([name, member]) => [
				name,
				member === null ? (WRITTEN_LATER.get(name) ?? null) : toShape(member),
			]),
		);
	return value === null ? null : typeof value;
}

it("every example is answered again as it was recorded", async () => {
	const service = await startTestService();
	try {
		const { key } = await service.newKey("corporate", "example");
		const { url, adminToken } = service;
		const now = await recordExamples(await loadEndpoints(), { url, key, adminToken });
		expect(Object.keys(now)).toEqual(Object.keys(RECORDED_EXAMPLES));
		for (const [id, { body, answer }] of Object.entries(RECORDED_EXAMPLES))
			expect([toShape(now[id]?.body), toShape(now[id]?.answer)], id).toEqual([toShape(body), toShape(answer)]);
	} finally {
		await service.stop();
	}
});
