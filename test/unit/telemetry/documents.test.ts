// The page about traces and metrics: its queries and names are those of the code. Its tables are generated (cli/generated-files.test.ts).
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { ATTEMPT_ERRORS } from "../../../src/meter/call-attempt.ts";
import { hashText } from "../../../src/proof/hash.ts";
import { toTraceId } from "../../../src/telemetry/span-ids.ts";
import { findQueryFaults } from "../../support/promql.ts";

const page = readFileSync("src/docs/telemetry.md", "utf8");

function blocks(language: string): string[] {
	return [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].flatMap(([, name, text = ""]) =>
		name === language ? [text] : [],
	);
}

describe("the page about traces and metrics", () => {
	const queries = blocks("promql").flatMap((text) => text.trim().split("\n"));

	it.each(queries)("shows a query of what there is: %s", (query) => {
		expect(findQueryFaults(query)).toEqual([]);
	});

	it("shows queries, and configurations that are YAML", () => {
		expect(queries.length).toBeGreaterThan(2);
		const files = blocks("yaml").map((text) => Object.keys(parseYaml(text)));
		expect(files).toEqual([["scrape_configs"], ["receivers", "exporters", "service"]]);
	});

	it("names each reason of a lost attempt", () => {
		const [, section = ""] = page.split("## Errors");
		const [text = ""] = section.split("| class |");
		for (const error of ATTEMPT_ERRORS.filter((name) => name !== "status")) expect(text).toContain(`\`${error}\``);
	});

	it("says how a trace's id follows from a request's", () => {
		expect(page).toContain("`svc.trace.v1`, a line feed and the request's id");
		expect(`sha256:${toTraceId("req_1")}`).toBe(hashText("svc.trace.v1\nreq_1").slice(0, "sha256:".length + 32));
	});
});
