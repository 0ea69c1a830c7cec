// The classes of sensitive data, and their one spelling. That of places and standards is in catalog/standards.ts. Pure.

/** Classes of sensitive data, in the order of all lists. */
export const DATA_CLASSES = ["PII", "PHI", "FINANCIAL", "SECRETS"] as const;
export type DataClass = (typeof DATA_CLASSES)[number];

/** What nobody reads: pictures, files, and texts that are too long. */
export const UNREAD_CONTENTS = ["file", "image", "text"] as const;
export type UnreadContent = (typeof UNREAD_CONTENTS)[number];

const DATA_CLASS_ALIASES: Readonly<Record<string, DataClass>> = {
	CREDENTIAL: "SECRETS",
	CREDENTIALS: "SECRETS",
	FINANCE: "FINANCIAL",
	HEALTH: "PHI",
	MEDICAL: "PHI",
	PAYMENT: "FINANCIAL",
	PERSONAL: "PII",
	PERSONALDATA: "PII",
	SECRET: "SECRETS",
};

/** Finds the class of data that a word names; null when it names none. */
export function findDataClass(word: string): DataClass | null {
	const upper = word.toUpperCase().replace(/[^A-Z]/g, "");
	return (
		DATA_CLASSES.find((known) => known === upper) ??
		(Object.hasOwn(DATA_CLASS_ALIASES, upper) ? (DATA_CLASS_ALIASES[upper] ?? null) : null)
	);
}
