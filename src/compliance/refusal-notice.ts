// Says why compliance refuses a request: which levels and members exclude models, what kinds of data are blocked, and where they
// stand. Never the data. Pure.
import type { BlockedPlace, ComplianceNotice } from "../failure.ts";
import type { Conversation, TextPlace } from "./conversation.ts";
import { type DataKind, findClass } from "./detection/kinds.ts";
import { type Detection, UNREAD } from "./findings.ts";
import { type PolicyLevel, type PolicyLevels, policyDigest } from "./policy-levels.ts";
import { DATA_CLASSES, type DataClass, type UnreadContent } from "./vocabulary.ts";

/** Places that a refusal lists. */
const MAX_BLOCKED_PLACES = 20;
/** Places that a preview lists: more than most requests have messages. */
const MAX_LISTED_PLACES = 1_000;

/** The member of a body that a text outside the messages stands in. */
const MEMBERS: Partial<Record<TextPlace, string>> = {
	tool_definition: "tools",
	schema: "response_format",
	stop: "stop",
	user: "user",
};

function toPath(message: number | null, place: TextPlace): string {
	return message === null ? (MEMBERS[place] ?? "body") : `messages[${message}]`;
}

/** Places by where they stand, each with the kinds found there. */
class PlaceList {
	readonly #byName = new Map<string, BlockedPlace>();

	add(message: number | null, path: string, place: string, kind: string): void {
		const name = `${path} ${place}`;
		const known = this.#byName.get(name) ?? { path, message, place, kinds: [], count: 0 };
		if (!known.kinds.includes(kind)) known.kinds = [...known.kinds, kind].sort();
		known.count++;
		this.#byName.set(name, known);
	}

	/** In the order of the messages; what stands outside them comes last. */
	toPlaces(limit: number): BlockedPlace[] {
		const outside = Number.POSITIVE_INFINITY;
		const ordered = [...this.#byName.values()].sort((a, b) => {
			const [first, second] = [a.message ?? outside, b.message ?? outside];
			return first === second ? 0 : first - second;
		});
		return ordered.slice(0, limit);
	}
}

function isOf(kind: DataKind, classes: readonly DataClass[]): boolean {
	const dataClass = findClass(kind);
	return dataClass !== null && classes.includes(dataClass);
}

/** Where a conversation holds data of these classes, and what it holds that nobody reads, as far as that counts. */
function collectPlaces(
	{ texts, unread }: Conversation,
	{ findings }: Pick<Detection, "findings">,
	classes: readonly DataClass[],
	countsUnread: (what: UnreadContent) => boolean,
): PlaceList {
	const list = new PlaceList();
	for (const { kind, text } of findings) {
		const found = texts[text];
		if (!found || !isOf(kind, classes)) continue;
		list.add(found.message, toPath(found.message, found.place), found.place.replaceAll("_", " "), kind);
	}
	for (const { message, what } of unread)
		if (countsUnread(what)) list.add(message, toPath(message, "text"), what, UNREAD);
	return list;
}

/** Where a conversation holds data of any class, and what nobody reads. */
export function listDataPlaces(conversation: Conversation, detection: Pick<Detection, "findings">): BlockedPlace[] {
	return collectPlaces(conversation, detection, DATA_CLASSES, () => true).toPlaces(MAX_LISTED_PLACES);
}

function countByKind({ findings }: Pick<Detection, "findings">, classes: readonly DataClass[]): Record<string, number> {
	const counts = new Map<string, number>();
	for (const { kind } of findings) if (isOf(kind, classes)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
	return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A level and the member of its policy that excludes a model. */
interface ExcludingMember {
	level: PolicyLevel;
	member: string;
}

/** The members of each level that exclude a model. */
function toExcludingPolicies(
	levels: PolicyLevels,
	objections: readonly ExcludingMember[],
): ComplianceNotice["policies"] {
	return [...Map.groupBy(objections, ({ level }) => level)].flatMap(([level, same]) => {
		const policy = levels[level];
		const members = [...new Set(same.map(({ member }) => member))].sort();
		return policy ? [{ level, members, digest: policyDigest(policy) }] : [];
	});
}

/** What a gate knows when it refuses. */
interface RefusalBasis {
	levels: PolicyLevels;
	conversation: Conversation;
	detection: Detection;
	/** Classes that are blocked and found, or held by what nobody reads. */
	classes: readonly DataClass[];
	/** Whether images or files hold the classes, because no policy lets them pass. */
	countsUnread(what: UnreadContent): boolean;
}

/** The notice of a refusal. @param objections those to the models that are excluded. */
export function toComplianceNotice(
	{ levels, conversation, detection, classes, countsUnread }: RefusalBasis,
	objections: readonly ExcludingMember[],
): ComplianceNotice {
	const isByClass = objections.some(({ member }) => member === "block_data_classes" || member === "mask_data_classes");
	const blocked = isByClass ? classes : [];
	const unread = (what: UnreadContent) => isByClass && countsUnread(what);
	const kinds = blocked.map((name): [string, string[]] => [name, detection.kinds[name] ?? [UNREAD]]);
	return {
		policies: toExcludingPolicies(levels, objections),
		classes: [...blocked],
		kinds: Object.fromEntries(kinds),
		places: collectPlaces(conversation, detection, blocked, unread).toPlaces(MAX_BLOCKED_PLACES),
		counts: countByKind(detection, blocked),
	};
}
