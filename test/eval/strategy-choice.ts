// How often the planner chooses the strategy that a labelled prompt deserves, and which natural prompts are voted on.
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import * as z from "zod";
import { POLICIES } from "../../src/orchestration/strategy.ts";
import { chooseFor, readStrategyCases } from "../support/strategy-table.ts";

const intentRow = z.object({ prompt: z.string(), primary: z.string() });
const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`;

function reportTable(): void {
	const cases = readStrategyCases();
	console.log("\nLabelled prompts that get the strategy they deserve");
	for (const policy of POLICIES) {
		const own = cases.filter((one) => one.policy === policy);
		const right = own.filter(({ deserved, chosen }) => deserved === chosen).length;
		const first = own.filter(({ firstDeserved, chosen }) => firstDeserved === chosen).length;
		const note = first === right ? "" : `; as first labelled ${first} (${percent(first, own.length)})`;
		console.log(`${policy}: ${right} of ${own.length} (${percent(right, own.length)})${note}`);
	}
}

/** Shares of prompts that `balanced` votes on, by their labelled intent. Of the first three, none should be. */
function reportVotes(file: string): void {
	if (!existsSync(file)) {
		console.log(`eval:orchestration: no ${file}; votes on its prompts not measured.`);
		return;
	}
	const lines = readFileSync(file, "utf8").trim().split("\n");
	const rows = lines.map((line) => intentRow.parse(JSON.parse(line)));
	console.log(`\nPrompts of ${basename(file)} that balanced votes on`);
	for (const intent of ["translation", "text", "code", "creative", "advice", "math", "factual", "reasoning"]) {
		const own = rows.filter(({ primary }) => primary === intent);
		const voted = own.filter(
			({ prompt }) => chooseFor("balanced", [{ role: "user", content: prompt }]) === "self_consistency",
		);
		console.log(`${intent}: ${voted.length} of ${own.length} (${percent(voted.length, own.length)})`);
	}
}

/** Reports the planner's choices. @param files prompts with their labelled intents. */
export function reportChoices(files: readonly string[]): void {
	reportTable();
	for (const file of files) reportVotes(file);
}
