// Compares the sums of a user's days with those of the rows that they count, and with the operator's sums in D1. Pure.
import * as z from "zod";
import { type DayCounts, type DaySum, DaySums } from "../meter/day-sums.ts";

const countsSchema = z.object({
	requests: z.int(),
	model_requests: z.int(),
	calls: z.int(),
	tokens: z.int(),
	input_tokens: z.int(),
	cost_nano_usd: z.int(),
});

/** A sum that is not the same everywhere; null where it is not there. */
export const sumDisagreementSchema = z.object({
	day: z.string(),
	api_key_id: z.string(),
	model: z.string(),
	sum: countsSchema.nullable(),
	rows: countsSchema.nullable(),
	database: countsSchema.nullable(),
});
export type SumDisagreement = z.infer<typeof sumDisagreementSchema>;

function toCounts({ requests, model_requests, calls, tokens, input_tokens, cost_nano_usd }: DayCounts): DayCounts {
	return { requests, model_requests, calls, tokens, input_tokens, cost_nano_usd };
}

function byPlace(sums: readonly DaySum[]): Map<string, DaySum> {
	return new Map(sums.map((sum) => [DaySums.key(sum), sum]));
}

/** What of a day's sums differs, from the rows or in D1. */
export function findSumDisagreements(
	sums: readonly DaySum[],
	rows: readonly DaySum[],
	database: readonly DaySum[],
): SumDisagreement[] {
	const sides = [sums, rows, database].map(byPlace);
	const places = new Map(sides.flatMap((side) => [...side]));
	return [...places].flatMap(([key, { day, api_key_id, model }]) => {
		const [sum = null, ofRows = null, inD1 = null] = sides.map((side) => {
			const found = side.get(key);
			return found ? toCounts(found) : null;
		});
		const texts = new Set([sum, ofRows, inD1].map((counts) => JSON.stringify(counts)));
		return texts.size === 1 ? [] : [{ day, api_key_id, model, sum, rows: ofRows, database: inD1 }];
	});
}
