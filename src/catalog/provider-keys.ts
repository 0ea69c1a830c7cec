// The keys of a provider, as one variable holds them: one key, or a JSON list of several. Pure.
import * as z from "zod";
import { parseJson } from "../json.ts";
import { hashText } from "../proof/hash.ts";
import { matchesGlob } from "../text/match-glob.ts";
import type { Model } from "./schema.ts";

/** One of the operator's keys of a provider. */
export interface ProviderKey {
	/** What logs call it; empty for a key that stands alone. */
	name: string;
	/** What the provider is sent; empty where it takes no key. */
	secret: string;
	/** Its share of the calls is its weight among those of the healthy keys. */
	weight: number;
	/** The ids of the models that it may be used for, with globs. */
	models: readonly string[];
	/** Keys of one account can read each other's reasoning. */
	account: string;
	/** What a conversation is bound to: the name that the operator gave it, else its mark. */
	place: string;
	/** Tells keys apart. The key cannot be read from it. */
	mark: string;
}

export type ProviderKeys = readonly [ProviderKey, ...ProviderKey[]];

const MAX_KEYS = 64;
const MAX_SECRET_CHARS = 4_096;
const MAX_WEIGHT = 1_000_000;

const nameSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/, {
	error: "must be 1 to 32 letters, digits, dots, dashes and underscores, and begin with a letter or digit",
});

/** Texts that a log can show. */
const shortText = z.string("must be a text").max(64, "must have at most 64 characters");

const KNOWN_MEMBERS = "name, key, weight, models and account";

const entrySchema = z.strictObject(
	{
		name: nameSchema.optional(),
		key: z
			.string("is required, and a text")
			.max(MAX_SECRET_CHARS, `must have at most ${MAX_SECRET_CHARS} characters`)
			.regex(/^[\x21-\x7e]+$/, "must be ASCII characters without spaces"),
		weight: z
			.number("must be a number above 0")
			.positive("must be a number above 0")
			.max(MAX_WEIGHT, `must be at most ${MAX_WEIGHT}`)
			.default(1),
		models: z
			.array(z.string("must be ids of models").min(1, "must be ids of models"), "must be a list of ids of models")
			.min(1, "must name at least one model")
			.default(["*"]),
		account: shortText.optional(),
	},
	{
		// Neither a value nor a member is repeated: either may be the key.
		error: ({ code }) =>
			code === "unrecognized_keys"
				? `has a member other than ${KNOWN_MEMBERS}`
				: `must be an object of ${KNOWN_MEMBERS}`,
	},
);
const listSchema = z
	.array(entrySchema, "must be one key, or a JSON list of keys")
	.min(1, "must have at least one key")
	.max(MAX_KEYS, `must have at most ${MAX_KEYS} keys`);

/** A key that stands alone. @param secret empty where the provider takes none. */
export function soleKey(secret: string): ProviderKey {
	const mark = hashText(secret);
	return { name: "", secret, weight: 1, models: ["*"], account: "", place: mark, mark };
}

/** The member of a list at a path, such as `[1].weight`. */
function renderMember(path: readonly PropertyKey[]): string {
	return path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`)).join("");
}

/** The keys of a provider, or what is wrong with them. Faults name members, never values. */
interface ParsedKeys {
	keys?: ProviderKeys;
	faults?: string[];
}

/** What is wrong with the names and keys of a list together. */
function findRepeated(keys: readonly ProviderKey[]): string[] {
	return keys.flatMap(({ name, mark, secret }, index) => {
		const before = keys.slice(0, index);
		return [
			...(before.some((key) => key.name === name) ? [`[${index}].name is that of another key`] : []),
			...(before.some((key) => key.mark === mark) ? [`[${index}].key stands in the list already`] : []),
			// Names stand in logs.
			...(keys.some((key) => key.secret === name) || secret === name ? [`[${index}].name is a key`] : []),
		];
	});
}

/**
 * Parses the value of a provider's variable. A text that begins with `[` is a list, and no key is an object.
 * @returns faults to be written behind the variable's name.
 */
export function parseProviderKeys(text: string): ParsedKeys {
	if (!/^[[{]/.test(text)) return { keys: [soleKey(text)] };
	const parsed = listSchema.safeParse(parseJson(text));
	if (!parsed.success)
		return { faults: parsed.error.issues.map(({ path, message }) => `${renderMember(path)} ${message}`) };
	const keys = parsed.data.map(({ name: given, key, account, ...entry }, index): ProviderKey => {
		const name = given ?? `key-${index + 1}`;
		const mark = hashText(key);
		// A name by position is another key's as soon as the list changes.
		const place = given ?? mark;
		return { ...entry, name, secret: key, account: account ?? place, place, mark };
	});
	const faults = findRepeated(keys);
	const [first, ...rest] = keys;
	return first && faults.length === 0 ? { keys: [first, ...rest] } : { faults };
}

/** Whether a key may be used for a model. */
export function isKeyFor({ models }: Pick<ProviderKey, "models">, { id }: Pick<Model, "id">): boolean {
	return models.some((pattern) => matchesGlob(pattern, id));
}
