// Parses a compliance policy into its normal form, with every fault, and compiles it into a policy with all members. Pure.
import * as z from "zod";
import { type Catalog, perCatalog } from "../catalog/catalog.ts";
import { findPlaces, findStandard, STANDARDS } from "../catalog/standards.ts";
import { type DocumentFault, inDocumentOrder, mappingMessages, parseMembers } from "../faults.ts";
import { isJsonObject } from "../json.ts";
import { quoteInput, renderSuggestion } from "../suggest.ts";
import { DATA_CLASSES, type DataClass, findDataClass, UNREAD_CONTENTS, type UnreadContent } from "./vocabulary.ts";

const MAX_LIST_WORDS = 100;
const MAX_WORD_CHARS = 128;

/** A policy in normal form: only members that say something, lists sorted and without duplicates. */
export interface CompliancePolicy {
	provider_allowlist?: string[];
	provider_denylist?: string[];
	jurisdiction?: string[];
	data_residency?: string[];
	frameworks?: string[];
	certifications?: string[];
	block_data_classes?: DataClass[];
	/** Classes whose values models see as placeholders. */
	mask_data_classes?: DataClass[];
	/** What may be sent although nobody reads it. */
	allow_unread?: UnreadContent[];
	require_zero_retention?: boolean;
	/** What the learned classifier infers counts like what patterns find. */
	detect?: "inferred";
	/** Only of the operator's policy: it refuses nothing, and attestations record what it would have refused. */
	mode?: "monitor";
}

/** A policy with all members, under the names in which it is echoed and attested. A list that says nothing is empty. */
export interface CompiledPolicy {
	/** False when it says nothing and allows everything. */
	active: boolean;
	provider_allowlist: string[];
	provider_denylist: string[];
	allowed_jurisdictions: string[];
	data_residency: string[];
	required_frameworks: string[];
	required_certifications: string[];
	block_data_classes: DataClass[];
	require_zero_retention: boolean;
	/** Present only when set, like those below: attestations from before have none of them. */
	mask_data_classes?: DataClass[];
	allow_unread?: UnreadContent[];
	detect?: "inferred";
	mode?: "monitor";
}

interface ParsedPolicy {
	/** The valid members; the whole policy when there are no faults. */
	policy: CompliancePolicy;
	faults: DocumentFault[];
}

/** What `mode` is told outside the operator's config. */
export const MODE_IS_OPERATORS = "is the operator's: it has a meaning in the server's config only";

/** The names of each member. The first is its own. */
const MEMBER_NAMES: Readonly<Record<keyof CompliancePolicy, readonly string[]>> = {
	provider_allowlist: ["provider_allowlist", "allowlist", "allowed_providers"],
	provider_denylist: ["provider_denylist", "denylist", "denied_providers", "blocked_providers"],
	jurisdiction: ["jurisdiction", "jurisdictions", "allowed_jurisdictions"],
	data_residency: ["data_residency", "residency", "regions"],
	frameworks: ["frameworks", "framework", "required_frameworks"],
	certifications: ["certifications", "certification", "required_certifications"],
	block_data_classes: ["block_data_classes", "blocked_data_classes", "data_classes"],
	mask_data_classes: ["mask_data_classes", "masked_data_classes"],
	allow_unread: ["allow_unread"],
	require_zero_retention: ["require_zero_retention", "zero_retention", "zdr"],
	detect: ["detect"],
	mode: ["mode"],
};

/** A member of compiled policies. It is ignored, so that an echoed policy can be sent again. */
const ECHOED = "active";

const ALL_NAMES = Object.values(MEMBER_NAMES).flat();
const OWN_NAMES = new Map(
	Object.entries(MEMBER_NAMES).flatMap(([own, names]) => names.map((name): [string, string] => [name, own])),
);

/** Returns what a word of a list stands for, or the message for a word that stands for nothing. */
type WordMeaning<T extends string> = (word: string) => readonly T[] | string;

/** A list of words, each of which stands for entries of the normal form. A single text is a list of one word. */
function wordList<T extends string>(meaning: WordMeaning<T>) {
	const word = z.string("must be a text").transform((text, issues): readonly T[] => {
		const isText = text.trim() !== "" && !/\p{Cc}/u.test(text);
		const tooLong = `must have at most ${MAX_WORD_CHARS} characters`;
		const found = !isText ? "must be a text" : text.length > MAX_WORD_CHARS ? tooLong : meaning(text.trim());
		if (typeof found !== "string") return found;
		issues.addIssue(found);
		return z.NEVER;
	});
	const list = z
		.array(z.unknown(), "must be a list of texts")
		.refine(({ length }) => length <= MAX_LIST_WORDS, `must have at most ${MAX_LIST_WORDS} entries`)
		.pipe(z.array(word));
	return z
		.preprocess((value) => (typeof value === "string" ? [value] : value), list)
		.transform((entries) => [...new Set(entries.flat())].sort());
}

function providerList({ providers }: Catalog) {
	const byName = new Map(providers.flatMap(({ id, name }) => [id, name].map((known) => [known.toLowerCase(), id])));
	return wordList((word) => {
		const id = byName.get(word.toLowerCase());
		return id === undefined ? `unknown provider ${quoteInput(word)}${renderSuggestion(word, byName.values())}` : [id];
	});
}

function placeList() {
	return wordList(
		(word) => findPlaces(word) ?? `${quoteInput(word)} is no country: give its code of ISO 3166-1 alpha-2, or EU`,
	);
}

function standardList() {
	return wordList((word) => {
		const found = findStandard(word);
		return found
			? [found]
			: `unknown framework or certification ${quoteInput(word)}${renderSuggestion(word, Object.values(STANDARDS))}`;
	});
}

function dataClassList() {
	return wordList<DataClass>((word) => {
		const found = findDataClass(word);
		return found
			? [found]
			: `must be one of ${DATA_CLASSES.join(", ")}, not ${quoteInput(word)}${renderSuggestion(word, DATA_CLASSES)}`;
	}).transform((classes) => DATA_CLASSES.filter((known) => classes.includes(known)));
}

function unreadList() {
	return wordList<UnreadContent>((word) => {
		const found = UNREAD_CONTENTS.find((known) => known === word.toLowerCase());
		return found
			? [found]
			: `must be one of ${UNREAD_CONTENTS.join(", ")}, not ${quoteInput(word)}${renderSuggestion(word, UNREAD_CONTENTS)}`;
	});
}

/** The only word that a member may have. */
function onlyWord<T extends string>(word: T) {
	return z.literal(word, `must be ${word}, or absent`);
}

/** A policy under its members' own names. */
const policyMembers = perCatalog((catalog) =>
	z.strictObject(
		{
			provider_allowlist: providerList(catalog).optional(),
			provider_denylist: providerList(catalog).optional(),
			jurisdiction: placeList().optional(),
			data_residency: placeList().optional(),
			frameworks: standardList().optional(),
			certifications: standardList().optional(),
			block_data_classes: dataClassList().optional(),
			mask_data_classes: dataClassList().optional(),
			allow_unread: unreadList().optional(),
			require_zero_retention: z.boolean("must be true or false").optional(),
			detect: onlyWord("inferred").optional(),
			mode: onlyWord("monitor").optional(),
		},
		{ error: mappingMessages(ALL_NAMES) },
	),
);

/** A policy's members under their own names, without absent ones, and the names under which they were written. */
function toOwnNames(policy: Readonly<Record<string, unknown>>) {
	const members: [string, unknown][] = [];
	const writtenAs = new Map<string, string>();
	const faults: DocumentFault[] = [];
	for (const [name, value] of Object.entries(policy)) {
		if (value === null || value === undefined || name === ECHOED) continue;
		const own = OWN_NAMES.get(name) ?? name;
		const before = writtenAs.get(own);
		if (before === undefined) {
			writtenAs.set(own, name);
			members.push([own, value]);
		} else faults.push({ path: [name], at: "key", message: `means the same as ${before}, which is given too` });
	}
	return { members: Object.fromEntries(members), writtenAs, faults };
}

/**
 * Parses a policy. Each member may have one of several names. A null or an empty list says nothing.
 * @param value of any type; null and undefined are a policy that says nothing.
 */
export function parseCompliancePolicy(value: unknown, catalog: Catalog): ParsedPolicy {
	if (value === null || value === undefined) return { policy: {}, faults: [] };
	const named = isJsonObject(value) ? toOwnNames(value) : null;
	const parsed = parseMembers(policyMembers(catalog), named ? named.members : value);
	const faults = parsed.faults.map(({ path: [own, ...rest], ...fault }): DocumentFault => {
		const written = named?.writtenAs.get(String(own));
		return { ...fault, path: written === undefined ? [] : [written, ...rest] };
	});
	const saysSomething = ([, member]: [string, unknown]) =>
		Array.isArray(member) ? member.length > 0 : member !== false;
	return {
		policy: Object.fromEntries(Object.entries(parsed.value).filter(saysSomething)),
		faults: inDocumentOrder([...(named?.faults ?? []), ...faults], value),
	};
}

/** Whether a policy in normal form says anything. */
export function isActivePolicy(policy: CompliancePolicy): boolean {
	return Object.keys(policy).length > 0;
}

/** Compiles a policy in normal form. */
export function compilePolicy(policy: CompliancePolicy): CompiledPolicy {
	return {
		active: isActivePolicy(policy),
		provider_allowlist: policy.provider_allowlist ?? [],
		provider_denylist: policy.provider_denylist ?? [],
		allowed_jurisdictions: policy.jurisdiction ?? [],
		data_residency: policy.data_residency ?? [],
		required_frameworks: policy.frameworks ?? [],
		required_certifications: policy.certifications ?? [],
		block_data_classes: policy.block_data_classes ?? [],
		require_zero_retention: policy.require_zero_retention ?? false,
		...(policy.mask_data_classes ? { mask_data_classes: policy.mask_data_classes } : {}),
		...(policy.allow_unread ? { allow_unread: policy.allow_unread } : {}),
		...(policy.detect ? { detect: policy.detect } : {}),
		...(policy.mode ? { mode: policy.mode } : {}),
	};
}
