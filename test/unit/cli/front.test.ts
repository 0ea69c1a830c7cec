import { describe, expect, it } from "vitest";
import { findFrontRefusal } from "../../../src/cli/front.ts";

describe("the front", () => {
	it.each(["a b", "[::1", "foo:99999", "%zz", "user@host", "host/x", "host#x", "1.2.3.4.5", ""])(
		"is refused for the host %j, which the runtime could not read",
		(host) => {
			expect(findFrontRefusal("/health", ["host"], host)).toMatchObject({ status: 400, code: "invalid_host" });
			expect(findFrontRefusal("/health", ["host"], "[2001:db8::1]:8787")).toBeNull();
		},
	);

	it("is refused with two hosts", () => {
		expect(findFrontRefusal("/health", ["Host", "Accept", "host"], "127.0.0.1")).toMatchObject({
			status: 400,
			code: "invalid_host",
		});
	});

	it.each([
		"/cdn-cgi/platform-proxy",
		"/cdn-cgi",
		"/CDN-CGI/mf/reload",
		"/./cdn-cgi/handler/scheduled",
		"//cdn-cgi/x/../../cdn-cgi/explorer",
		"/a/../cdn-cgi/explorer",
		"/%63dn-cgi/explorer",
		"/a/%2e%2e/cdn-cgi/explorer",
		"http://127.0.0.1/health",
		"http://evil.example/health",
		"*",
		"",
	])("lets %j not pass", (target) => {
		expect(findFrontRefusal(target, [])).not.toBeNull();
	});

	it.each(["MF-Original-URL", "mf-cf-blob", "Mf-Route-Override"])("lets the header %s not pass", (name) => {
		expect(findFrontRefusal("/health", ["host", name])).toMatchObject({ status: 400 });
	});

	it.each([
		"/health",
		"/v1/chat/completions?x=1",
		"/docs/cdn-cgi",
		"/cdn-cgix",
		"/v1/workspace/a%2Fb/manifest",
		"/%ff",
	])("lets %j pass", (target) => {
		expect(findFrontRefusal(target, ["Host", "Authorization", "X-MF-Id"])).toBeNull();
	});
});
