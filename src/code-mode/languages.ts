// The languages that code mode knows. The table is in languages.json, detection in language.ts.

import languagesFile from "./languages.json" with { type: "json" };

/** The sets of rules in lexis.ts by which brackets, strings and comments are read. */
const LEXICAL_RULES_NAMES = ["c_like", "c", "csharp", "rust", "script", "css", "hash", "dash"] as const;
export type LexicalRulesName = (typeof LEXICAL_RULES_NAMES)[number];

export interface LanguageEntry {
	/** The id in requests and responses. */
	id: string;
	display: string;
	/** Names that mean the language wherever they stand, in any case. Regular expressions without anchors. */
	names: readonly string[];
	/** Names that are common words too. They count in this case, or in any case where the words around them say so. */
	commonNames?: readonly string[];
	/** A format that programs of other languages read and write. It counts only where it is to be written. */
	isFormat?: boolean;
	/** File extensions without the dot, the main one first. */
	extensions: readonly string[];
	/** Whole file names. */
	files?: readonly string[];
	/** Libraries, frameworks and tools of the language. */
	frameworks?: readonly string[];
	/** Frameworks that are common words too. They count with a capital, or before what is made with them. */
	commonFrameworks?: readonly string[];
	/** Words that hint at the language where nothing else does. */
	keywords?: readonly string[];
	/** Null where no check of brackets is safe. */
	lexis: LexicalRulesName | null;
}

/** In the order of languages.json: of two languages that a task names in one place, the first counts. */
export const LANGUAGES: readonly LanguageEntry[] = languagesFile.languages.map((language) => ({
	...language,
	lexis: LEXICAL_RULES_NAMES.find((name) => name === language.lexis) ?? null,
}));
