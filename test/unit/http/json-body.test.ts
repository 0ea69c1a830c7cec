// Bodies, as far as reading them is pure.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findUnrepresentable, readJsonBody, takeBodyTicket } from "../../../src/http/body.edge.ts";
import { canonicalJson } from "../../../src/proof/canonical.ts";
import { anyTicket } from "../../support/body-ticket.ts";

function post(body: BodyInit | null, headers: Record<string, string> = {}): Request {
	return new Request("https://svc.test/", {
		method: "POST",
		body,
		headers,
		...(body === null ? {} : { duplex: "half" }),
	} as RequestInit);
}

async function reasonOf(request: Request, limit = 1_000): Promise<string> {
	const read = await readJsonBody(request, limit, anyTicket());
	return read.ok ? "ok" : read.failure.reason;
}

describe("a JSON body", () => {
	it("is refused over its limit, whether its length is declared or not", async () => {
		const stream = new ReadableStream({
			pull(controller) {
				controller.enqueue(new Uint8Array(600));
			},
		});
		expect(await reasonOf(post(stream))).toBe("request_too_large");
		expect(takeBodyTicket(post("{}", { "content-length": "1001" }), "anybody", 1_000)).toMatchObject({
			failure: { reason: "request_too_large", limitBytes: 1_000 },
		});
		expect(await reasonOf(post(`"${"a".repeat(998)}"`))).toBe("ok");
		expect(await reasonOf(post(`"${"a".repeat(999)}"`))).toBe("request_too_large");
	});

	it("is refused when it is empty, no UTF-8 or no JSON, without quoting it", async () => {
		for (const body of ["", "{", "secret words", new Uint8Array([0x22, 0xff, 0x22]), "NaN"]) {
			const read = await readJsonBody(post(body), 1_000, anyTicket());
			expect(read).toMatchObject({ ok: false, failure: { reason: "invalid_json" } });
			expect(JSON.stringify(read)).not.toContain("secret");
		}
	});

	it("is refused for lone surrogates, endless numbers and deep nesting, with the place", async () => {
		expect(findUnrepresentable({ a: [{ b: "\udc00" }] })).toMatchObject({ path: "a.0.b" });
		expect(findUnrepresentable({ "\ud800": 1 })?.message).toContain("lone surrogate");
		expect(findUnrepresentable(JSON.parse('{"a":1e999}'))).toMatchObject({ path: "a" });
		const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
		expect(findUnrepresentable(JSON.parse(deep))?.message).toContain("128 levels");
		expect(findUnrepresentable(JSON.parse(`${"[".repeat(128)}${"]".repeat(128)}`))).toBeNull();
	});

	it("that is let through can be canonicalized, and what cannot is not let through", () => {
		fc.assert(
			fc.property(
				fc.anything({
					withNullPrototype: false,
					values: [fc.string({ unit: "binary" }), fc.double(), fc.boolean(), fc.constant(null)],
				}),
				(value) => {
					let canonical = true;
					try {
						canonicalJson(value);
					} catch {
						canonical = false;
					}
					expect(findUnrepresentable(value) === null).toBe(canonical);
				},
			),
		);
	});
});
