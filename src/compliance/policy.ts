// A compliance policy as somebody wrote it → its normal form and every fault of it; and compiled, with all its members. Pure.
import type { Catalog } from "../catalog/catalog.ts";
import { quoteInput, renderSuggestion } from "../suggest.ts";
import { DATA_CLASSES, type DataClass, dataClassOf, placesOf, standardOf } from "./vocabulary.ts";

const MAX_NAMES = 100;
const MAX_WORD_CHARS = 128;

/** In normal form: only members that say something, lists sorted and without repetition. */
export interface CompliancePolicy {
	provider_allowlist?: string[];
	provider_denylist?: string[];
	jurisdiction?: string[];
	data_residency?: string[];
	frameworks?: string[];
	certifications?: string[];
	block_data_classes?: DataClass[];
	require_zero_retention?: boolean;
}

/** A policy with all its members, under the names in which it is echoed and attested; a list that says nothing is empty. */
export interface CompiledPolicy {
	/** False when it says nothing: then it lets everything through. */
	active: boolean;
	provider_allowlist: string[];
	provider_denylist: string[];
	allowed_jurisdictions: string[];
	data_residency: string[];
	required_frameworks: string[];
	required_certifications: string[];
	block_data_classes: DataClass[];
	require_zero_retention: boolean;
}

/** Something that a policy must not say. */
export interface PolicyFault {
	path: readonly (string | number)[];
	/** The key is at fault, not its value. */
	at: "key" | "value";
	message: string;
}

export interface ReadPolicy {
	/** What of it is valid; the whole when there are no faults. */
	policy: CompliancePolicy;
	faults: PolicyFault[];
}

type Member = keyof CompliancePolicy;
type ListMember = Exclude<Member, "require_zero_retention">;

/** Members by every name they may be given; the first of each is its own. */
const MEMBERS: Readonly<Record<Member, readonly string[]>> = {
	provider_allowlist: ["provider_allowlist", "allowlist", "allowed_providers"],
	provider_denylist: ["provider_denylist", "denylist", "denied_providers", "blocked_providers"],
	jurisdiction: ["jurisdiction", "jurisdictions", "allowed_jurisdictions"],
	data_residency: ["data_residency", "residency", "regions"],
	frameworks: ["frameworks", "framework", "required_frameworks"],
	certifications: ["certifications", "certification", "required_certifications"],
	block_data_classes: ["block_data_classes", "blocked_data_classes", "data_classes"],
	require_zero_retention: ["require_zero_retention", "zero_retention", "zdr"],
};

/** A compiled policy's own word; so that what was echoed can be sent again, it is taken and says nothing. */
const ECHOED = "active";

const NAMES = Object.values(MEMBERS).flat();
const MEMBER_OF = new Map(
	Object.entries(MEMBERS).flatMap(([member, names]) => names.map((name): [string, Member] => [name, member as Member])),
);

/** What one word of a list stands for, or what is wrong with it. */
type ReadWord = (word: string) => readonly string[] | string;

function provider({ providers }: Catalog): ReadWord {
	const byName = new Map(providers.flatMap(({ id, name }) => [id, name].map((known) => [known.toLowerCase(), id])));
	return (word) => {
		const id = byName.get(word.toLowerCase());
		return id === undefined ? `unknown provider ${quoteInput(word)}${renderSuggestion(word, byName.values())}` : [id];
	};
}

const place: ReadWord = (word) =>
	placesOf(word) ?? `${quoteInput(word)} is no country: give its code of ISO 3166-1 alpha-2, or EU`;

const standard: ReadWord = (word) => [standardOf(word)];

const dataClass: ReadWord = (word) => {
	const found = dataClassOf(word);
	return found
		? [found]
		: `must be one of ${DATA_CLASSES.join(", ")}, not ${quoteInput(word)}${renderSuggestion(word, DATA_CLASSES)}`;
};

function readersFor(catalog: Catalog): Readonly<Record<ListMember, ReadWord>> {
	const ofProvider = provider(catalog);
	return {
		provider_allowlist: ofProvider,
		provider_denylist: ofProvider,
		jurisdiction: place,
		data_residency: place,
		frameworks: standard,
		certifications: standard,
		block_data_classes: dataClass,
	};
}

/** A list's words in normal form; null when it is at fault. One word alone is a list of it. */
function readList(
	value: unknown,
	read: ReadWord,
	fault: (message: string, index?: number) => void,
): readonly string[] | null {
	const list: unknown[] = Array.isArray(value) ? value : [value];
	if (typeof value !== "string" && !Array.isArray(value)) {
		fault("must be a list of texts");
		return null;
	}
	if (list.length > MAX_NAMES) {
		fault(`must have at most ${MAX_NAMES} entries`);
		return null;
	}
	const index = (at: number) => (Array.isArray(value) ? at : undefined);
	let isFaulty = false;
	const words = list.flatMap((word, at) => {
		const found =
			typeof word !== "string" || word.trim() === "" || /\p{Cc}/u.test(word)
				? "must be a text"
				: word.length > MAX_WORD_CHARS
					? `must have at most ${MAX_WORD_CHARS} characters`
					: read(word.trim());
		if (typeof found !== "string") return found;
		isFaulty = true;
		fault(found, index(at));
		return [];
	});
	return isFaulty ? null : [...new Set(words)].sort();
}

/** In the order in which classes are always listed; other lists are sorted already. */
function inOrder(member: ListMember, words: readonly string[]): string[] {
	return member === "block_data_classes" ? DATA_CLASSES.filter((known) => words.includes(known)) : [...words];
}

/**
 * Reads a policy. Each member may have one of several names; a null or an empty list says nothing.
 * @param value of any type; null and undefined are a policy that says nothing.
 */
export function parseCompliancePolicy(value: unknown, catalog: Catalog): ReadPolicy {
	const faults: PolicyFault[] = [];
	if (value === null || value === undefined) return { policy: {}, faults };
	if (typeof value !== "object" || Array.isArray(value))
		return { policy: {}, faults: [{ path: [], at: "value", message: "must be a mapping" }] };
	const readers = readersFor(catalog);
	const found = new Map<Member, unknown>();
	const namedAs = new Map<Member, string>();
	for (const [name, given] of Object.entries(value)) {
		if (given === null || given === undefined || name === ECHOED) continue;
		const member = MEMBER_OF.get(name);
		if (!member) {
			faults.push({ path: [name], at: "key", message: `unknown key${renderSuggestion(name, NAMES)}` });
			continue;
		}
		const before = namedAs.get(member);
		if (before !== undefined) {
			faults.push({ path: [name], at: "key", message: `means the same as ${before}, which is given too` });
			continue;
		}
		namedAs.set(member, name);
		if (member === "require_zero_retention") {
			if (typeof given === "boolean") found.set(member, given);
			else faults.push({ path: [name], at: "value", message: "must be true or false" });
			continue;
		}
		const words = readList(given, readers[member], (message, at) =>
			faults.push({ path: at === undefined ? [name] : [name, at], at: "value", message }),
		);
		if (words) found.set(member, inOrder(member, words));
	}
	const said = (Object.keys(MEMBERS) as Member[])
		.map((member): [Member, unknown] => [member, found.get(member)])
		.filter(([, said]) => said === true || (Array.isArray(said) && said.length > 0));
	return { policy: Object.fromEntries(said), faults };
}

/** Whether a policy in normal form says anything. */
export function isActivePolicy(policy: CompliancePolicy): boolean {
	return Object.keys(policy).length > 0;
}

/** A policy in normal form, with all members. */
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
	};
}
