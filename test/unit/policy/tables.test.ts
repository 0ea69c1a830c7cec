// The data files of the policy: lists that people edit, apart from the code that reads them.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";

const SRC = resolve(import.meta.dirname, "../../../src");
const files = ["policy", "workspace"].flatMap((folder) =>
	readdirSync(join(SRC, folder), { recursive: true, encoding: "utf8" })
		.filter((name) => name.endsWith(".json"))
		.map((name) => join(folder, name)),
);

const provenanceSchema = z.looseObject({
	about: z.string().min(1),
	source: z.string().min(1),
	licence: z.string().min(1),
});

describe("the data files", () => {
	it("are found", () => {
		expect(files.length).toBeGreaterThan(10);
	});

	it.each(files)("%s says what it lists, where that is from and under which licence", (file) => {
		const table: unknown = JSON.parse(readFileSync(join(SRC, file), "utf8"));
		expect(provenanceSchema.safeParse(table).success).toBe(true);
	});
});
