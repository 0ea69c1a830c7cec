// Which reader says what code of a language does. Code of a language without one is only searched, and asks.
import type { WorkBudget } from "../work-budget.ts";
import { type CodeLanguage, type Effect, type ReadLanguage, raiseEffect, type ScriptLanguage } from "./effects.ts";
import { isReadLanguage } from "./program-tables.ts";
import { findAwkEffects } from "./programs/awk.ts";
import { findCallEffects } from "./programs/code-calls.ts";
import { findCodeEffects } from "./programs/code-search.ts";
import { findMongoEffects, findRedisEffects, findSourcedFiles } from "./programs/databases.ts";
import { findVimEffects } from "./programs/editors.ts";
import { findPowershellEffects } from "./programs/powershell.ts";
import { findSedEffects } from "./programs/sed.ts";
import { findSqlEffects } from "./programs/sql.ts";
import projectCallsFile from "./project-calls.json" with { type: "json" };

/** Reads code of a language. `unitsPerCharacter` pays for all that is not charged while it is read. */
interface LanguageReader {
	readonly read: (text: string, work: WorkBudget) => Iterable<Effect>;
	readonly unitsPerCharacter: number;
}

/** What the search finds in any language counts, too. */
const toScriptReader = (language: ScriptLanguage): LanguageReader => ({
	read: (text, work) => [...findCallEffects(text, language, work), ...findCodeEffects(text)],
	unitsPerCharacter: 10,
});

/** What SQL does, and what the files do that its client reads. */
function* findSqlFileEffects(text: string): Iterable<Effect> {
	yield* findSqlEffects(text);
	yield* findSourcedFiles(text);
}

/** The readers by language. */
const CODE_READERS: Readonly<Record<ReadLanguage, LanguageReader>> = {
	python: toScriptReader("python"),
	javascript: toScriptReader("javascript"),
	perl: toScriptReader("perl"),
	ruby: toScriptReader("ruby"),
	php: toScriptReader("php"),
	awk: { read: findAwkEffects, unitsPerCharacter: 50 },
	sed: { read: findSedEffects, unitsPerCharacter: 20 },
	vim: { read: findVimEffects, unitsPerCharacter: 30 },
	code: { read: findCodeEffects, unitsPerCharacter: 20 },
	sql: { read: findSqlFileEffects, unitsPerCharacter: 20 },
	mongo: { read: findMongoEffects, unitsPerCharacter: 10 },
	redis: { read: findRedisEffects, unitsPerCharacter: 20 },
	powershell: { read: findPowershellEffects, unitsPerCharacter: 20 },
};

const PROJECT_CALLS: ReadonlySet<string> = new Set(projectCallsFile.project_calls);

/** A statement that loads a package, or calls a function with plain values. */
const PLAIN_STATEMENT = /^(?:using \w{1,80}|library\(\w{1,80}\)|([\w:.]{1,80})\([\w\s"'./,=-]*\))$/;

/** Whether code only runs the tests and tools of a project: `testthat::test_dir("tests")`, `using Pkg; Pkg.test()`. */
function runsProjectTools(text: string): boolean {
	const statements = text.split(/[;\n]/).flatMap((statement) => (statement.trim() === "" ? [] : [statement.trim()]));
	return statements.every((statement) => {
		const [isPlain, called] = PLAIN_STATEMENT.exec(statement) ?? [];
		return isPlain !== undefined && (called === undefined || PROJECT_CALLS.has(called));
	});
}

/** The reader of a language. */
export function findCodeReader(language: CodeLanguage): LanguageReader {
	if (isReadLanguage(language)) return CODE_READERS[language];
	const because = `code in ${language.slice("unread:".length)} is not read`;
	const asks = raiseEffect("exec_action", because, "the same in Python, JavaScript or a shell");
	return {
		read: (text) => [...(runsProjectTools(text) ? [] : [asks]), ...findCodeEffects(text)],
		unitsPerCharacter: CODE_READERS.code.unitsPerCharacter,
	};
}
