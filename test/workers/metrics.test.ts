// Metrics of the deployment: what users' requests come to, each once, whatever fails and however often it is sent.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { useService } from "../support/per-test.ts";
import { chat, meterAlarm, meterOf, usageOf } from "../support/service.ts";
import { sample, scrape, TEST_METRICS_TOKEN, useTelemetry } from "../support/collector.ts";

let telemetry: { restore(): void };
beforeEach(async () => {
	telemetry = await useTelemetry({ metricsToken: TEST_METRICS_TOKEN });
});
afterEach(() => telemetry.restore());
const { key } = useService("corporate");

describe("metrics", () => {
	it("equal usage once its user's object has sent them", async () => {
		for (const text of ["hi", "hello", "how are you"]) expect((await chat(key.key, text)).status).toBe(200);
		await meterOf(key).flushNow();
		const usage = await usageOf(key);
		const text = await scrape();
		console.log(text);
		expect(sample(text, "svc_requests_total")).toBe(usage.total_requests);
	});
});
