// `npm run bench:catalog`: what planning a chat costs with an operator's catalog of 300 models, beside the shipped catalog alone. Both
// are planned by turns in one process, so that what the machine does meanwhile happens to both.

import type { Catalog } from "../../src/catalog/catalog.ts";
import { PLANS, type PlanId } from "../../src/catalog/plans.ts";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { toInferenceRequest } from "../../src/chat/inference-request.ts";
import { chatRequestSchema } from "../../src/chat/request.ts";
import { planCall } from "../../src/inference/plan.ts";
import { extendCatalog } from "../../src/operator-catalog/extend.ts";
import { parseSettings, type Settings } from "../../src/settings.ts";
import { variablesFor } from "../support/variables.ts";
import { OPERATOR_MODELS, operatorRows } from "./operator-rows.ts";
import { median } from "./statistics.ts";

const ROUNDS = 10;
const PLANS_A_ROUND = 200;

/** The shipped catalog with rows of an operator's. */
function extended(isAuto: boolean): Catalog {
	const rows = operatorRows(OPERATOR_MODELS, isAuto);
	const { catalog, faults } = extendCatalog(CATALOG, rows, { isLocal: false, hosts: new Set() });
	if (faults.length > 0) throw new Error(`benchmark failed: ${JSON.stringify(faults[0])}`);
	return catalog;
}

function settingsFor(catalog: Catalog): Settings {
	return parseSettings(variablesFor(catalog), catalog);
}

const PROMPT = "Explain how a hash table handles collisions, with an example.";

/** What a choice costs depends on what is to be weighed. */
const CASES: Readonly<Record<string, { plan: PlanId; body: Record<string, unknown> }>> = {
	balanced: { plan: "pro", body: {} },
	quality: { plan: "pro", body: { routing_mode: "quality" } },
	agility: { plan: "pro", body: { routing_mode: "agility" } },
	named: { plan: "pro", body: { model: "apex-frontier" } },
	"a cost limit": { plan: "personal", body: {} },
};

/** CPU µs of a plan. */
function measure(settings: Settings, { plan, body }: (typeof CASES)[string]): number {
	const messages = [{ role: "user", content: PROMPT }];
	const before = process.cpuUsage();
	for (let count = 0; count < PLANS_A_ROUND; count++) {
		const request = toInferenceRequest(chatRequestSchema.parse({ messages, ...body }), settings.catalog, null);
		const planned = planCall(request, PLANS[plan], settings, 1_795_600_000_000 + count);
		if (!planned.ok) throw new Error(`benchmark failed: ${JSON.stringify(planned.failure)}`);
	}
	const { user, system } = process.cpuUsage(before);
	return (user + system) / PLANS_A_ROUND;
}

const plain = settingsFor(CATALOG);
for (const isAuto of [false, true]) {
	const large = settingsFor(extended(isAuto));
	const rows = isAuto ? "auto: true" : "left to requests that name them";
	console.log(`${OPERATOR_MODELS} models, ${rows}; CPU us a plan: without, with, difference`);
	for (const [name, planned] of Object.entries(CASES)) {
		for (let round = 0; round < 3; round++) for (const settings of [plain, large]) measure(settings, planned);
		const pairs = Array.from({ length: ROUNDS }, () => [measure(plain, planned), measure(large, planned)] as const);
		const [without, withRows] = [median(pairs.map(([a]) => a)), median(pairs.map(([, b]) => b))];
		const difference = median(pairs.map(([a, b]) => b - a));
		console.log(`${name}: ${[without, withRows, difference].map((micros) => micros.toFixed(0)).join("  ")}`);
	}
}
