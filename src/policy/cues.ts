// Words in free text that say what an action does: a small table, read word by word; commands are never read this way.
import cuesFile from "./cues.json" with { type: "json" };
import type { FactorId } from "./factors.ts";
import { foldLookAlikes } from "./look-alikes.ts";

/** What text can say. `delete_action` and `deploy_action` weigh as the action kind of the same name does. */
export type Cue = Extract<FactorId, "delete_action" | "deploy_action" | "sensitive_subject">;

/** Verbs that remove what they name. Only as a verb form: "deletion policy" and "undeleted" are not listed. */
const DELETION_VERBS: ReadonlySet<string> = new Set(cuesFile.deletion_verbs);

/** Verbs that remove only with the right object: "remove the unused import" is an edit, "remove the users table" is not. */
const REMOVAL_VERBS: ReadonlySet<string> = new Set(cuesFile.removal_verbs);
const REMOVABLE_OBJECTS: ReadonlySet<string> = new Set(cuesFile.removable_objects);

/** Verbs that put something in front of others. "Release" and "ship" are too often nouns or figures of speech. */
const DEPLOYMENT_VERBS: ReadonlySet<string> = new Set(cuesFile.deployment_verbs);

/** Where an error costs more than work. */
const SENSITIVE_WORDS: ReadonlySet<string> = new Set(cuesFile.sensitive_words);

/** Words that turn the next few around: "do not delete", "without deploying", "never drop". */
const NEGATIONS: ReadonlySet<string> = new Set(cuesFile.negations);

/** How far before a verb its negation, and after a verb its object, is looked for, in words. */
const NEGATION_WORDS = 3;
const OBJECT_WORDS = 4;

/** The cues of a text, in no order. Deterministic and linear; at most the first 2,000 words count. */
export function findCues(text: string): ReadonlySet<Cue> {
	const words =
		foldLookAlikes(text)
			.toLowerCase()
			.match(/[a-z][a-z'-]*/g)
			?.slice(0, 2000) ?? [];
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
