// Renders the cost model: operations per request, the bill for a million, its prices, and what it leaves out.
import { includedRequests, storageUsdPerMonth } from "./cost.ts";
import type { CostResult, PricedScenario } from "./parts.ts";
import { DATABASE_STORAGE, PLAN_USD_PER_MONTH, PRICED_OPERATIONS, PRICES } from "./prices.ts";
import { renderFigure, renderTable } from "./table.ts";

function renderUsd(value: number | null): string {
	return value === null ? "not measured" : value.toFixed(2);
}

function renderOperationsTable(scenarios: readonly PricedScenario[]): string {
	return renderTable([
		["per request", "pace of one user", ...PRICED_OPERATIONS.map((operation) => PRICES[operation].label)],
		...scenarios.map(({ operation, pace, perRequest }) => [
			operation,
			pace,
			...PRICED_OPERATIONS.map((name) =>
				name === "objectGbSeconds" ? (perRequest[name] ?? 0).toFixed(5) : renderFigure(perRequest[name]),
			),
		]),
	]);
}

function renderBillTable(billed: readonly PricedScenario[]): string {
	return renderTable([
		["USD for a million requests", ...billed.map(({ operation }) => operation)],
		["", ...billed.map(({ pace }) => pace)],
		...PRICED_OPERATIONS.map((name) => [PRICES[name].label, ...billed.map(({ bill }) => renderUsd(bill.usd[name]))]),
		["total", ...billed.map(({ bill }) => renderUsd(bill.totalUsd))],
		["D1 bytes kept per request", ...billed.map(({ databaseBytesPerRequest }) => databaseBytesPerRequest.toFixed(0))],
		[
			"and a month, for a million kept in D1",
			...billed.map(({ databaseBytesPerRequest, bill }) =>
				renderUsd(storageUsdPerMonth(databaseBytesPerRequest, bill.requests)),
			),
		],
	]);
}

function renderPriceTable(example: PricedScenario): string {
	const covered = (requests: number | null) => (requests === null ? "" : requests.toLocaleString("en-US"));
	return renderTable([
		["price", "USD per million", "included a month", `which covers requests (${example.operation}, ${example.pace})`],
		...PRICED_OPERATIONS.map((name) => {
			const { label, usdPerMillion, includedPerMonth } = PRICES[name];
			return [
				label,
				String(usdPerMillion),
				includedPerMonth.toLocaleString("en-US"),
				covered(includedRequests(example.perRequest, name)),
			];
		}),
	]);
}

/** Each page of prices once, with the copy that was read. */
function renderPriceSources(): string {
	const pages = [...Object.values(PRICES), DATABASE_STORAGE].map(({ source, read }) => `${source} (read ${read})`);
	return ["prices from:", ...new Set(pages)].join("\n");
}

/** Assumptions of the model that the tables do not show. */
const NOTES = [
	"Counted in the built Worker with its bindings wrapped (test/bench/counting), one user each: object calls and alarms, rows as SQLite and D1 report them (an alarm set is a row written), KV operations, log lines. Minutes of traffic pass on a moved clock, so that folds, alarms and key look-ups are in the averages.",
	"Worker CPU ms is an upper bound: CPU time of the whole local process (Worker, objects, D1, the runtime's server) by requests at 16 connections. Object time is wall-clock, measured from the caller, with D1 on this disk; each 10 ms more of it, for a slower D1, would cost $0.016 for a million. It is not billed while an object is idle.",
	"Workers Logs: one event for each line the code writes, at head_sampling_rate 1 and with invocation logs off, as in wrangler.toml. The upstream models' own prices, Cloudflare's rate-limit binding (no price found) and reads by operators are not in it.",
];

/** Where the rows of one scenario come from, most written first. Statements that write nothing are one line. */
function renderSources({ operation, pace, requests, sources }: PricedScenario): string {
	const share = (count: number) => (count / requests).toFixed(2);
	const all = Object.entries(sources).sort(([, one], [, other]) => other.rowsWritten - one.rowsWritten);
	const shown = all.filter(([name, { rowsWritten }]) => rowsWritten > 0 || /: (calls|alarm rings)/.test(name));
	const readers = all.filter((entry) => !shown.includes(entry)).map(([, source]) => source);
	const total = (values: readonly number[]) => share(values.reduce((sum, value) => sum + value, 0));
	return renderTable([
		[`${operation}, ${pace}`, "times", "rows read", "rows written"],
		...shown.map(([name, { times, rowsRead, rowsWritten }]) => [
			name,
			share(times),
			share(rowsRead),
			share(rowsWritten),
		]),
		[
			"reads only",
			total(readers.map(({ times }) => times)),
			total(readers.map(({ rowsRead }) => rowsRead)),
			total(readers.map(({ rowsWritten }) => rowsWritten)),
		],
	]);
}

/** Renders the cost model. */
export function renderCostTables({ chat, agents, reads, showsSources }: CostResult): string[] {
	const example = chat.find(({ pace }) => pace.startsWith("1 ")) ?? chat[0];
	return [
		renderOperationsTable([...chat, ...agents, ...reads]),
		renderBillTable([...chat, ...agents]),
		...(showsSources ? [...chat, ...agents].map(renderSources) : []),
		...(example ? [renderPriceTable(example)] : []),
		`D1 storage: $${DATABASE_STORAGE.usdPerGbMonth} per GB and month after ${DATABASE_STORAGE.includedGb} GB; the plan itself is $${PLAN_USD_PER_MONTH} a month, with the included amounts above, which no bill here deducts`,
		renderPriceSources(),
		...NOTES,
	];
}
