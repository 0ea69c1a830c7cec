// Prices counted operations. Pure.
import type { OperationCounts } from "./counting/counts.ts";
import { DATABASE_STORAGE, OBJECT_GB, PRICED_OPERATIONS, PRICES, type PricedOperation } from "./prices.ts";

/** Billed quantities of one request, on average; null if not measured. */
export type Quantities = Readonly<Record<PricedOperation, number | null>>;

/**
 * Averages the operations of some requests.
 * @param cpuMs the Worker's CPU time per request; null if not measured.
 */
export function toQuantities(counts: OperationCounts, requests: number, cpuMs: number | null): Quantities {
	return {
		workerRequests: counts.workerRequests / requests,
		workerCpuMs: cpuMs,
		objectRequests: counts.objectRequests / requests,
		objectGbSeconds: ((counts.objectActiveMs / 1000) * OBJECT_GB) / requests,
		objectRowsRead: counts.objectRowsRead / requests,
		objectRowsWritten: counts.objectRowsWritten / requests,
		databaseRowsRead: counts.databaseRowsRead / requests,
		databaseRowsWritten: counts.databaseRowsWritten / requests,
		keyValueReads: counts.keyValueReads / requests,
		keyValueWrites: counts.keyValueWrites / requests,
		logEvents: counts.logLines / requests,
	};
}

/** The bill for some requests, by line, without the amounts that the plan includes. */
export interface CostBill {
	requests: number;
	/** null if the quantity was not measured. */
	usd: Readonly<Record<PricedOperation, number | null>>;
	/** Sum of the measured lines. */
	totalUsd: number;
}

/** Prices some requests, without the amounts that the plan includes. */
export function toBill(perRequest: Quantities, requests: number): CostBill {
	const lines = PRICED_OPERATIONS.map((operation): [PricedOperation, number | null] => {
		const quantity = perRequest[operation];
		return [operation, quantity === null ? null : (quantity * requests * PRICES[operation].usdPerMillion) / 1e6];
	});
	return {
		requests,
		usd: Object.fromEntries(lines) as Record<PricedOperation, number | null>,
		totalUsd: lines.reduce((sum, [, usd]) => sum + (usd ?? 0), 0),
	};
}

/** Requests a month that the plan's included amount of an operation covers; null if a request needs none or it was not measured. */
export function includedRequests(perRequest: Quantities, operation: PricedOperation): number | null {
	const quantity = perRequest[operation];
	return quantity ? Math.floor(PRICES[operation].includedPerMonth / quantity) : null;
}

/** Monthly price of keeping the rows of some requests in D1, without the included gigabytes. */
export function storageUsdPerMonth(bytesPerRequest: number, requests: number): number {
	return ((bytesPerRequest * requests) / 1e9) * DATABASE_STORAGE.usdPerGbMonth;
}
