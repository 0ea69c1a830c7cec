// Ids that callers choose.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWorkspaceId, workspaceIdSchema } from "../../src/ids.ts";

describe("a workspace id", () => {
	it.each(["a", "acme/web", "git@github.com:acme/web.git", "...", ".git", "x".repeat(128)])("may be %s", (id) => {
		expect(isWorkspaceId(id)).toBe(true);
		expect(workspaceIdSchema.safeParse(id).success).toBe(true);
	});

	it.each([
		"",
		".",
		"..",
		"x".repeat(129),
		"a b",
		"a\n",
		"a\nb",
		"é",
		"a`b",
		"a'b",
		"$a",
		"a%2F",
		"a?b",
		"a#b",
		"a\\b",
	])("may not be %j", (id) => {
		expect(isWorkspaceId(id)).toBe(false);
		expect(workspaceIdSchema.safeParse(id).success).toBe(false);
	});

	it("survives a URL path", () => {
		const letters = fc.constantFrom(..."AZaz09._:/@-");
		fc.assert(
			fc.property(fc.string({ unit: letters, minLength: 1, maxLength: 128 }).filter(isWorkspaceId), (id) => {
				const url = new URL(`https://svc.example/v1/workspace/${encodeURIComponent(id)}/snapshot`);
				expect(decodeURIComponent(url.pathname.split("/")[3] ?? "")).toBe(id);
			}),
		);
	});
});
