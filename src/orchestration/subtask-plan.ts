// A plan that splits a task: read leniently, and mended where it cannot be followed as it is. What cannot be told apart or put in an
// order becomes one subtask, and a plan that is too long has neighbours joined. Pure.
import * as z from "zod";
import { fitPlaceholder } from "../inference/answer-placeholder.ts";

/** Subtasks that are answered at most. */
export const MAX_SUBTASKS = 4;
/** A longer list is no plan. */
const MAX_PLANNED = 64;
/** Room for the wording of one subtask, in bytes of JSON. */
export const SUBTASK_BYTES = 1_000;

export const PLAN_FORM = '{"reason": "one sentence", "subtasks": [{"id": "1", "task": "…", "depends_on": []}, …]}';
export const PLAN_SCHEMA = {
	type: "object",
	properties: {
		reason: { type: "string" },
		subtasks: {
			type: "array",
			items: {
				type: "object",
				properties: {
					id: { type: "string" },
					task: { type: "string" },
					depends_on: { type: "array", items: { type: "string" } },
				},
				required: ["id", "task", "depends_on"],
				additionalProperties: false,
			},
		},
	},
	required: ["reason", "subtasks"],
	additionalProperties: false,
};

/** The id of a subtask, however it is written: `1`, `"1"`, `"Subtask 1"`. */
const subtaskId = z.lazy(() =>
	z.union([z.string(), z.number()]).transform((written) => {
		const text = String(written).trim().toLowerCase();
		return /^\D*(\d+)\D*$/.exec(text)?.[1] ?? text;
	}),
);

/** The ids that a subtask needs: a list, one id, several with commas between them, or none. */
const subtaskIds = z.lazy(() =>
	z
		.union([
			z.array(subtaskId),
			z.number().transform((id) => [String(id)]),
			z.string().transform((text) => text.split(",").map((id) => subtaskId.parse(id))),
		])
		.nullish()
		.transform((ids) => ids ?? []),
);

/** The members that may hold the wording of a subtask. */
const WORDINGS = ["task", "description", "subtask", "question", "text"] as const;

const wording = z.lazy(() => z.string().trim().min(1));

/** A subtask as models write it. One without an id is known by its position. */
const plannedSubtask = z.lazy(() =>
	z.union([
		wording.transform((task) => ({ id: null, task, needs: [] })),
		z
			.looseObject({ id: subtaskId.nullish(), depends_on: subtaskIds })
			.transform(({ id, depends_on, ...rest }) => ({
				id: id ?? null,
				task: WORDINGS.map((name) => rest[name]).find((text) => typeof text === "string"),
				needs: depends_on,
			}))
			.pipe(z.object({ id: z.string().nullable(), task: wording, needs: z.array(z.string()) })),
	]),
);
type PlannedSubtask = z.output<typeof plannedSubtask>;

/** A plan under another name is the only list of its object. */
function nameSubtasks(value: unknown): unknown {
	if (typeof value !== "object" || value === null || Array.isArray(value) || "subtasks" in value) return value;
	const lists = Object.values(value).filter((member) => Array.isArray(member));
	return lists.length === 1 ? { subtasks: lists[0] } : value;
}

export const subtaskPlanSchema = z.lazy(() =>
	z.preprocess(nameSubtasks, z.object({ subtasks: z.array(plannedSubtask).max(MAX_PLANNED) })),
);
export type SubtaskPlan = z.output<typeof subtaskPlanSchema>;

/** A subtask as it is answered. */
export interface Subtask {
	/** Counted from 1, in an order in which each comes after all that it depends on. */
	id: string;
	/** It fits into its room. */
	task: string;
	depends_on: string[];
}

/** Positions of planned subtasks that are answered as one. */
type Group = readonly number[];

/** For each subtask the positions of those it needs. Ids that nobody has are left out; an id that several have means all of them. */
function findNeeds(subtasks: readonly PlannedSubtask[]): Set<number>[] {
	const ids = subtasks.map(({ id }, at) => id ?? String(at + 1));
	return subtasks.map(({ needs }, at) => {
		const positions = needs.flatMap((need) => ids.flatMap((id, other) => (id === need && other !== at ? [other] : [])));
		return new Set(positions);
	});
}

/** Adds to each subtask what its needs need in turn. */
function closeNeeds(needs: readonly ReadonlySet<number>[]): Set<number>[] {
	return needs.map((direct) => {
		const all = new Set(direct);
		for (const position of all) for (const next of needs[position] ?? []) all.add(next);
		return all;
	});
}

/** Groups in an order in which each comes after those it needs. Subtasks that need each other in a circle are one group. */
function orderGroups(needs: readonly ReadonlySet<number>[]): Group[] {
	const all = closeNeeds(needs);
	const isCircle = (a: number, b: number) => a === b || (all[a]?.has(b) === true && all[b]?.has(a) === true);
	const positions = [...needs.keys()];
	const groups = positions
		.map((at) => positions.filter((other) => isCircle(at, other)))
		.filter(([first], at) => first === at);
	const ordered: Group[] = [];
	for (let left = groups; left.length > 0; ) {
		const done = new Set(ordered.flat());
		const isReady = (group: Group) =>
			group.every((at) => [...(needs[at] ?? [])].every((need) => done.has(need) || group.includes(need)));
		const next = left.find(isReady);
		if (!next) throw new Error("groups without circles have an order");
		ordered.push(next);
		left = left.filter((group) => group !== next);
	}
	return ordered;
}

/** At most so many groups: neighbours are joined, as evenly as can be. */
function joinNeighbours(groups: readonly Group[], most: number): Group[] {
	if (groups.length <= most) return [...groups];
	const start = (at: number) => Math.floor((at * groups.length) / most);
	return Array.from({ length: most }, (_, at) => groups.slice(start(at), start(at + 1)).flat());
}

/** The wordings of a group as one, each with an equal share of the room. */
function joinWordings(wordings: readonly string[]): string {
	const lineBreakBytes = 2;
	const share = Math.floor((SUBTASK_BYTES - lineBreakBytes * (wordings.length - 1)) / wordings.length);
	return wordings.map((text) => fitPlaceholder(text, share)).join("\n");
}

function isSameText(a: string, b: string): boolean {
	const plain = (text: string) => text.trim().replace(/\s+/g, " ").toLowerCase();
	return plain(a) === plain(b);
}

/**
 * The subtasks of a plan as they can be answered; none where the task is not split.
 * @param prompt the whole task: a plan with a subtask that is all of it splits nothing.
 */
export function mendPlan({ subtasks }: SubtaskPlan, prompt: string): Subtask[] {
	if (subtasks.some(({ task }) => isSameText(task, prompt))) return [];
	const needs = findNeeds(subtasks);
	const groups = joinNeighbours(orderGroups(needs), MAX_SUBTASKS);
	if (groups.length < 2) return [];
	return groups.map((group, at) => {
		const needed = new Set(group.flatMap((position) => [...(needs[position] ?? [])]));
		const before = groups.flatMap((other, place) =>
			place !== at && other.some((position) => needed.has(position)) ? [String(place + 1)] : [],
		);
		return {
			id: String(at + 1),
			task: joinWordings(group.flatMap((position) => subtasks[position]?.task ?? [])),
			depends_on: before,
		};
	});
}

/** Subtasks in waves: each wave needs only the answers of earlier ones. */
export function toWaves(subtasks: readonly Subtask[]): Subtask[][] {
	const waveById = new Map<string, number>();
	const waves: Subtask[][] = [];
	for (const subtask of subtasks) {
		const wave = Math.max(0, ...subtask.depends_on.map((id) => (waveById.get(id) ?? 0) + 1));
		waveById.set(subtask.id, wave);
		waves[wave] = [...(waves[wave] ?? []), subtask];
	}
	return waves;
}
