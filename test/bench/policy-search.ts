// Searches for policy checks that are slow to decide: grows and mutates checks of building blocks with a fixed seed, and keeps
// the slowest per byte. The checks that people thought of are in policy-inputs.ts.
import type { PolicyInput, PolicyRules } from "../../src/policy/decide.ts";

/** A check to be built at any size. `@` in a piece becomes a number that differs each time. */
export interface Recipe {
	readonly pieces: readonly string[];
	/** What is around the repeated pieces, so many times. */
	readonly around: readonly [open: string, close: string];
	readonly levels: number;
	readonly before: string;
	readonly spread: "one command" | "many commands" | "files";
}

/** What deciding a check of a recipe took. */
export interface SearchFigures {
	readonly ms: number;
	readonly bytes: number;
	readonly decision: string;
	/** Whether the verdict is about the content: nothing was given up. */
	readonly examined: boolean;
}

const PIECES: readonly string[] = [
	...["a", "a@", "ls ", "echo ", "rm -rf ", "cat ", "sh ", "cd ", "sudo ", "xargs ", "env ", "timeout 5 ", "git push "],
	...[
		"find . -exec ",
		"python -c ",
		"psql -c ",
		"curl x@ ",
		"tar -C ",
		"cp a@ ",
		"export ",
		"eval ",
		"bash -c ",
		"printf ",
	],
	...["; ", "\n", " | ", " && ", " & ", "{ ", "}; ", "(", ")", "if a; then ", "fi; ", "for i in 1 2; do ", "done; "],
	...[
		"case x in ",
		"esac; ",
		"[[ ",
		" ]]",
		"f@() { ",
		"f@ a; ",
		"# c\n",
		"<<E\n",
		"E\n",
		"<<< ",
		"> f@ ",
		">> f ",
		"< f ",
	],
	...["$x", "$x@", "x=", "x@=a; ", "x=$x; ", "$(", "`", "$((", "))", "${x:-", "${x//a/", "${x@#a", "}", "$@", "IFS=a "],
	...[
		"'",
		'"',
		"\\",
		"\\\n",
		"{a,b}",
		"{1..9}",
		"*",
		"?",
		"[a-z]",
		"~",
		"/",
		"../",
		"./a/",
		"/etc/",
		".env ",
		"-a",
		"--b=c@ ",
	],
	...[
		"\u0430",
		"\ufdfa",
		"a\u0301",
		"\u{1d41a}",
		"DROP TABLE a@; ",
		"SELECT 1; ",
		"open('a@') ",
		"system(",
		"import a@\n",
		"%s",
	],
];

const AROUND: readonly (readonly [string, string])[] = [
	["", ""],
	["echo $(", ")"],
	["{ ", "; }"],
	["(", ")"],
	["bash -c '", "'"],
	['echo "', '"'],
	["cat > f <<'E'\n", "\nE\n"],
	["sh <<E\n", "\nE\n"],
	["python3 - <<'E'\n", "\nE\n"],
	["psql <<'E'\n", "\nE\n"],
	["for i in 1 2 3; do ", "; done"],
	["f() { ", "; }; f x"],
];

const BEFORE: readonly string[] = [
	"",
	"cd a; cd b; ",
	"x=aaaaaaaaaaaaaaaa; ",
	"IFS=ab; ",
	"f() { :; }; ",
	`x='${"b ".repeat(500)}'; `,
	"echo a > f; ",
	"git ",
	"rm -r ",
	"touch ",
];

/** A generator of numbers from 0 to below 1 with a fixed beginning (mulberry32). */
export function seededNumbers(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}

function pick<T>(list: readonly T[], random: () => number): T {
	const picked = list[Math.floor(random() * list.length)];
	if (picked === undefined) throw new Error("nothing to pick from");
	return picked;
}

/** Makes a recipe of a few pieces. */
export function makeRecipe(random: () => number): Recipe {
	return {
		pieces: Array.from({ length: 1 + Math.floor(random() * 5) }, () => pick(PIECES, random)),
		around: pick(AROUND, random),
		levels: pick([1, 1, 1, 3, 12, 30], random),
		before: pick(BEFORE, random),
		spread: pick<Recipe["spread"]>(["one command", "one command", "many commands", "files"], random),
	};
}

/** Changes one thing of a recipe. */
export function mutateRecipe(recipe: Recipe, random: () => number): Recipe {
	const at = Math.floor(random() * (recipe.pieces.length + 1));
	const other = makeRecipe(random);
	const kind = Math.floor(random() * 7);
	if (kind === 0) return { ...recipe, around: other.around };
	if (kind === 1) return { ...recipe, levels: other.levels };
	if (kind === 2) return { ...recipe, before: other.before };
	if (kind === 3) return { ...recipe, spread: other.spread };
	if (kind === 4 && recipe.pieces.length > 1) return { ...recipe, pieces: recipe.pieces.toSpliced(at, 1) };
	const added = kind === 5 ? pick(recipe.pieces, random) : pick(PIECES, random);
	return { ...recipe, pieces: recipe.pieces.toSpliced(at, kind === 6 ? 1 : 0, added) };
}

/** Repeats the pieces of a recipe up to a number of characters. */
function repeatPieces(pieces: readonly string[], chars: number): string {
	const texts: string[] = [];
	const piece = pieces.join("");
	for (let length = 0, at = 0; length + piece.length <= chars; at++) {
		const text = piece.replaceAll("@", String(at));
		texts.push(text);
		length += text.length;
	}
	return texts.join("");
}

function buildCommand({ pieces, around, levels, before }: Recipe, chars: number): string {
	const [open, close] = around;
	return `${before}${open.repeat(levels)}${repeatPieces(pieces, chars)}${close.repeat(levels)}`;
}

/** Builds the check of a recipe with about so many characters. Its last command must not be allowed. */
export function buildRecipe(
	recipe: Recipe,
	chars: number,
): { readonly input: PolicyInput; readonly rules: PolicyRules } {
	const count = recipe.spread === "one command" ? 1 : recipe.spread === "many commands" ? 500 : 2_000;
	const texts = Array.from({ length: count }, (_, at) => `${buildCommand(recipe, chars / count)} ${at}`);
	const isFiles = recipe.spread === "files";
	return {
		input: {
			action: "Change something",
			files_affected: isFiles ? texts : [],
			commands: isFiles ? ["rm -rf ~"] : [...texts, "rm -rf ~"],
		},
		rules: {
			protectedPaths: isFiles ? Array.from({ length: 200 }, (_, at) => `${repeatPieces(recipe.pieces, 20)}*${at}`) : [],
			forbiddenCommands: [],
			budgetUsd: Number.POSITIVE_INFINITY,
		},
	};
}

/** A recipe with what it took. */
export interface SlowRecipe extends SearchFigures {
	readonly recipe: Recipe;
}

const msPerByte = ({ ms, bytes }: SearchFigures) => ms / bytes;

/** Whether two recipes are made of the same pieces. Only the slower one is kept. */
function areAlike(one: Recipe, other: Recipe): boolean {
	return (
		one.spread === other.spread && [...new Set(one.pieces)].sort().join() === [...new Set(other.pieces)].sort().join()
	);
}

/** Recipes that are kept and mutated. */
const KEPT = 12;
/** Characters of a check while searching: enough to show what grows faster than its text. */
const SEARCH_CHARS = 20_000;

/**
 * Searches for the slowest recipes per byte, slowest first.
 * @param measure Decides on a recipe of so many characters.
 */
export function searchSlowRecipes(
	tries: number,
	seed: number,
	measure: (recipe: Recipe, chars: number) => SearchFigures,
): readonly SlowRecipe[] {
	const random = seededNumbers(seed);
	let kept: SlowRecipe[] = [];
	for (let tried = 0; tried < tries; tried++) {
		const isNew = kept.length < KEPT || random() < 0.3;
		const parent = isNew ? undefined : pick(kept, random);
		const recipe = parent ? mutateRecipe(parent.recipe, random) : makeRecipe(random);
		kept.push({ recipe, ...measure(recipe, SEARCH_CHARS) });
		kept.sort((one, other) => msPerByte(other) - msPerByte(one));
		kept = kept
			.filter((slow, index) => kept.findIndex(({ recipe }) => areAlike(recipe, slow.recipe)) === index)
			.slice(0, KEPT);
	}
	return kept;
}

/** Writes a recipe on one line. */
export function renderRecipe({ pieces, around, levels, before, spread }: Recipe): string {
	return `${spread}: ${JSON.stringify(before.slice(0, 30))} + ${levels} × ${JSON.stringify(around)} around ${JSON.stringify(pieces.join(""))}`;
}
