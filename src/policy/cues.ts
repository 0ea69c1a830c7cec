// Words in free text that say what an action does: a small table, read word by word; commands are never read this way.
import type { FactorId } from "./factors.ts";
import { foldLookAlikes } from "./look-alikes.ts";

/** What text can say. `delete_action` and `deploy_action` weigh as the action kind of the same name does. */
export type Cue = Extract<FactorId, "delete_action" | "deploy_action" | "sensitive_subject">;

/** Verbs that remove what they name. Only as a verb form: "deletion policy" and "undeleted" are not listed. */
const DELETES = [
	"delete",
	"deletes",
	"deleting",
	"erase",
	"erases",
	"erasing",
	"wipe",
	"wipes",
	"wiping",
	"purge",
	"purges",
	"purging",
	"destroy",
	"destroys",
	"destroying",
	"truncate",
	"truncates",
	"truncating",
];

/** Verbs that remove only with the right object: "remove the unused import" is an edit, "remove the users table" is not. */
const REMOVES = ["remove", "removes", "removing", "drop", "drops", "dropping", "clear", "clears", "clearing"];
const REMOVED = [
	"account",
	"accounts",
	"backup",
	"backups",
	"bucket",
	"buckets",
	"cluster",
	"collection",
	"data",
	"database",
	"databases",
	"db",
	"directory",
	"file",
	"files",
	"folder",
	"index",
	"namespace",
	"records",
	"repository",
	"row",
	"rows",
	"schema",
	"table",
	"tables",
	"user",
	"users",
	"volume",
	"volumes",
];

/** Verbs that put something in front of others. "Release" and "ship" are too often nouns or figures of speech. */
const DEPLOYS = ["deploy", "deploys", "deploying", "redeploy", "publish", "publishes", "publishing", "rollout"];

/** Where an error costs more than work. */
const SENSITIVE = [
	"credential",
	"credentials",
	"customer",
	"customers",
	"database",
	"iam",
	"migrate",
	"migrates",
	"migrating",
	"migration",
	"migrations",
	"password",
	"passwords",
	"payment",
	"payments",
	"payroll",
	"permission",
	"permissions",
	"pii",
	"prod",
	"production",
	"rotate",
	"secret",
	"secrets",
	"token",
	"tokens",
];

/** Words that turn the next few around: "do not delete", "without deploying", "never drop". */
const NEGATIONS = [
	"not",
	"no",
	"never",
	"without",
	"don't",
	"dont",
	"doesn't",
	"cannot",
	"can't",
	"avoid",
	"avoids",
	"instead",
	"prevent",
	"prevents",
];

/** How far before a verb its negation, and after a verb its object, is looked for, in words. */
const NEGATION_WORDS = 3;
const OBJECT_WORDS = 4;

/** The cues of a text, in no order. Deterministic and linear; at most the first 2,000 words count. */
export function cuesOf(text: string): ReadonlySet<Cue> {
	const words =
		foldLookAlikes(text)
			.toLowerCase()
			.match(/[a-z][a-z'-]*/g)
			?.slice(0, 2000) ?? [];
	const cues = new Set<Cue>();
	for (const [at, word] of words.entries()) {
		if (SENSITIVE.includes(word)) cues.add("sensitive_subject");
		const negated = words.slice(Math.max(0, at - NEGATION_WORDS), at).some((before) => NEGATIONS.includes(before));
		if (negated) continue;
		if (DELETES.includes(word)) cues.add("delete_action");
		const object = words.slice(at + 1, at + 1 + OBJECT_WORDS);
		if (REMOVES.includes(word) && object.some((after) => REMOVED.includes(after))) cues.add("delete_action");
		if (DEPLOYS.includes(word)) cues.add("deploy_action");
	}
	return cues;
}
