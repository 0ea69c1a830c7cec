// The examples of the OpenAPI document: every one is called again, and answered in the form that was recorded.
import { expect, it } from "vitest";
import { loadEndpoints } from "../../src/cli/endpoint-list.ts";
import { recordExamples, toShape } from "../../src/cli/record-examples.ts";
import { RECORDED_EXAMPLES } from "../../src/site/examples.ts";
import { startTestService } from "./support.ts";

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
