// What axe-core finds in a page that hinders people with a screen reader, a keyboard or weak eyes.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { z } from "zod";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const violationsSchema = z.array(
	z.object({
		id: z.string(),
		impact: z.enum(["minor", "moderate", "serious", "critical"]),
		help: z.string(),
		nodes: z.array(z.object({ html: z.string() })),
	}),
);

/** Findings that keep somebody from using the page, each with its first element. */
export async function findBarriers(page: Page): Promise<string[]> {
	// Chromium evaluates it past the page's policy, which forbids all but the page's own script.
	await page.evaluate(`${AXE}; undefined`);
	const violations = violationsSchema.parse(
		// Of what passes, nothing is kept: to describe each element of a long page takes longer than to check it.
		await page.evaluate("axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)"),
	);
	return violations
		.filter(({ impact }) => impact === "serious" || impact === "critical")
		.map(
			({ id, impact, help, nodes }) => `${impact} ${id}: ${help}: ${nodes[0]?.html.slice(0, 200)} (${nodes.length}×)`,
		);
}
