// The keys of a provider, as one variable holds them: one key, or a JSON list of several. Pure.
import * as z from "zod";
import { parseJson } from "../json.ts";
import { hashText } from "../proof/hash.ts";
import { matchesGlob } from "../text/match-glob.ts";
import { CREDENTIAL_SCHEMAS, type Credentials } from "./credentials.ts";
import type { Model } from "./schema.ts";
import type { CredentialForm } from "./vocabulary.ts";

/** One of the operator's keys of a provider. */
export interface ProviderKey {
	/** What logs call it; empty for a key that stands alone. */
	name: string;
	/** What the provider is sent; empty where it takes no key, and where credentials take its place. */
	secret: string;
	/** What each request is signed with, or a token is fetched with. */
	credentials?: Credentials;
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

const plainKey = z
	.string("is required, and a text")
	.max(MAX_SECRET_CHARS, `must have at most ${MAX_SECRET_CHARS} characters`)
	.regex(/^[\x21-\x7e]+$/, "must be ASCII characters without spaces");

/** A list of keys, each written as `key` says. */
function listOf<Key extends z.ZodType>(key: Key) {
	const entry = z.strictObject(
		{
			name: nameSchema.optional(),
			key,
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
	return z
		.array(entry, "must be one key, or a JSON list of keys")
		.min(1, "must have at least one key")
		.max(MAX_KEYS, `must have at most ${MAX_KEYS} keys`);
}

/** A key that stands alone. @param secret empty where the provider takes none. */
export function soleKey(secret: string): ProviderKey {
	const mark = hashText(secret);
	return { name: "", secret, weight: 1, models: ["*"], account: "", place: mark, mark };
}

/** What a key holds: a text, or credentials. */
type KeyHolds = Pick<ProviderKey, "secret" | "credentials">;

function toMark({ secret, credentials }: KeyHolds): string {
	return hashText(credentials ? JSON.stringify(credentials) : secret);
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

/** A key of a list. */
interface ListedKey extends Pick<ProviderKey, "weight" | "models"> {
	name?: string | undefined;
	account?: string | undefined;
	holds: KeyHolds;
}

function toKeys(entries: readonly ListedKey[]): ParsedKeys {
	const keys = entries.map(({ name: given, holds, account, ...entry }, index): ProviderKey => {
		const name = given ?? `key-${index + 1}`;
		const mark = toMark(holds);
		// A name by position is another key's as soon as the list changes.
		const place = given ?? mark;
		return { ...entry, name, ...holds, account: account ?? place, place, mark };
	});
	const faults = findRepeated(keys);
	const [first, ...rest] = keys;
	return first && faults.length === 0 ? { keys: [first, ...rest] } : { faults };
}

function toFaults({ issues }: z.ZodError): ParsedKeys {
	return { faults: issues.map(({ path, message }) => `${renderMember(path)} ${message}`) };
}

/**
 * Parses the value of a provider's variable. A text that begins with `[` is a list, and no key is an object.
 * @returns faults to be written behind the variable's name.
 */
export function parseProviderKeys(text: string): ParsedKeys {
	if (!/^[[{]/.test(text)) return { keys: [soleKey(text)] };
	const parsed = listOf(plainKey).safeParse(parseJson(text));
	if (!parsed.success) return toFaults(parsed.error);
	return toKeys(parsed.data.map(({ key, ...entry }) => ({ ...entry, holds: { secret: key } })));
}

/**
 * Parses credentials: one object, or a list of keys that are such objects.
 * @param written the value of a variable, as JSON or as it was put together of several.
 * @returns faults to be written behind the variable's name.
 */
export function parseCredentialKeys(written: unknown, form: CredentialForm): ParsedKeys {
	const value = typeof written === "string" ? parseJson(written) : written;
	const schema = CREDENTIAL_SCHEMAS[form];
	if (!Array.isArray(value)) {
		const parsed = schema.safeParse(value);
		if (!parsed.success) return toFaults(parsed.error);
		const holds = { secret: "", credentials: parsed.data };
		const mark = toMark(holds);
		return { keys: [{ ...soleKey(""), ...holds, place: mark, mark }] };
	}
	const parsed = listOf(schema).safeParse(value);
	if (!parsed.success) return toFaults(parsed.error);
	return toKeys(parsed.data.map(({ key, ...entry }) => ({ ...entry, holds: { secret: "", credentials: key } })));
}

/** Whether a key may be used for a model. */
export function isKeyFor({ models }: Pick<ProviderKey, "models">, { id }: Pick<Model, "id">): boolean {
	return models.some((pattern) => matchesGlob(pattern, id));
}
