// The static page beside the Worker, as a deployment serves both.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestService, type TestService } from "./support.ts";

let service: TestService | undefined;
beforeAll(async () => {
	service = await startTestService();
});
afterAll(() => service?.stop());

const get = (path: string) => fetch(`${service?.url}${path}`, { redirect: "manual" });

it("the page that verifies is served with a policy that lets it reach nobody", async () => {
	const response = await get("/verify");
	expect(response.status).toBe(200);
	expect(response.headers.get("content-type")).toContain("text/html");
	expect(response.headers.get("content-security-policy")).toContain("connect-src 'none'");
	expect(await response.text()).toContain("<title>Verify a proof</title>");
});

it("what is no asset goes to the Worker", async () => {
	for (const [path, status] of [
		["/", 404],
		["/health", 200],
		["/v1/plans", 200],
		["/verify/more", 404],
		["/_headers", 404],
	] as const) {
		const response = await get(path);
		expect([response.status, response.headers.get("x-request-id")], path).toEqual([
			status,
			expect.stringMatching(/^svc-/),
		]);
	}
});
