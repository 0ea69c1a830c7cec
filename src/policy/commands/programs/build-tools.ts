// Build tools: the lines that their variables, their own commands and their settings run.
import {
	type Effect,
	guessedScriptEffect,
	type ProgramRule,
	runEffect,
	scriptEffect,
	suspectEffect,
} from "../effects.ts";
import executorsFile from "./executors.json" with { type: "json" };

const MAKE_TOOLS: ReadonlySet<string> = new Set(executorsFile.make_tools);

/** Lines that a makefile's text runs while it is read: `$(shell line)`. */
function shellCalls(text: string): readonly Effect[] {
	const effects: Effect[] = [];
	const starts = /\$[({]shell\s/g;
	while (starts.exec(text)) {
		const end = text.slice(starts.lastIndex).search(/[)}]/);
		effects.push(
			scriptEffect(end < 0 ? text.slice(starts.lastIndex) : text.slice(starts.lastIndex, starts.lastIndex + end)),
		);
		if (end < 0) break;
		starts.lastIndex += end;
	}
	return effects;
}

/** `make VARIABLE=value`: the recipes use the value as they like. `--eval` is a makefile, whose `$(shell …)` runs. */
const make: ProgramRule = ({ words }) =>
	words.flatMap((word, at): readonly Effect[] => {
		const [, name = "", value = ""] = /^([A-Za-z_][A-Za-z0-9_.]*)[:+?!]{0,3}=(.*)$/s.exec(word) ?? [];
		if (name !== "") {
			return [...shellCalls(value), MAKE_TOOLS.has(name) ? guessedScriptEffect(value) : suspectEffect(value)];
		}
		const makefile = /^--eval=(.*)$/s.exec(word)?.[1] ?? (/^(?:-E|--eval)$/.test(word) ? words[at + 1] : undefined);
		if (makefile === undefined) return [];
		const recipes = makefile.split(/\n\t|;/).slice(1);
		return [...shellCalls(makefile), ...recipes.map((recipe) => guessedScriptEffect(recipe.replace(/^[@+-]+/, "")))];
	});

const CMAKE_TOOLS: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(executorsFile.cmake_tools));

/** `cmake -E tool …`: its own file commands. */
const cmake: ProgramRule = ({ words }) => {
	const at = words.indexOf("-E");
	const tool = at < 0 ? undefined : CMAKE_TOOLS.get(words[at + 1] ?? "");
	return tool ? [runEffect([...tool, ...words.slice(at + 2)])] : [];
};

/** `mvn exec:exec -Dexec.executable=rm -Dexec.args="-rf x"`. */
const maven: ProgramRule = ({ words }) => {
	const settings = new Map(
		words.flatMap((word): [string, string][] => {
			const [, name, value] = /^-D(exec\.[A-Za-z]+)=(.*)$/s.exec(word) ?? [];
			return name !== undefined && value !== undefined ? [[name, value]] : [];
		}),
	);
	const program = settings.get("exec.executable");
	if (program === undefined) return [];
	const rest =
		settings.get("exec.args") ?? settings.get("exec.commandlineArgs") ?? settings.get("exec.arguments") ?? "";
	return [scriptEffect(`${program} ${rest}`)];
};

/** `-wrapper program,argument`, which compilers are run by. */
const compiler: ProgramRule = ({ words }) => {
	const at = words.indexOf("-wrapper");
	return at < 0 ? [] : [runEffect((words[at + 1] ?? "").split(","))];
};

/** The build tools by name. */
export const BUILD_TOOLS: Readonly<Record<string, ProgramRule>> = {
	make,
	gmake: make,
	bmake: make,
	cmake,
	mvn: maven,
	mvnw: maven,
	gcc: compiler,
	cc: compiler,
	"g++": compiler,
};
