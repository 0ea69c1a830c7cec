// Words in free text that say what an action does. The lists are in cues.json. Commands are never read this way.
import cuesFile from "./cues.json" with { type: "json" };
import type { FactorId } from "./factors.ts";
import { foldLookAlikes } from "./look-alikes.ts";

/**
 * The factors that text can raise. `delete_action` and `deploy_action` weigh as much as the action kinds of the same
 * names.
 */
type Cue = Extract<FactorId, "delete_action" | "deploy_action" | "sensitive_subject">;

/** Verbs that remove their object, in verb forms only: "deletion policy" and "undeleted" are not listed. */
const DELETION_VERBS: ReadonlySet<string> = new Set(cuesFile.deletion_verbs);

/** Verbs that delete only some objects: "remove the unused import" is an edit, "remove the users table" is not. */
const REMOVAL_VERBS: ReadonlySet<string> = new Set(cuesFile.removal_verbs);
const REMOVABLE_OBJECTS: ReadonlySet<string> = new Set(cuesFile.removable_objects);

/** Verbs that publish something. "Release" and "ship" are not listed: they are too often nouns or figures of speech. */
const DEPLOYMENT_VERBS: ReadonlySet<string> = new Set(cuesFile.deployment_verbs);

/** Subjects where an error costs more than the work of repairing it. */
const SENSITIVE_WORDS: ReadonlySet<string> = new Set(cuesFile.sensitive_words);

/** Words that negate the next few: "do not delete", "without deploying", "never drop". */
const NEGATIONS: ReadonlySet<string> = new Set(cuesFile.negations);

/** How many words before a verb are searched for a negation, and how many after it for an object. */
const NEGATION_WORDS = 3;
const OBJECT_WORDS = 4;

/** Finds the cues of a text, in no order. Deterministic and linear. */
export function findCues(text: string): ReadonlySet<Cue> {
	const words =
		foldLookAlikes(text)
			.toLowerCase()
			.match(/[a-z][a-z'-]*/g) ?? [];
	const cues = new Set<Cue>();
	for (const [at, word] of words.entries()) {
		if (SENSITIVE_WORDS.has(word)) cues.add("sensitive_subject");
		const negated = words.slice(Math.max(0, at - NEGATION_WORDS), at).some((before) => NEGATIONS.has(before));
		if (negated) continue;
		if (DELETION_VERBS.has(word)) cues.add("delete_action");
		const object = words.slice(at + 1, at + 1 + OBJECT_WORDS);
		if (REMOVAL_VERBS.has(word) && object.some((after) => REMOVABLE_OBJECTS.has(after))) cues.add("delete_action");
		if (DEPLOYMENT_VERBS.has(word)) cues.add("deploy_action");
	}
	return cues;
}
