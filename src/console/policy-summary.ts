// What policy checks say together: denied over time, where and by whom. Pure.

import { MS_PER_DAY } from "./format.ts";

/** What is read of a check. */
export interface SummedCheck {
	workspace_id: string | null;
	actor: string;
	payload: Readonly<Record<string, unknown>>;
	created_at: string;
}

/** Events by something that they have, the most frequent first. */
export interface CountedName {
	name: string;
	count: number;
}

/** Names that are shown of each list. */
const SHOWN = 4;

/** The days up to and with the one of `nowMs`, oldest first, each with its number of checks. */
export function countByDay(
	checks: readonly SummedCheck[],
	days: number,
	nowMs: number,
): { day: string; count: number }[] {
	const counts = new Map<string, number>();
	for (const { created_at } of checks) {
		const day = created_at.slice(0, 10);
		counts.set(day, (counts.get(day) ?? 0) + 1);
	}
	return Array.from({ length: days }, (_, index) => {
		const day = new Date(nowMs - (days - 1 - index) * MS_PER_DAY).toISOString().slice(0, 10);
		return { day, count: counts.get(day) ?? 0 };
	});
}

/** The most frequent names; checks without one are left out. */
export function countByName<Check extends SummedCheck>(
	checks: readonly Check[],
	nameOf: (check: Check) => string | null,
): CountedName[] {
	const counts = new Map<string, number>();
	for (const check of checks) {
		const name = nameOf(check);
		if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
	}
	return [...counts]
		.map(([name, count]) => ({ name, count }))
		.sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
		.slice(0, SHOWN);
}

/** The texts of a list in a payload. */
function texts(payload: SummedCheck["payload"], name: string): string[] {
	const list = payload[name];
	return Array.isArray(list) ? list.filter((text) => typeof text === "string") : [];
}

/** A text in a payload; null where there is none. */
export function payloadText(payload: SummedCheck["payload"], name: string): string | null {
	const value = payload[name];
	return typeof value === "string" && value !== "" ? value : null;
}

/** What a check was about, as a person recognises it: its command or its path, else its words. */
export interface CheckSubject {
	text: string;
	/** Whether it is code, and not words. */
	isCode: boolean;
	/** How many more commands and paths it has. */
	others: number;
}

export function subjectOf(payload: SummedCheck["payload"]): CheckSubject {
	const concrete = [...texts(payload, "commands"), ...texts(payload, "files_affected")];
	const [first] = concrete;
	if (first === undefined) return { text: payloadText(payload, "action") ?? "", isCode: false, others: 0 };
	return { text: first, isCode: true, others: concrete.length - 1 };
}
