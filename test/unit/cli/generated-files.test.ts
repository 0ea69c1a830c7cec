// What is generated from the list of endpoints is as current as it, and what the list names of commands and pages is there.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { loadEndpoints } from "../../../src/cli/endpoint-list.ts";
import { TABLE_HEADS } from "../../../src/cli/endpoint-tables.ts";
import { renderGeneratedFiles } from "../../../src/cli/generated-files.ts";
import { statesExample } from "../../../src/cli/record-examples.ts";
import { COMMANDS } from "../../../src/cli/svc/commands.ts";
import { TELEMETRY_TABLE_HEADS } from "../../../src/cli/telemetry-tables.ts";
import { SECTIONS } from "../../../src/console/page.ts";
import { ENDPOINTS } from "../../../src/endpoints.ts";
import { RECORDED_EXAMPLES } from "../../../src/site/examples.ts";

it('what is generated from the endpoints is current ("npm run generate" writes it)', async () => {
	const files = Object.entries(
		renderGeneratedFiles({ endpoints: await loadEndpoints(), exchanges: RECORDED_EXAMPLES }),
	);
	expect(files.length).toBeGreaterThan(5);
	expect(files.filter(([path, text]) => readFileSync(path, "utf8") !== text).map(([path]) => path)).toEqual([]);
});

it("each table of endpoints stands on one page", () => {
	const texts = Object.values(renderGeneratedFiles({ endpoints: ENDPOINTS, exchanges: RECORDED_EXAMPLES }));
	for (const head of [...TABLE_HEADS, ...TELEMETRY_TABLE_HEADS])
		expect(texts.filter((text) => text.includes(`${head}\n`)).length, head).toBe(1);
});

it("the recorded examples are those of the endpoints, request by request", () => {
	const stale = ENDPOINTS.filter(({ id, example }) => {
		const recorded = RECORDED_EXAMPLES[id];
		return !recorded || !statesExample(recorded, example);
	});
	expect(stale.map(({ id }) => id)).toEqual([]);
	expect(Object.keys(RECORDED_EXAMPLES)).toHaveLength(ENDPOINTS.length);
	expect(statesExample({ body: { model: "auto" }, answer: {} }, { body: { model: "other" } })).toBe(false);
});

describe("the list of endpoints", () => {
	const unique = (names: (string | undefined)[]) => [...new Set(names)].filter((name) => name !== undefined).toSorted();

	it("names every command that calls one", () => {
		// These keep a login, print what they were built with, or ask another server.
		const local = ["login", "logout", "completion", "models add"];
		const commands = COMMANDS.map(({ name }) => name).filter((name) => !local.includes(name));
		expect(unique(ENDPOINTS.map(({ command }) => command))).toEqual(commands.toSorted());
	});

	it("names every section of the console", () => {
		expect(unique(ENDPOINTS.map(({ page }) => page))).toEqual(Object.keys(SECTIONS).toSorted());
	});
});
