// The compliance gate: which models may see a text under a policy, why others may not, and what is attested. Pure.
import type { Model } from "../catalog/schema.ts";
import type { ComplianceNotice } from "../failure.ts";
import { hashObject } from "../proof/hash.ts";
import type { Attestation } from "../proof/receipt.ts";
import type { Settings } from "../settings.ts";
import type { Conversation } from "./conversation.ts";
import { type Detection, joinDetections, UNREAD } from "./findings.ts";
import type { Mask } from "./mask/mask.ts";
import { findMasked, planMask, remainingClasses } from "./mask/plan.ts";
import { type FactsBasis, findOperatorStated, MATRIX } from "./matrix.ts";
import { findObjections, heldClasses, type Objection } from "./objections.ts";
import type { CompiledPolicy } from "./policy.ts";
import {
	activeLevels,
	allowsUnreadAt,
	isEnforcing,
	maskedClasses,
	type PolicyLevel,
	type PolicyLevels,
	shownPolicy,
	toFloor,
} from "./policy-levels.ts";
import { toComplianceNotice } from "./refusal-notice.ts";
import { DATA_CLASSES, type DataClass, type UnreadContent } from "./vocabulary.ts";

/** Policies in force on a text. They apply to every model that sees the text: fallbacks, judges, critics and planners, too. */
export interface ComplianceGate {
	/** The policies of all levels in one, as answers show it. */
	policy: CompiledPolicy;
	levels: PolicyLevels;
	/** What pattern matching finds. */
	detection: Detection;
	/** What is inferred beyond that; null if no policy asks for it. */
	inferred: Detection | null;
	/** What models are sent placeholders for; null where no level masks anything. */
	mask: Mask | null;
	matrixVersion: string;
	/** Why a model must not see the text, a sentence for each reason; empty if it may. */
	reasonsAgainst(model: Pick<Model, "provider">): readonly string[];
	/** The same by level and member. */
	objectionsTo(model: Pick<Model, "provider">): readonly Objection[];
	/** Why a request is refused of which the policies exclude these models. */
	explain(models: Iterable<Pick<Model, "provider">>): ComplianceNotice;
	/** Of the providers of these models, those about which the operator's word counts; sorted. */
	operatorStated(models: Iterable<Pick<Model, "provider">>): readonly string[];
	/** The attestation that these models saw the text. */
	attest(models: Iterable<Pick<Model, "id" | "provider">>): Attestation;
}

/** What a text holds where it is more, or less, than the detection says. */
export interface TextContents {
	/** What is inferred beyond pattern matching, if a policy asks for it. */
	inferred?: Detection | null;
	/** Classes of the text as received. By default what is detected and inferred. */
	received?: readonly DataClass[];
	/** Classes of what is left after masking. By default those of the text as received. */
	remaining?: readonly DataClass[];
	/** What nobody reads. Each holds every class. */
	unread?: readonly UnreadContent[];
	/** What is replaced by placeholders. */
	mask?: Mask | null;
	/** What the detection's findings point into. Without it, a refusal names no places. */
	conversation?: Conversation;
}

const sortUnique = (words: Iterable<string>) => [...new Set(words)].sort();

type Violations = NonNullable<Attestation["violations"]>;

/** What a monitoring level would have kept from the models that saw the text. */
function toViolations(seen: readonly { id: string; objections: readonly Objection[] }[]): Violations {
	const models = new Map<string, { level: PolicyLevel; member: string; models: string[] }>();
	for (const { id, objections } of seen) {
		for (const { level, member } of objections) {
			const name = `${level} ${member}`;
			const violation = models.get(name) ?? { level, member, models: [] };
			violation.models.push(id);
			models.set(name, violation);
		}
	}
	const sorted = [...models].sort(([a], [b]) => (a < b ? -1 : 1));
	return sorted.map(([, violation]) => ({ ...violation, models: sortUnique(violation.models) }));
}

/** The classes of what is detected and inferred. */
function listFoundClasses(detection: Detection, inferred: Detection | null): DataClass[] {
	return DATA_CLASSES.filter((name) => detection.classes.includes(name) || inferred?.classes.includes(name));
}

const NO_CONVERSATION: Conversation = { texts: [], unread: [] };

/** The gate of policies on a text, by a matrix. */
export function createGate(
	levels: PolicyLevels,
	detection: Detection,
	basis: FactsBasis,
	{
		inferred = null,
		received = listFoundClasses(detection, inferred),
		remaining = received,
		unread = [],
		mask = null,
		conversation = NO_CONVERSATION,
	}: TextContents = {},
): ComplianceGate {
	const byProvider = new Map<string, readonly Objection[]>();
	const matrixVersion = basis.matrix.version;
	const contents = { received, remaining, unread, mask, conversation };
	const policy = shownPolicy(levels);
	const floor = toFloor(levels);
	const monitors = activeLevels(levels).filter((level) => !isEnforcing(level));
	const isMonitored = ({ level }: Objection) => monitors.some((other) => other.level === level);
	const allObjections = (provider: string) => {
		const known = byProvider.get(provider) ?? findObjections(provider, levels, contents, basis);
		byProvider.set(provider, known);
		return known;
	};
	const objectionsTo: ComplianceGate["objectionsTo"] = ({ provider }) =>
		allObjections(provider).filter((objection) => !isMonitored(objection));
	const operatorStated: ComplianceGate["operatorStated"] = (models) =>
		findOperatorStated(
			[...models].map(({ provider }) => provider),
			basis,
		);
	return {
		policy,
		levels,
		detection,
		inferred,
		mask,
		matrixVersion,
		objectionsTo,
		operatorStated,
		reasonsAgainst: (model) => objectionsTo(model).map(({ reason }) => reason),
		explain(models) {
			const enforcing = activeLevels(levels).filter(isEnforcing);
			const held = enforcing.flatMap(({ level }) => {
				const { blocked, unmasked } = heldClasses(levels, level, contents);
				return [...blocked, ...unmasked];
			});
			const classes = DATA_CLASSES.filter((known) => held.includes(known));
			const countsUnread = (what: UnreadContent) =>
				unread.includes(what) && enforcing.some(({ level }) => !allowsUnreadAt(levels, level, what));
			return toComplianceNotice(
				{
					levels,
					conversation,
					detection: inferred ? joinDetections(detection, inferred) : detection,
					classes,
					countsUnread,
				},
				[...models].flatMap(objectionsTo),
			);
		},
		attest(models) {
			const all = [...models];
			const counts = mask?.counts ?? {};
			const stated = operatorStated(all);
			const seen = all.map(({ id, provider }) => ({ id, objections: allObjections(provider).filter(isMonitored) }));
			const claimed = {
				type: "svc.attestation.v1" as const,
				matrix_version: matrixVersion,
				policy: { ...policy },
				...(floor.length > 0 ? { floor } : {}),
				models: sortUnique(all.map(({ id }) => id)),
				providers: sortUnique(all.map(({ provider }) => provider)),
				detected_classes: DATA_CLASSES.filter((known) => detection.classes.includes(known)),
				...(stated.length > 0 ? { operator_facts: [...stated] } : {}),
				...(inferred ? { inferred_classes: [...inferred.classes] } : {}),
				...(Object.keys(counts).length > 0 ? { masked: counts } : {}),
				...(monitors.length > 0 ? { mode: "monitor" as const, violations: toViolations(seen) } : {}),
			};
			return { ...claimed, hash: hashObject(claimed) };
		},
	};
}

/** What a conversation holds: the classes that were found in it, and what nobody read. */
function toContents({ classes, kinds }: Detection, conversation: Conversation): TextContents {
	const unread: UnreadContent[] = conversation.unread.map(({ what }) => what);
	if (classes.some((name) => kinds[name]?.includes(UNREAD))) unread.push("text");
	const received = classes.filter((name) => kinds[name]?.some((kind) => kind !== UNREAD));
	return { received, unread, conversation };
}

/**
 * The gate of policies on a conversation, by the matrix that ships with the service.
 * @param conversation everything that a model would be sent.
 * @param detection what pattern matching finds in it (detect.ts).
 * @param inferred what is inferred beyond pattern matching, if a policy asks for it.
 */
export function shippedGate(
	levels: PolicyLevels,
	conversation: Conversation,
	detection: Detection,
	{ catalog, attestations }: Pick<Settings, "catalog" | "attestations">,
	inferred: Detection | null = null,
): ComplianceGate {
	const basis = { matrix: MATRIX, catalog, attestations };
	const all = inferred ? joinDetections(detection, inferred) : detection;
	const contents = { ...toContents(all, conversation), inferred };
	const masked = maskedClasses(levels);
	if (masked.length === 0) return createGate(levels, detection, basis, contents);
	const mask = planMask(conversation, findMasked(all.findings, masked));
	const remaining = remainingClasses(conversation, all, masked);
	return createGate(levels, detection, basis, { ...contents, mask, remaining });
}
