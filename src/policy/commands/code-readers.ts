// Which reader says what code of a language does.
import type { WorkBudget } from "../work-budget.ts";
import type { CodeLanguage, Effect, ScriptLanguage } from "./effects.ts";
import { findAwkEffects } from "./programs/awk.ts";
import { findCodeEffects, findPowershellEffects, findScriptEffects } from "./programs/code.ts";
import { findMongoEffects, findRedisEffects, findSourcedFiles } from "./programs/databases.ts";
import { findVimEffects } from "./programs/editors.ts";
import { findLispEffects } from "./programs/lisp.ts";
import { findSedEffects } from "./programs/sed.ts";
import { findSqlEffects } from "./programs/sql.ts";
import { findTclEffects } from "./programs/tcl.ts";

const readScript = (language: ScriptLanguage) => ({
	read: (text: string, work: WorkBudget) => findScriptEffects(text, language, work),
	unitsPerCharacter: 10,
});

/** What SQL does, and what the files do that its client reads. */
function* findSqlFileEffects(text: string): Iterable<Effect> {
	yield* findSqlEffects(text);
	yield* findSourcedFiles(text);
}

/** Reads code of a language. `unitsPerCharacter` pays for all that is not charged while it is read. */
interface LanguageReader {
	readonly read: (text: string, work: WorkBudget) => Iterable<Effect>;
	readonly unitsPerCharacter: number;
}

/** The readers by language. */
export const CODE_READERS: Readonly<Record<CodeLanguage, LanguageReader>> = {
	python: readScript("python"),
	javascript: readScript("javascript"),
	perl: readScript("perl"),
	ruby: readScript("ruby"),
	php: readScript("php"),
	lua: readScript("lua"),
	r: readScript("r"),
	julia: readScript("julia"),
	groovy: readScript("groovy"),
	awk: { read: (text) => findAwkEffects(text), unitsPerCharacter: 50 },
	sed: { read: findSedEffects, unitsPerCharacter: 20 },
	lisp: { read: (text, work) => [...findLispEffects(text, work), ...findCodeEffects(text)], unitsPerCharacter: 10 },
	tcl: { read: (text, work) => [...findTclEffects(text, work), ...findCodeEffects(text)], unitsPerCharacter: 10 },
	vim: { read: findVimEffects, unitsPerCharacter: 30 },
	code: { read: findCodeEffects, unitsPerCharacter: 20 },
	sql: { read: findSqlFileEffects, unitsPerCharacter: 20 },
	mongo: { read: findMongoEffects, unitsPerCharacter: 10 },
	redis: { read: findRedisEffects, unitsPerCharacter: 20 },
	powershell: { read: findPowershellEffects, unitsPerCharacter: 20 },
};
