// The MCP SDK is heavy. Only requests that need it load it, and the start does not.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const SRC = resolve(import.meta.dirname, "../../../src");
const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));

/** Files with a static import, types apart, whose target matches. */
function importersOf(target: RegExp): string[] {
	return files.filter((file) =>
		[
			...readFileSync(join(SRC, file), "utf8").matchAll(
				/^(?:import|export)\s+(?!type\b)(?:[^"';]*?\sfrom\s+)?"([^"]+)"/gm,
			),
		].some(([, from = ""]) => target.test(from)),
	);
}

it("is imported by the server and its resources, and these are loaded on first use", () => {
	expect(importersOf(/^@modelcontextprotocol\//).sort()).toEqual(["mcp/resources.edge.ts", "mcp/server.edge.ts"]);
	expect(importersOf(/\/resources\.edge\.ts$/)).toEqual(["mcp/server.edge.ts"]);
	expect(importersOf(/\/server\.edge\.ts$/)).toEqual([]);
	expect(readFileSync(join(SRC, "mcp/endpoints.edge.ts"), "utf8")).toContain('await import("./server.edge.ts")');
});
