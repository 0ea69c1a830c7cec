// What waits for people, read from the API: how much of it there is, and each with its run.
import type { z } from "zod";
import type { runSchema, runSummarySchema } from "../agents/response.ts";
import { type Api, type ApiAnswer, withQuery } from "./api.ts";

type Run = z.output<typeof runSchema>;
type RunSummary = z.output<typeof runSummarySchema>;
export type Pending = NonNullable<Run["pending"]>[number];

/** A pending with the run that waits for it. */
export interface WaitingEntry {
	run: Pick<Run, "run_id" | "goal" | "workspace_id">;
	pending: Pending;
}

/** A call that a program is to carry out, as lists have it. */
export interface ProgramEntry {
	run_id: string;
	pending: NonNullable<RunSummary["pending"]>[number];
}

interface WaitingList {
	/** For people, the first to expire first. */
	entries: WaitingEntry[];
	/** For the programs that run the tools: those that expire first. */
	forPrograms: ProgramEntry[];
	nextCursor: string | null;
	/** More runs wait than were looked at. */
	isCut: boolean;
}

interface RunPage {
	data: RunSummary[];
	next_cursor: string | null;
}

/** Runs and pendings of one page of the inbox: each run is read whole. */
const SHOWN_RUNS = 20;
const SHOWN_PENDINGS = 40;
/** Arguments of one page, characters of JSON: a card shows them three times. A run with more has a page of its own. */
const SHOWN_CHARS = 1_000_000;
/** Runs that are asked for at once, and as many times. */
const LISTED_RUNS = 200;
const MOST_LISTS = 5;
/** Calls for programs that one page names. */
const SHOWN_PROGRAM_CALLS = 50;
/** Runs that the count looks at. */
const COUNTED_RUNS = 100;

function listWaiting(api: Api, limit: number, cursor: string | null): Promise<ApiAnswer<RunPage>> {
	return api.get<RunPage>(withQuery("/v1/agent/runs", { status: "requires_action", limit, cursor }));
}

/** The runs that wait, those that began last first; all but in a service where very many do. */
async function listAllWaiting(api: Api): Promise<ApiAnswer<{ runs: RunSummary[]; isCut: boolean }>> {
	const runs: RunSummary[] = [];
	let cursor: string | null = null;
	for (let asked = 0; asked < MOST_LISTS; asked++) {
		const listed: ApiAnswer<RunPage> = await listWaiting(api, LISTED_RUNS, cursor);
		if (!listed.ok) return listed;
		runs.push(...listed.value.data);
		cursor = listed.value.next_cursor;
		if (cursor === null) break;
	}
	return { ok: true, value: { runs, isCut: cursor !== null } };
}

export function isForPeople({ kind }: Pick<Pending, "kind">): boolean {
	return kind !== "client_tool";
}

/** How many pendings wait for people; null where nobody can tell now. More runs than are counted are told by a plus. */
export async function countWaiting(api: Api): Promise<string | null> {
	const answer = await listWaiting(api, COUNTED_RUNS, null).catch(() => null);
	if (!answer?.ok) return null;
	const { data, next_cursor } = answer.value;
	const count = data.flatMap(({ pending = [] }) => pending.filter(isForPeople)).length;
	return next_cursor === null ? String(count) : `${count}+`;
}

interface Expiring {
	pending: Pick<Pending, "expires_at">;
}

const byExpiry = (a: Expiring, b: Expiring) => Date.parse(a.pending.expires_at) - Date.parse(b.pending.expires_at);

/** The runs that wait for people, the first to expire first, as ids with how much of each waits. */
function sortForPeople(runs: readonly RunSummary[]): { id: string; count: number }[] {
	return runs
		.flatMap(({ run_id: id, pending = [] }) => {
			const open = pending.filter(isForPeople).map((each) => ({ pending: each }));
			const [first] = open.toSorted(byExpiry);
			return first ? [{ id, count: open.length, pending: first.pending }] : [];
		})
		.sort(byExpiry);
}

/** How many runs of the list make a page: as many as have room, and one at least. */
function countShown(runs: readonly { count: number }[]): number {
	let pendings = 0;
	const end = runs.slice(0, SHOWN_RUNS).findIndex(({ count }, at) => {
		pendings += count;
		return at > 0 && pendings > SHOWN_PENDINGS;
	});
	return end < 0 ? Math.min(runs.length, SHOWN_RUNS) : end;
}

/** How many of the runs have arguments that fit one page together; one at least. */
function countRoom(answers: readonly ApiAnswer<Run>[]): number {
	let chars = 0;
	const end = answers.findIndex((answer, at) => {
		chars += answer.ok ? JSON.stringify(answer.value.pending ?? []).length : 0;
		return at > 0 && chars > SHOWN_CHARS;
	});
	return end < 0 ? answers.length : end;
}

/** Reads a run whole. */
function readRun(api: Api, runId: string): Promise<ApiAnswer<Run>> {
	return api.get<Run>(`/v1/agent/${encodeURIComponent(runId)}`);
}

/** What a run waits for people with, the first to expire first. */
function toEntries(runs: readonly Run[]): WaitingEntry[] {
	return runs
		.flatMap((run) => (run.pending ?? []).filter(isForPeople).map((pending): WaitingEntry => ({ run, pending })))
		.sort(byExpiry);
}

/** What one run waits for; of one that is not there, nothing. */
export async function readRunWaiting(api: Api, runId: string): Promise<ApiAnswer<WaitingList>> {
	const answer = await readRun(api, runId);
	if (!answer.ok && answer.failure.status !== 404) return answer;
	const runs = answer.ok ? [answer.value] : [];
	return { ok: true, value: { entries: toEntries(runs), forPrograms: [], nextCursor: null, isCut: false } };
}

/**
 * A page of what waits. A run that goes on meanwhile is left out.
 * @param cursor how many runs stand on the pages before; null for the first page.
 */
export async function readWaiting(api: Api, cursor: string | null): Promise<ApiAnswer<WaitingList>> {
	const listed = await listAllWaiting(api);
	if (!listed.ok) return listed;
	const { runs, isCut } = listed.value;
	const skipped = Math.max(0, Math.trunc(Number(cursor ?? 0)) || 0);
	const left = sortForPeople(runs).slice(skipped);
	const shown = left.slice(0, countShown(left));
	const answers = await Promise.all(shown.map(({ id }) => readRun(api, id)));
	const failed = answers.find((answer) => !answer.ok && answer.failure.status !== 404);
	// A list with holes would pass for a whole one.
	if (failed && !failed.ok) return failed;
	const read = answers.slice(0, countRoom(answers));
	const forPrograms = runs.flatMap(({ run_id, pending = [] }) =>
		pending.filter((each) => !isForPeople(each)).map((each): ProgramEntry => ({ run_id, pending: each })),
	);
	return {
		ok: true,
		value: {
			entries: toEntries(read.flatMap((answer) => (answer.ok ? [answer.value] : []))),
			forPrograms: forPrograms.sort(byExpiry).slice(0, SHOWN_PROGRAM_CALLS),
			nextCursor: left.length > read.length ? String(skipped + read.length) : null,
			isCut,
		},
	};
}
