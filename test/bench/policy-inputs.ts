// Hostile policy checks: each aims at one construct that the policy models, and each does something that must not be
// allowed, in its last command or path, so that an answer given without looking is a wrong one.
import type { PolicyInput, PolicyRules } from "../../src/policy/decide.ts";

/** How large a hostile check is built. */
export interface HostileSize {
	/** About the length of all its texts together. */
	readonly chars: number;
	/** How often what is repeated is repeated at most; what is long fills the rest. */
	readonly repeats: number;
	/** Over how many commands it is spread. */
	readonly commands: number;
}

/** A check that is dear to decide. */
export interface HostileInput {
	readonly name: string;
	build(size: HostileSize): { readonly input: PolicyInput; readonly rules: PolicyRules };
}

/** What the service takes: entries of a check and of a manifest (check.ts, workspace/manifest.ts). */
const MAX_COMMANDS = 2_000;
const MAX_PATHS = 10_000;
const MAX_PATTERNS = 200;
const MAX_PATTERN_CHARS = 500;

const DESTRUCTIVE = "rm -rf ~";

const list = (length: number, entry: (at: number) => string) => Array.from({ length }, (_, at) => entry(at));
/** The piece as often as it fits. */
const fill = (piece: string, chars: number) =>
	piece.length > chars ? piece.slice(0, chars) : piece.repeat(Math.floor(chars / piece.length));
/** The same, but at most `count` times: for pieces of which a parser reads no more than so many. */
const times = (count: number, piece: string, chars: number) => fill(piece, Math.min(chars, count * piece.length));
/** Nearly the longest value that a variable is known to have. */
const longValue = (chars: number, piece = "a") => fill(piece, Math.min(65_000, chars / 2));
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

interface Parts {
	readonly commands?: readonly string[];
	readonly files?: readonly string[];
	readonly action?: string;
	readonly forbidden?: readonly string[];
	readonly protectedPaths?: readonly string[];
}

function check({ commands = [], files = [], action = "Change something", forbidden = [], protectedPaths = [] }: Parts) {
	return {
		input: { action, files_affected: [...files], commands: [...commands, DESTRUCTIVE] },
		rules: { protectedPaths, forbiddenCommands: forbidden, budgetUsd: Number.POSITIVE_INFINITY },
	};
}

/** A command of some length and number of repeats. */
const one = (name: string, command: (chars: number, n: number) => string): HostileInput => ({
	name,
	build: ({ chars, repeats, commands }) =>
		check({ commands: list(commands, () => command(Math.floor(chars / commands), repeats)) }),
});

/** Deeper and deeper, around a core: `deepen` is given what it is to wrap. */
function nested(levels: number, core: string, deepen: (inner: string, level: number) => string): string {
	let text = core;
	for (let level = 0; level < levels; level += 1) text = deepen(text, level);
	return text;
}

const arithmetic = (levels: number) => `: ${"$(( a b ".repeat(levels)}${" ))".repeat(levels)}`;

const SHELL_GRAMMAR: readonly HostileInput[] = [
	one("arithmetic in arithmetic", (chars, n) => times(n, arithmetic(12), chars)),
	one("arithmetic, long", (chars) => `: ${"$(( a b ".repeat(20)}${fill("1+", chars - 300)}${" ))".repeat(20)}`),
	one("arithmetic that never ends", (chars, n) => times(n, `: $((${"(".repeat(30)}${"a".repeat(4000)}; `, chars)),
	one("here-documents that never end", (chars, n) => times(n, "cat <<A\n", chars)),
	one("here-documents that never end, of two lines", (chars, n) => times(n, "cat <<A\na", chars)),
	one("here-documents with substitutions that never end", (chars, n) => times(n, "cat <<A\n$(", chars)),
	one("here-documents of long lines that never end", (chars) =>
		nested(30, "x".repeat(chars / 2), (t, n) => `cat <<A${n}\n${t}`),
	),
	one(
		"one line of many here-documents",
		(chars, n) => `${times(n, "a <<A ", chars / 2)}\n${times(n, "b\nA\n", chars / 2)}`,
	),
	one(
		"quotes in substitutions in quotes",
		(chars, n) => `echo ${nested(19, times(n, "x $y ", chars / 2), (t) => `"$(echo ${t})"`)}`,
	),
	one("backticks", (chars, n) => `echo ${times(n, "`a $b` ", chars)}`),
	one("backticks in backticks", () => nested(5, "ls", (t) => `echo \`${t.replaceAll(/([\\`])/g, "\\$1")}\``)),
	one("brace expansion into long words", (chars, n) => `echo ${"{a,b}".repeat(6)}${times(n, "x$y'z'", chars)}`),
	one("brace expansion, many commas", (chars, n) => times(n, `echo ${"{a,b,c,d,e,f,g,h,i,j}".repeat(2)}; `, chars)),
	one("braces in braces", (chars, n) => times(n, `echo ${nested(8, "x", (t) => `{a,${t}}`)} `, chars)),
	one("brace ranges in one word", (chars, n) => `echo ${times(n, "{1..9}", chars)}`),
	one("words of one character", (chars, n) => times(n, "a ", chars)),
	one("empty words", (chars, n) => `echo ${times(n, "'' ", chars)}`),
	one("pipelines", (chars, n) => times(n, "a|", chars)),
	one("groups piped into groups", (chars, n) => times(n, "{ a;a; } | { b;b; } | (c;c) | ", chars)),
	one(
		"a long group piped into a long group",
		(chars, n) => `{ ${times(n, "a;", chars / 2)} } | { ${times(n, "b;", chars / 2)} }`,
	),
	one("groups that redirect", (chars, n) => `${"{ ".repeat(38)}${times(n, "a;", chars)}${"} <x; ".repeat(38)}`),
	one("functions", (chars, n) => list(Math.min(n, Math.floor(chars / 20)), (at) => `f${at}() { a; };`).join("")),
	one(
		"functions called with many defined",
		(chars, n) =>
			list(Math.min(n, Math.floor(chars / 20)), (at) => `f${at}() { :; };`).join("") + times(n, "f1 a; ", chars / 3),
	),
	one(
		"functions that call two functions",
		() => `${list(40, (at) => `f${at}() { f${at + 1} a; f${at + 1} b; };`).join("")} f0 x`,
	),
	one(
		"a long function called often",
		(chars, n) => `f() { ${times(n, "a;", chars / 2)} }; ${times(n, "f x;", chars / 2)}`,
	),
	one("case", (chars, n) => times(n, "case $x in a|b) c;; *) d;; esac; ", chars)),
	one("[[", (chars, n) => `[[ ${times(n, "-f $a && ", chars)} ]]`),
	one("comments and blanks", (chars, n) => times(n, "   # a\n", chars)),
	one("array assignments", (chars, n) => `x=(${times(n, "a $y ", chars)})`),
	one("options of set", (chars, n) => `${times(n, 'set -- a b c; echo $1 $@ "$*";', chars)}`),
];

const VALUES: readonly HostileInput[] = [
	one("a value doubled", (chars, n) => `x=aaaaaaaa; ${times(n, "x=$x$x; ", chars)}`),
	one("a long value used often", (chars, n) => `x=${longValue(chars)}; echo ${times(n, "$x ", chars)}`),
	one(
		"a long value of blanks used often",
		(chars, n) => `x='${longValue(chars, "a ")}'; echo ${times(n, "$x ", chars)}`,
	),
	one(
		"a long value assigned often",
		(chars, n) => `x=${longValue(chars)}; ${list(Math.min(n, Math.floor(chars / 12)), (at) => `y${at}=$x;`).join("")}`,
	),
	one(
		"long values of one name",
		(chars, n) => `x=${longValue(chars)}; ${times(n, list(64, (at) => `y=$x${at + 10};`).join(""), chars)}`,
	),
	one("a long value replaced in", (chars, n) => `x=${longValue(chars)}; ${times(n, `y=\${x//a/b};`, chars)}`),
	one(
		"a long value replaced in, unquoted words",
		(chars, n) => `x=${longValue(chars)}; echo ${times(n, `\${x//a/b} `, chars)}`,
	),
	one("a long value replaced in by a long one", (chars) => `x=${longValue(chars)}; y=\${x//a/${"b".repeat(chars)}}`),
	one(
		"a long value replaced in by its like, over and over",
		(chars, n) => `x=${longValue(chars)}; ${times(n, `y=\${x//a/$x};`, chars)}`,
	),
	one(
		"a long value compared with patterns",
		(chars, n) => `x=${longValue(chars)}; ${times(n, `y=\${x/aaaaaaaaab/c};`, chars)}`,
	),
	one("a long value in another case", (chars, n) => `x=${longValue(chars)}; ${times(n, `echo \${x^^};`, chars)}`),
	one("a long value cut", (chars, n) => `x=${longValue(chars)}; ${times(n, `echo \${x:1:60000};`, chars)}`),
	one("a long default", (chars, n) => times(n, `echo \${x:-${"a".repeat(1000)}} `, chars)),
	one("defaults in defaults", (chars, n) => times(n, `echo ${nested(38, "a", (t) => `\${x:-${t}$x}`)} `, chars)),
	one(
		"many values tried with many words",
		(chars, n) => `for i in ${list(64, (at) => `${at}`).join(" ")}; do ${times(n, "echo $i a b c;", chars)} done`,
	),
	one(
		"many values tried with a long command",
		(chars, n) => `for i in ${list(64, (at) => `${at}`).join(" ")}; do echo ${times(n, "$i a b c ", chars)}; done`,
	),
	one(
		"many values tried with many redirects",
		(chars, n) => `for i in ${list(64, (at) => `${at}`).join(" ")}; do echo ${times(n, ">$i ", chars)}; done`,
	),
	one("loops in loops", (chars, n) =>
		times(n, `${nested(12, "echo $a", (t, level) => `for v${level} in a b c; do ${t}; done`)};`, chars),
	),
	one("a long IFS", (chars, n) => `IFS=${longValue(chars, "abc")}; echo ${times(n, "$x ", chars)}`),
	one("an indirect name", (chars, n) => `x=${longValue(chars)}; ${times(n, `echo \${!x};`, chars)}`),
	one("long parameters", (chars, n) => `set -- ${longValue(chars)}; ${times(n, 'echo "$@";', chars)}`),
	one(
		"parameters of a function",
		(chars, n) => `f() { ${times(n, "echo $1;", chars / 2)} }; f ${"a".repeat(chars / 2)}`,
	),
	one("names", (chars, n) => times(n, list(1000, (at) => `v${at}=${at};`).join(""), chars)),
	one("values that are run", (chars, n) => `x='${longValue(chars, "ls $a; ")}'; ${times(n, "PAGER=$x;", chars)}`),
];

const OUTPUTS: readonly HostileInput[] = [
	one(
		"tr with long sets",
		(chars) => `tr ${fill("abc", chars / 4)} ${fill("def", chars / 4)} <<< ${fill("xyz", chars / 2)} | sh`,
	),
	one("tr -d with a long set", (chars) => `tr -d ${fill("abc", chars / 2)} <<< ${fill("xyz", chars / 2)} | sh`),
	one("tr with ranges", (chars) => `tr '${fill("\u0001-\u007f", chars / 2)}' b <<< ${fill("xyz", chars / 2)} | sh`),
	one("tr again and again", (chars, n) => `echo ${"a".repeat(chars / 2)} ${times(n, "| tr a-z b-za ", chars / 2)}| sh`),
	one("rev again and again", (chars, n) => `echo ${"a".repeat(chars / 2)} ${times(n, "| rev ", chars / 2)}| sh`),
	one(
		"base64 -d again and again",
		(chars, n) => `echo ${"a".repeat(chars / 2)} ${times(n, "| base64 -d ", chars / 2)}| sh`,
	),
	one(
		"xxd -r",
		(chars, n) =>
			`echo ${"61".repeat(chars / 4)} | xxd -r -p | sh; ${times(n, "xxd -r -p <<< 6161616161616161 | sh;", chars / 2)}`,
	),
	one(
		"printf with a long precision and many values",
		(chars, n) => `printf %.${"0".repeat(chars / 3)}s ${times(n, "'' ", chars / 2)} | sh`,
	),
	one(
		"printf with a long format and values",
		(chars) => `printf ${quoted(fill("%b\\x41", chars / 2))} ${fill("a ", chars / 2)} | sh`,
	),
	one("echo -e with escapes", (chars) => `echo -e ${quoted(fill("\\x41\\0101", chars))} | sh`),
	one(
		"a long text printed into many files",
		(chars, n) => `echo ${"a".repeat(chars / 2)} ${times(n, "> a > b ", chars / 2)}`,
	),
	one(
		"words printed into many files",
		(chars, n) => `echo ${times(n, "a ", chars / 2)} ${times(n, "> a > b ", chars / 2)}`,
	),
	one(
		"wrapped in wrappers, into a file",
		(chars) => `${fill("timeout -a b -c d -e f -g h ", Math.min(1_100, chars / 2))} ${fill("a ", chars / 40)}> f`,
	),
	one(
		"sudo in sudo, into a file",
		(chars) => `${fill("sudo -a b -c d -e f -g h ", Math.min(1_000, chars - 10))} x > f`,
	),
	one(
		"a long file run often",
		(chars, n) => `cat > f <<'E'\n${longValue(chars, "ls $a;")}\nE\n${times(n, "sh f\n", chars / 2)}`,
	),
	one("long files appended and run", (chars, n) => `x=${longValue(chars)}; ${times(n, "echo $x >> f; sh f;", chars)}`),
	one(
		"a text piped through many cats",
		(chars, n) => `echo ${"a ".repeat(chars / 4)} ${times(n, "| cat ", chars / 2)}| sh`,
	),
	one(
		"an output substituted often",
		(chars, n) => `f=$(printf ${longValue(chars)}); echo ${times(n, "$(echo $f) ", chars)}`,
	),
	one(
		"an output of blank lines",
		(chars) =>
			`for i in ${list(60, (at) => `${at}`).join(" ")}; do echo $i "$(cat <<'E'\n${"\n".repeat(chars)}E\n)"; done`,
	),
	one("shells fed by shells", (chars, n) => `curl x ${times(n, "| sh ", chars)}`),
	one(
		"shells fed by long words",
		(chars, n) => `${times(n, `${"a".repeat(5000)} | `, chars / 2)} ${times(n, "sudo -a b -c d sh | ", chars / 2)} sh`,
	),
	one("process substitutions", (chars, n) => times(n, "bash <(echo ls); ", chars)),
	one("many process substitutions of one command", (chars, n) => `bash ${times(n, "<(echo ls) ", chars)}`),
];

const wide = (chars: number, n: number) => times(n, "-a b ", chars);

const PROGRAMS: readonly HostileInput[] = [
	one(
		"cd to a long folder, then redirects",
		(chars, n) => `cd ${"a/".repeat(chars / 4)}; ${times(n, "> a ", chars / 2)}`,
	),
	one(
		"cd to a long folder, then a redirect each",
		(chars, n) => `cd ${"a/".repeat(chars / 4)}; ${times(n, "echo > a; ", chars / 2)}`,
	),
	one(
		"cd to eight folders, then paths",
		(chars, n) =>
			`${list(8, (at) => `cd ${fill("a/", Math.min(3_800, chars / 20))}${at};`).join("")} touch ${times(n, "a ", chars / 2)}`,
	),
	one(
		"cd to folders of look-alikes, then paths",
		(chars, n) =>
			`${list(8, (at) => `cd ${fill("\ufdfa", Math.min(1_900, chars / 20))}${at};`).join("")} touch ${times(n, "a ", chars / 2)}`,
	),
	one("rm of many paths", (chars, n) => `rm -r ${times(n, "a ", chars)}`),
	one("rm of deep paths", (chars, n) => times(n, `rm -r ${"a/".repeat(2000)};`, chars)),
	one("a very deep path", (chars) => `rm -r ${"a/".repeat(chars / 2)}`),
	one("paths that go up again", (chars, n) => times(n, `touch ${"a/../".repeat(800)};`, chars)),
	one("paths of an agent's folder, over and over", (chars, n) => times(n, `touch ${".claude/".repeat(510)} `, chars)),
	one("credentials' folders before a new line", (chars, n) => times(n, `cat '${".ssh/".repeat(800)}\n' `, chars)),
	one("wildcards in paths", (chars, n) => times(n, `touch ${"*a".repeat(2000)} `, chars)),
	one("wildcards in a command's name", (chars) => `/bin/${fill("?*", chars)}`),
	one("a wildcard in a command's name, and many words", (chars, n) => `/bin/r* ${times(n, "a ", chars)}`),
	one("cp into a long folder", (chars) => `cp ${"a ".repeat(64)} ${"b".repeat(chars)}`),
	one("chmod of many paths", (chars, n) => `chmod 777 ${times(n, "/a ", chars)}`),
	one("chown of many paths", (chars, n) => `chown -R a ${times(n, "b/c ", chars)}`),
	one("sudo with options", (chars, n) => `sudo ${wide(chars, n)}`),
	one("sudo of sudo", (chars, n) => `${times(n, "sudo -u a ", chars)} ls`),
	one("timeout with options", (chars, n) => `timeout ${wide(chars, n)}`),
	one("timeout of timeout with options", (chars, n) => `${"timeout -a b -c d ".repeat(40)}${wide(chars, n)}`),
	one(
		"docker compose exec with options",
		(chars, n) => `docker ${"-a b ".repeat(15)} compose ${"-a b ".repeat(15)} exec ${wide(chars, n)}`,
	),
	one("env -S", (chars, n) => times(n, `env -S '${"a ".repeat(500)}' ls;`, chars)),
	one("env with assignments", (chars, n) => `env ${times(n, "a=b ", chars)} ls`),
	one("xargs with options", (chars, n) => `xargs ${wide(chars / 2, n)} <<< '${fill("a\n", chars / 2)}'`),
	one(
		"xargs of long lines",
		(chars, n) => `xargs -a b -c d -e f ls <<< '${times(n, `${"a ".repeat(8000)}\n`, chars)}'`,
	),
	one(
		"xargs that fills in long lines",
		(chars) => `xargs -I{} echo ${fill("{}", chars / 2)} <<< '${"a".repeat(chars / 2)}'`,
	),
	one("xargs of xargs", (chars, n) => `${times(n, "xargs -a b -c d -e f ", chars)} ls <<< 'a\nb\nc'`),
	one("parallel of many values", (chars, n) => `parallel ${wide(chars / 2, n)} ::: ${times(n, "a ", chars / 2)}`),
	one("parallel that fills in", (chars) => `parallel echo ${fill("{}", chars / 2)} ::: ${"a".repeat(chars / 2)}`),
	one("find with many -exec", (chars, n) => `find . ${times(n, "-exec \\; ", chars)}`),
	one("find with many -exec that never end", (chars, n) => `find . ${times(n, "-exec ", chars)}`),
	one("find -exec of find -exec", (chars, n) => `${times(n, "find . -exec ", chars)} ls`),
	one("git with many settings", (chars, n) => `git ${times(n, "-c alias.a=b ", chars)} status`),
	one("git with settings of dots", (chars) => `git -c diff${fill(".a", chars)} status`),
	one("git with a long pager", (chars) => `git -c core.pager='less${fill(" -a", chars)} x' status`),
	one("git checkout of many paths", (chars, n) => `git checkout -- ${times(n, "a ", chars)}`),
	one("git with many options", (chars, n) => `git clean ${times(n, "--a ", chars)}`),
	one("git push with many options", (chars, n) => `git push ${times(n, "--f ", chars)}`),
	one("aws with many words", (chars, n) => `aws ${times(n, "a-b ", chars)}`),
	one("tar with many words", (chars, n) => `tar ${times(n, "-C a ", chars)}`),
	one("curl with many fields", (chars, n) => `curl ${times(n, "-F a=@b ", chars)}`),
	one("ssh with options", (chars, n) => `ssh ${times(n, "-a b ", chars)}`),
	one("eval of eval", (chars, n) => `${times(n, "eval ", chars)} ls`),
	one("eval of a long value", (chars, n) => `x='${longValue(chars, "echo $a;")}'; ${times(n, 'eval "$x";', chars)}`),
	one(
		"bash -c of a long value",
		(chars, n) => `x='${longValue(chars, "if a; then b; fi;")}'; ${times(n, 'bash -c "$x";', chars)}`,
	),
	one("bash -c in bash -c", () => nested(5, "ls", (t) => `bash -c ${quoted(t)}`)),
	one("alias", (chars, n) => `alias ${times(n, "a='ls -l; b' ", chars)}`),
	one("powershell", (chars) => `powershell -Command ${quoted(fill("iex ; ", chars))}`),
	one("sed programs", (chars, n) => times(n, `sed '${";        1111111111111111        ".repeat(1000)}' a;`, chars)),
	one("a long sed program", (chars) => `sed '${fill(";        1111111111111111        ", chars)}' a`),
];

const CODE: readonly HostileInput[] = [
	one("code: rm(", (chars, n) => times(n, `node -e '${"rm(".repeat(80_000)}';`, chars)),
	one("code: file.remove", (chars, n) => times(n, `node -e '${"file.remove ".repeat(20_000)}';`, chars)),
	one("code: open(", (chars, n) => times(n, `python -c 'x = 1; ${'open("a" '.repeat(25_000)}';`, chars)),
	one("code: blanks between strings", (chars) => `python -c 'system("a"${" ".repeat(Math.min(chars, 250_000))}x"b")'`),
	one("code: strings in a list", (chars, n) => times(n, `python -c 'system(["a", "b", "c", "d"])';`, chars)),
	one("code: strings of code", (chars, n) => times(n, `python -c 'exec("eval(1)"); exec("system(2)")';`, chars)),
	one("code: a long string of code", (chars, n) => times(n, `python -c 'exec("${"eval(b) ".repeat(1000)}")';`, chars)),
	one("code: escapes in strings", (chars, n) => times(n, `python -c 'system("${"\\\\x41".repeat(1300)}")';`, chars)),
	one("code: strings that never end", (chars, n) => times(n, `python -c 'system(${'"a\n'.repeat(60_000)})';`, chars)),
	one("code: encoded strings", (chars, n) => times(n, `python -c 'exec(b64decode("${"QUJD".repeat(2000)}"))';`, chars)),
	one("code: deep", (chars) => `python -c 'system("${fill("[", chars)}")'`),
	one("code: quotes of all kinds", (chars) => `python -c "system(${fill("'a`", chars)})"`),
	one("code: copy", (chars, n) => times(n, `python -c '${"copy".repeat(60_000)}';`, chars)),
	one("code: q and blanks", (chars, n) => times(n, `perl -e 'system ${`q${" ".repeat(30)}`.repeat(8000)}';`, chars)),
	one("code, short", (chars, n) => `python -c 'import os; ${times(n, "os.remove(a); ", chars - 40)}'`),
	one("awk", (chars) => `awk '${fill('> "a" ', chars)}'`),
	one("awk that runs commands", (chars) => `awk '${fill('system("a" b) ', chars)}'`),
	one("SQL statements", (chars, n) => times(n, `psql -c "${"DELETE FROM a WHERE b; ".repeat(250)}";`, chars)),
	one("a long SQL statement", (chars, n) => times(n, `psql -c "WITH ${")".repeat(60_000)}";`, chars)),
	one("SQL quotes and comments", (chars, n) => times(n, `psql -c "${"'a''b' /* * */ -- c\n".repeat(3000)}";`, chars)),
	one("MongoDB", (chars, n) => times(n, `mongosh --eval '${`x.remove(${" ".repeat(50)}`.repeat(1000)}';`, chars)),
	one("redis", (chars, n) => `redis-cli <<'E'\n${times(n, "DEL a\n", chars)}E`),
];

const LOOK_ALIKES: readonly HostileInput[] = [
	one("letters that fold to many", (chars) => fill("\ufdfa", chars)),
	one("words that fold to many", (chars, n) => times(n, "\ufdfa ", chars)),
	one("paths that fold to many", (chars, n) => times(n, `touch ${"\ufdfa".repeat(1300)} `, chars)),
	one("marks that must be put in order", (chars) => `a${fill("\u0301\u0316", chars)}`),
	one(
		"paths with marks that must be put in order",
		(chars, n) => `touch ${times(n, `a${"\u0301\u0316".repeat(2000)} `, chars)}`,
	),
	{
		name: "an action that folds to many",
		build: ({ chars }) => check({ action: fill("\ufdfa", Math.min(chars, 10_000)) }),
	},
	{
		name: "an action of marks",
		build: ({ chars }) => check({ action: `a${fill("\u0301\u0316", Math.min(chars, 9_999))}` }),
	},
	{ name: "an action of words", build: ({ chars }) => check({ action: fill("a ", Math.min(chars, 10_000)) }) },
];

const patterns = (entry: (at: number) => string) => list(MAX_PATTERNS, (at) => entry(at).slice(0, MAX_PATTERN_CHARS));

const RULES: readonly HostileInput[] = [
	...(
		[
			["names with wildcards", (at) => `${"*a".repeat(240)}${at}`, (chars, at) => `${"a".repeat(chars - 8)}${at}`],
			["words with wildcards", (at) => `a ${"*a".repeat(240)}${at}`, (chars, at) => `a ${"a".repeat(chars - 8)}${at}`],
			["many words", (at) => `${"a ".repeat(240)}${at}`, (chars) => fill("a ", chars)],
			["paths", (at) => `a ${"./a ".repeat(120)}${at}`, (chars) => `a ${fill("./a ", chars)}`],
			["many options", (at) => `a ${"--fooo ".repeat(60)}--x${at}`, (chars) => `a ${fill("--fo ", chars)}`],
			["bundles of options", (at) => `a -${"abcdefghij".repeat(48)}${at}`, (chars) => `a ${fill("-b ", chars)}`],
			["commands in a row", (at) => `${"a | ".repeat(120)}b${at}`, (chars) => fill("a | ", chars)],
			["arithmetic", () => arithmetic(12), () => "a"],
			["look-alikes", (at) => `${"\ufdfa".repeat(480)}${at}`, (chars) => fill("\ufdfa", chars)],
			["marks", (at) => `a${"\u0301\u0316".repeat(240)}${at}`, (chars) => `a${fill("\u0301\u0316", chars)}`],
			["options before the first word", (at) => `a b${at} c`, (chars) => `a ${fill("-a b ", chars)}`],
		] satisfies [string, (at: number) => string, (chars: number, at: number) => string][]
	).map(
		([name, pattern, command]): HostileInput => ({
			name: `forbidden commands: ${name}`,
			build: ({ chars }) =>
				check({
					commands: list(MAX_COMMANDS, (at) => command(Math.floor(chars / MAX_COMMANDS), at)),
					forbidden: patterns(pattern),
				}),
		}),
	),
	...(
		[
			["long segments", (at) => `${"*a".repeat(240)}b*${at}`, (chars, at) => `${"a".repeat(chars - 8)}${at}`],
			["many folders", (at) => `${"**/a/".repeat(90)}b${at}`, (chars) => fill("a/", chars)],
			["many folders, of absolute paths", (at) => `${"a/**/".repeat(90)}b${at}`, (chars) => fill("/a", chars)],
			["only wildcards", (at) => `${"**/*".repeat(120)}${at}`, (chars) => fill("*/", chars)],
			["one segment", (at) => `*${at}*b*c*d*e*f`, (chars, at) => `${fill("bcde", chars - 8)}${at}`],
			["wildcards on both sides", (at) => `${"*a".repeat(240)}${at}`, (chars, at) => `${fill("*a", chars - 8)}${at}`],
			["classes", (at) => `${"[a-z]".repeat(96)}${at}`, (chars, at) => `${fill("[!-~]", chars - 8)}${at}`],
			["look-alikes", (at) => `${"*\u0635".repeat(120)}${at}`, (chars, at) => `${fill("\ufdfa", chars - 8)}${at}`],
			["marks", (at) => `*${at}`, (chars) => `a${fill("\u0301\u0316", chars)}`],
		] satisfies [string, (at: number) => string, (chars: number, at: number) => string][]
	).flatMap(([name, pattern, path]): HostileInput[] => {
		const paths = (chars: number, count: number) => list(count, (at) => path(Math.floor(chars / count), at));
		return [
			{
				name: `protected paths: ${name}, files affected`,
				build: ({ chars }) => check({ files: paths(chars, MAX_PATHS), protectedPaths: patterns(pattern) }),
			},
			{
				name: `protected paths: ${name}, long files affected`,
				build: ({ chars }) =>
					check({ files: paths(chars, Math.ceil(chars / 4000)), protectedPaths: patterns(pattern) }),
			},
			{
				name: `protected paths: ${name}, touched by a command`,
				build: ({ chars }) =>
					check({ commands: [`rm -r ${paths(chars, 500).map(quoted).join(" ")}`], protectedPaths: patterns(pattern) }),
			},
		];
	}),
];

/** Every hostile check, by what it aims at. */
export const HOSTILE_INPUTS: readonly HostileInput[] = [
	...SHELL_GRAMMAR,
	...VALUES,
	...OUTPUTS,
	...PROGRAMS,
	...CODE,
	...LOOK_ALIKES,
	...RULES,
];
