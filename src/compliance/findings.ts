// Collects what the detector finds, and sums it up by class and kind. It keeps offsets, never values. Pure.
import { type DataKind, findClass } from "./detection/kinds.ts";
import type { NameSink } from "./detection/text-scan.ts";
import type { SourceSpan } from "./joined-text.ts";
import { DATA_CLASSES, type DataClass } from "./vocabulary.ts";

/** One occurrence of sensitive data. */
export interface DataFinding {
	readonly kind: DataKind;
	/** Index in the conversation's texts. */
	readonly text: number;
	/** UTF-16 offsets in the text as received; the end is exclusive. An encoded value spans all of its encoding. */
	readonly start: number;
	readonly end: number;
	/** Index of the later text without which this would be no finding; absent if there is none. */
	readonly since?: number;
}

/** What a conversation holds: the classes in their order, and per class the kinds that were found, sorted. */
export interface Detection {
	readonly classes: DataClass[];
	/** A class also has the kind `unread` if something could not be read, or if it has more findings than are listed. */
	readonly kinds: Partial<Record<DataClass, string[]>>;
	/** By text and offset. Findings of one kind do not overlap; those of different kinds may. */
	readonly findings: readonly DataFinding[];
}

/** The kind of what could not be read. It may hold anything. */
export const UNREAD = "unread";

/** Findings of one class that are listed. They take 1 MB of memory. */
export const MAX_FINDINGS_PER_CLASS = 20_000;

/** Where a span that is read stands in the conversation. It may stand in several texts, or in none. */
type LocateSpan = (kind: DataKind, start: number, end: number) => readonly SourceSpan[];

/** Whether a full name beside data of a kind says whose data they are. */
function makesNamePersonal(kind: DataKind): boolean {
	return findClass(kind) === "PHI" || kind === "salary_context" || kind === "credit_context";
}

/** By text and offset, with overlapping findings of one kind merged. */
function toOrderedFindings(findings: readonly DataFinding[]): DataFinding[] {
	const ordered = [...findings].sort((a, b) => a.text - b.text || a.start - b.start || b.end - a.end);
	const merged: DataFinding[] = [];
	const lastOfKind = new Map<DataKind, number>();
	for (const finding of ordered) {
		const at = lastOfKind.get(finding.kind);
		const last = at === undefined ? undefined : merged[at];
		if (at !== undefined && last?.text === finding.text && finding.start < last.end) {
			if (finding.end > last.end) merged[at] = { ...last, end: finding.end };
			continue;
		}
		lastOfKind.set(finding.kind, merged.length);
		merged.push(finding);
	}
	return merged;
}

/** Collects the findings of one conversation, text after text. */
export class DetectionCollector implements NameSink {
	readonly #kinds = new Set<DataKind>();
	readonly #findings: DataFinding[] = [];
	readonly #counts = new Map<DataClass, number>();
	/** Where the last finding of a kind ends, by text. */
	readonly #lastEnds = new Map<number, Map<DataKind, number>>();
	/** A full name alone says little. Beside data about health or money it says whose data they are. */
	readonly #fullNames: DataFinding[] = [];
	/** The first text with such data; null without any. */
	#personalText: number | null = null;
	#locate: LocateSpan = () => [];

	/** Says where the findings that follow stand. */
	enter(locate: LocateSpan): void {
		this.#locate = locate;
	}

	add(kind: DataKind, start: number, end: number): void {
		for (const span of this.#locate(kind, start, end)) this.#list({ kind, ...span });
	}

	addFullName(start: number, end: number): void {
		if (this.#fullNames.length > MAX_FINDINGS_PER_CLASS) return;
		for (const span of this.#locate("person_name", start, end)) this.#fullNames.push({ kind: "person_name", ...span });
	}

	/** Whether a span ends where the last finding of a kind in its text does. */
	endsWithFinding(kind: DataKind, { text, end }: SourceSpan): boolean {
		return this.#lastEnds.get(text)?.get(kind) === end;
	}

	#list(finding: DataFinding): void {
		this.#kinds.add(finding.kind);
		const ends = this.#lastEnds.get(finding.text) ?? new Map<DataKind, number>();
		ends.set(finding.kind, Math.max(ends.get(finding.kind) ?? 0, finding.end));
		this.#lastEnds.set(finding.text, ends);
		if (makesNamePersonal(finding.kind))
			this.#personalText = Math.min(this.#personalText ?? finding.text, finding.text);
		const dataClass = findClass(finding.kind);
		if (dataClass === null) return;
		const count = (this.#counts.get(dataClass) ?? 0) + 1;
		this.#counts.set(dataClass, count);
		if (count <= MAX_FINDINGS_PER_CLASS) this.#findings.push(finding);
	}

	toDetection(): Detection {
		const since = this.#personalText;
		if (since !== null) for (const name of this.#fullNames) this.#list(since > name.text ? { ...name, since } : name);
		const kinds: Partial<Record<DataClass, string[]>> = {};
		for (const kind of [...this.#kinds].sort()) {
			const dataClass = findClass(kind);
			if (dataClass !== null) kinds[dataClass] = [...(kinds[dataClass] ?? []), kind];
		}
		for (const [dataClass, count] of this.#counts)
			if (count > MAX_FINDINGS_PER_CLASS) kinds[dataClass] = [...(kinds[dataClass] ?? []), UNREAD];
		return {
			classes: DATA_CLASSES.filter((dataClass) => kinds[dataClass] !== undefined),
			kinds,
			findings: toOrderedFindings(this.#findings),
		};
	}
}

/** The detection of a conversation that was not read: it may hold anything. */
export function unreadDetection(): Detection {
	const kinds = Object.fromEntries(DATA_CLASSES.map((dataClass) => [dataClass, [UNREAD]]));
	return { classes: [...DATA_CLASSES], kinds, findings: [] };
}

/** What either detection says. */
export function joinDetections(a: Detection, b: Detection): Detection {
	const kinds: Partial<Record<DataClass, string[]>> = {};
	for (const dataClass of DATA_CLASSES) {
		const both = [...new Set([...(a.kinds[dataClass] ?? []), ...(b.kinds[dataClass] ?? [])])].sort();
		if (both.length > 0) kinds[dataClass] = both;
	}
	return {
		classes: DATA_CLASSES.filter((dataClass) => kinds[dataClass] !== undefined),
		kinds,
		findings: toOrderedFindings([...a.findings, ...b.findings]),
	};
}
