// The languages that code mode knows, as a table: how a task names them, what their files are called, what speaks for them.
// How the table is read is language.ts's.

import languagesFile from "./languages.json" with { type: "json" };

/** The sets of rules in lexis.ts by which brackets, strings and comments are read. */
const LEXICAL_RULES_NAMES = [
	"c",
	"cpp",
	"csharp",
	"java",
	"kotlin",
	"rust",
	"go",
	"swift",
	"javascript",
	"typescript",
	"python",
	"json",
	"css",
	"scss",
	"lua",
	"hcl",
	"dart",
	"solidity",
] as const;
export type LexisName = (typeof LEXICAL_RULES_NAMES)[number];

export interface LanguageEntry {
	/** As answered and asked for. */
	id: string;
	display: string;
	/** Names that mean it wherever they stand, in any case; regular expressions without anchors. */
	names: readonly string[];
	/** Names that are common words too: they count in this case, or in any case where the words around them say so. */
	commonNames?: readonly string[];
	/** A format that programs of other languages read and write: it counts only where it is what is to be written. */
	isFormat?: boolean;
	/** File extensions, without the dot; the first is its own. */
	extensions: readonly string[];
	/** Whole file names. */
	files?: readonly string[];
	/** Libraries, frameworks and tools that mean it. */
	frameworks?: readonly string[];
	/** Those that are common words too: they count with a capital, or before what is made with them. */
	commonFrameworks?: readonly string[];
	/** Words that speak for it where nothing else does. */
	keywords?: readonly string[];
	/** Null where no check of brackets is safe. */
	lexis: LexisName | null;
}

/** In the order of languages.json: of two languages that a task names in one place, the first counts. */
export const LANGUAGES: readonly LanguageEntry[] = languagesFile.languages.map((language) => ({
	...language,
	lexis: LEXICAL_RULES_NAMES.find((name) => name === language.lexis) ?? null,
}));
