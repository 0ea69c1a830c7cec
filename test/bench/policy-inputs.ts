// Hostile policy checks. Each aims at one construct that the policy models. Its last command or path must not be allowed, so
// a decision that stops looking early is wrong.
import type { PolicyInput, PolicyRules } from "../../src/policy/decide.ts";

/** How large a hostile check is built. */
export interface HostileSize {
	/** Approximate length of all its texts together. */
	readonly chars: number;
	/** Most repetitions of a piece. Longer pieces fill the rest. */
	readonly repeats: number;
	/** Number of commands it is spread over. */
	readonly commands: number;
}

/** A check that takes much work to decide. */
export interface HostileInput {
	readonly name: string;
	build(size: HostileSize): { readonly input: PolicyInput; readonly rules: PolicyRules };
}

/** Limits of the service on a check and a manifest (check.ts, workspace/manifest.ts). */
const MAX_COMMANDS = 2_000;
const MAX_PATHS = 10_000;
const MAX_PATTERNS = 200;
const MAX_PATTERN_CHARS = 500;

const DESTRUCTIVE = "rm -rf ~";

const makeList = (length: number, entry: (at: number) => string) => Array.from({ length }, (_, at) => entry(at));
/** Repeats a piece as often as it fits. */
const repeatToFill = (piece: string, chars: number) =>
	piece.length > chars ? piece.slice(0, chars) : piece.repeat(Math.floor(chars / piece.length));
/** The same, at most `count` times, for parsers that read no more than so many. */
const repeatAtMost = (count: number, piece: string, chars: number) =>
	repeatToFill(piece, Math.min(chars, count * piece.length));
/** Nearly the longest value that the policy keeps for a variable. */
const longValue = (chars: number, piece = "a") => repeatToFill(piece, Math.min(65_000, chars / 2));
const shellQuote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

interface CheckParts {
	readonly commands?: readonly string[];
	readonly files?: readonly string[];
	readonly action?: string;
	readonly forbidden?: readonly string[];
	readonly protectedPaths?: readonly string[];
}

function buildCheck({
	commands = [],
	files = [],
	action = "Change something",
	forbidden = [],
	protectedPaths = [],
}: CheckParts) {
	return {
		input: { action, files_affected: [...files], commands: [...commands, DESTRUCTIVE] },
		rules: { protectedPaths, forbiddenCommands: forbidden, budgetUsd: Number.POSITIVE_INFINITY },
	};
}

/** An input of commands with a given length and number of repeats. */
const commandInput = (name: string, command: (chars: number, n: number) => string): HostileInput => ({
	name,
	build: ({ chars, repeats, commands }) =>
		buildCheck({ commands: makeList(commands, () => command(Math.floor(chars / commands), repeats)) }),
});

/** Wraps a core level by level; `deepen` makes one level around the text so far. */
function wrapRepeatedly(levels: number, core: string, deepen: (inner: string, level: number) => string): string {
	let text = core;
	for (let level = 0; level < levels; level += 1) text = deepen(text, level);
	return text;
}

const arithmetic = (levels: number) => `: ${"$(( a b ".repeat(levels)}${" ))".repeat(levels)}`;

const SHELL_GRAMMAR: readonly HostileInput[] = [
	commandInput("arithmetic in arithmetic", (chars, n) => repeatAtMost(n, arithmetic(12), chars)),
	commandInput(
		"arithmetic, long",
		(chars) => `: ${"$(( a b ".repeat(20)}${repeatToFill("1+", chars - 300)}${" ))".repeat(20)}`,
	),
	commandInput("arithmetic that never ends", (chars, n) =>
		repeatAtMost(n, `: $((${"(".repeat(30)}${"a".repeat(4000)}; `, chars),
	),
	commandInput("here-documents that never end", (chars, n) => repeatAtMost(n, "cat <<A\n", chars)),
	commandInput("here-documents that never end, of two lines", (chars, n) => repeatAtMost(n, "cat <<A\na", chars)),
	commandInput("here-documents with substitutions that never end", (chars, n) => repeatAtMost(n, "cat <<A\n$(", chars)),
	commandInput("here-documents of long lines that never end", (chars) =>
		wrapRepeatedly(30, "x".repeat(chars / 2), (t, n) => `cat <<A${n}\n${t}`),
	),
	commandInput(
		"one line of many here-documents",
		(chars, n) => `${repeatAtMost(n, "a <<A ", chars / 2)}\n${repeatAtMost(n, "b\nA\n", chars / 2)}`,
	),
	commandInput(
		"quotes in substitutions in quotes",
		(chars, n) => `echo ${wrapRepeatedly(19, repeatAtMost(n, "x $y ", chars / 2), (t) => `"$(echo ${t})"`)}`,
	),
	commandInput("backticks", (chars, n) => `echo ${repeatAtMost(n, "`a $b` ", chars)}`),
	commandInput("backticks in backticks", () =>
		wrapRepeatedly(5, "ls", (t) => `echo \`${t.replaceAll(/([\\`])/g, "\\$1")}\``),
	),
	commandInput(
		"brace expansion into long words",
		(chars, n) => `echo ${"{a,b}".repeat(6)}${repeatAtMost(n, "x$y'z'", chars)}`,
	),
	commandInput("brace expansion, many commas", (chars, n) =>
		repeatAtMost(n, `echo ${"{a,b,c,d,e,f,g,h,i,j}".repeat(2)}; `, chars),
	),
	commandInput("braces in braces", (chars, n) =>
		repeatAtMost(n, `echo ${wrapRepeatedly(8, "x", (t) => `{a,${t}}`)} `, chars),
	),
	commandInput("brace ranges in one word", (chars, n) => `echo ${repeatAtMost(n, "{1..9}", chars)}`),
	commandInput("words of one character", (chars, n) => repeatAtMost(n, "a ", chars)),
	commandInput("empty words", (chars, n) => `echo ${repeatAtMost(n, "'' ", chars)}`),
	commandInput("pipelines", (chars, n) => repeatAtMost(n, "a|", chars)),
	commandInput("groups piped into groups", (chars, n) => repeatAtMost(n, "{ a;a; } | { b;b; } | (c;c) | ", chars)),
	commandInput(
		"a long group piped into a long group",
		(chars, n) => `{ ${repeatAtMost(n, "a;", chars / 2)} } | { ${repeatAtMost(n, "b;", chars / 2)} }`,
	),
	commandInput(
		"groups that redirect",
		(chars, n) => `${"{ ".repeat(38)}${repeatAtMost(n, "a;", chars)}${"} <x; ".repeat(38)}`,
	),
	commandInput("functions", (chars, n) =>
		makeList(Math.min(n, Math.floor(chars / 20)), (at) => `f${at}() { a; };`).join(""),
	),
	commandInput(
		"functions called with many defined",
		(chars, n) =>
			makeList(Math.min(n, Math.floor(chars / 20)), (at) => `f${at}() { :; };`).join("") +
			repeatAtMost(n, "f1 a; ", chars / 3),
	),
	commandInput(
		"functions that call two functions",
		() => `${makeList(40, (at) => `f${at}() { f${at + 1} a; f${at + 1} b; };`).join("")} f0 x`,
	),
	commandInput(
		"a long function called often",
		(chars, n) => `f() { ${repeatAtMost(n, "a;", chars / 2)} }; ${repeatAtMost(n, "f x;", chars / 2)}`,
	),
	commandInput("case", (chars, n) => repeatAtMost(n, "case $x in a|b) c;; *) d;; esac; ", chars)),
	commandInput("[[", (chars, n) => `[[ ${repeatAtMost(n, "-f $a && ", chars)} ]]`),
	commandInput("comments and blanks", (chars, n) => repeatAtMost(n, "   # a\n", chars)),
	commandInput("array assignments", (chars, n) => `x=(${repeatAtMost(n, "a $y ", chars)})`),
	commandInput("options of set", (chars, n) => `${repeatAtMost(n, 'set -- a b c; echo $1 $@ "$*";', chars)}`),
];

const VALUES: readonly HostileInput[] = [
	commandInput("a value doubled", (chars, n) => `x=aaaaaaaa; ${repeatAtMost(n, "x=$x$x; ", chars)}`),
	commandInput("a long value used often", (chars, n) => `x=${longValue(chars)}; echo ${repeatAtMost(n, "$x ", chars)}`),
	commandInput(
		"a long value of blanks used often",
		(chars, n) => `x='${longValue(chars, "a ")}'; echo ${repeatAtMost(n, "$x ", chars)}`,
	),
	commandInput(
		"a long value assigned often",
		(chars, n) =>
			`x=${longValue(chars)}; ${makeList(Math.min(n, Math.floor(chars / 12)), (at) => `y${at}=$x;`).join("")}`,
	),
	commandInput(
		"long values of one name",
		(chars, n) => `x=${longValue(chars)}; ${repeatAtMost(n, makeList(64, (at) => `y=$x${at + 10};`).join(""), chars)}`,
	),
	commandInput(
		"a long value replaced in",
		(chars, n) => `x=${longValue(chars)}; ${repeatAtMost(n, `y=\${x//a/b};`, chars)}`,
	),
	commandInput(
		"a long value replaced in, unquoted words",
		(chars, n) => `x=${longValue(chars)}; echo ${repeatAtMost(n, `\${x//a/b} `, chars)}`,
	),
	commandInput(
		"a long value replaced in by a long one",
		(chars) => `x=${longValue(chars)}; y=\${x//a/${"b".repeat(chars)}}`,
	),
	commandInput(
		"a long value replaced in by its like, over and over",
		(chars, n) => `x=${longValue(chars)}; ${repeatAtMost(n, `y=\${x//a/$x};`, chars)}`,
	),
	commandInput(
		"a long value compared with patterns",
		(chars, n) => `x=${longValue(chars)}; ${repeatAtMost(n, `y=\${x/aaaaaaaaab/c};`, chars)}`,
	),
	commandInput(
		"a long value in another case",
		(chars, n) => `x=${longValue(chars)}; ${repeatAtMost(n, `echo \${x^^};`, chars)}`,
	),
	commandInput(
		"a long value cut",
		(chars, n) => `x=${longValue(chars)}; ${repeatAtMost(n, `echo \${x:1:60000};`, chars)}`,
	),
	commandInput("a long default", (chars, n) => repeatAtMost(n, `echo \${x:-${"a".repeat(1000)}} `, chars)),
	commandInput("defaults in defaults", (chars, n) =>
		repeatAtMost(n, `echo ${wrapRepeatedly(38, "a", (t) => `\${x:-${t}$x}`)} `, chars),
	),
	commandInput(
		"many values tried with many words",
		(chars, n) =>
			`for i in ${makeList(64, (at) => `${at}`).join(" ")}; do ${repeatAtMost(n, "echo $i a b c;", chars)} done`,
	),
	commandInput(
		"many values tried with a long command",
		(chars, n) =>
			`for i in ${makeList(64, (at) => `${at}`).join(" ")}; do echo ${repeatAtMost(n, "$i a b c ", chars)}; done`,
	),
	commandInput(
		"many values tried with many redirects",
		(chars, n) =>
			`for i in ${makeList(64, (at) => `${at}`).join(" ")}; do echo ${repeatAtMost(n, ">$i ", chars)}; done`,
	),
	commandInput("loops in loops", (chars, n) =>
		repeatAtMost(n, `${wrapRepeatedly(12, "echo $a", (t, level) => `for v${level} in a b c; do ${t}; done`)};`, chars),
	),
	commandInput("a long IFS", (chars, n) => `IFS=${longValue(chars, "abc")}; echo ${repeatAtMost(n, "$x ", chars)}`),
	commandInput("an indirect name", (chars, n) => `x=${longValue(chars)}; ${repeatAtMost(n, `echo \${!x};`, chars)}`),
	commandInput("long parameters", (chars, n) => `set -- ${longValue(chars)}; ${repeatAtMost(n, 'echo "$@";', chars)}`),
	commandInput(
		"parameters of a function",
		(chars, n) => `f() { ${repeatAtMost(n, "echo $1;", chars / 2)} }; f ${"a".repeat(chars / 2)}`,
	),
	commandInput("names", (chars, n) => repeatAtMost(n, makeList(1000, (at) => `v${at}=${at};`).join(""), chars)),
	commandInput(
		"values that are run",
		(chars, n) => `x='${longValue(chars, "ls $a; ")}'; ${repeatAtMost(n, "PAGER=$x;", chars)}`,
	),
];

const OUTPUTS: readonly HostileInput[] = [
	commandInput(
		"tr with long sets",
		(chars) =>
			`tr ${repeatToFill("abc", chars / 4)} ${repeatToFill("def", chars / 4)} <<< ${repeatToFill("xyz", chars / 2)} | sh`,
	),
	commandInput(
		"tr -d with a long set",
		(chars) => `tr -d ${repeatToFill("abc", chars / 2)} <<< ${repeatToFill("xyz", chars / 2)} | sh`,
	),
	commandInput(
		"tr with ranges",
		(chars) => `tr '${repeatToFill("\u0001-\u007f", chars / 2)}' b <<< ${repeatToFill("xyz", chars / 2)} | sh`,
	),
	commandInput(
		"tr again and again",
		(chars, n) => `echo ${"a".repeat(chars / 2)} ${repeatAtMost(n, "| tr a-z b-za ", chars / 2)}| sh`,
	),
	commandInput(
		"rev again and again",
		(chars, n) => `echo ${"a".repeat(chars / 2)} ${repeatAtMost(n, "| rev ", chars / 2)}| sh`,
	),
	commandInput(
		"base64 -d again and again",
		(chars, n) => `echo ${"a".repeat(chars / 2)} ${repeatAtMost(n, "| base64 -d ", chars / 2)}| sh`,
	),
	commandInput(
		"xxd -r",
		(chars, n) =>
			`echo ${"61".repeat(chars / 4)} | xxd -r -p | sh; ${repeatAtMost(n, "xxd -r -p <<< 6161616161616161 | sh;", chars / 2)}`,
	),
	commandInput(
		"printf with a long precision and many values",
		(chars, n) => `printf %.${"0".repeat(chars / 3)}s ${repeatAtMost(n, "'' ", chars / 2)} | sh`,
	),
	commandInput(
		"printf with a long format and values",
		(chars) => `printf ${shellQuote(repeatToFill("%b\\x41", chars / 2))} ${repeatToFill("a ", chars / 2)} | sh`,
	),
	commandInput("echo -e with escapes", (chars) => `echo -e ${shellQuote(repeatToFill("\\x41\\0101", chars))} | sh`),
	commandInput(
		"a long text printed into many files",
		(chars, n) => `echo ${"a".repeat(chars / 2)} ${repeatAtMost(n, "> a > b ", chars / 2)}`,
	),
	commandInput(
		"words printed into many files",
		(chars, n) => `echo ${repeatAtMost(n, "a ", chars / 2)} ${repeatAtMost(n, "> a > b ", chars / 2)}`,
	),
	commandInput(
		"wrapped in wrappers, into a file",
		(chars) =>
			`${repeatToFill("timeout -a b -c d -e f -g h ", Math.min(1_100, chars / 2))} ${repeatToFill("a ", chars / 40)}> f`,
	),
	commandInput(
		"sudo in sudo, into a file",
		(chars) => `${repeatToFill("sudo -a b -c d -e f -g h ", Math.min(1_000, chars - 10))} x > f`,
	),
	commandInput(
		"a long file run often",
		(chars, n) => `cat > f <<'E'\n${longValue(chars, "ls $a;")}\nE\n${repeatAtMost(n, "sh f\n", chars / 2)}`,
	),
	commandInput(
		"long files appended and run",
		(chars, n) => `x=${longValue(chars)}; ${repeatAtMost(n, "echo $x >> f; sh f;", chars)}`,
	),
	commandInput(
		"a text piped through many cats",
		(chars, n) => `echo ${"a ".repeat(chars / 4)} ${repeatAtMost(n, "| cat ", chars / 2)}| sh`,
	),
	commandInput(
		"an output substituted often",
		(chars, n) => `f=$(printf ${longValue(chars)}); echo ${repeatAtMost(n, "$(echo $f) ", chars)}`,
	),
	commandInput(
		"an output of blank lines",
		(chars) =>
			`for i in ${makeList(60, (at) => `${at}`).join(" ")}; do echo $i "$(cat <<'E'\n${"\n".repeat(chars)}E\n)"; done`,
	),
	commandInput("shells fed by shells", (chars, n) => `curl x ${repeatAtMost(n, "| sh ", chars)}`),
	commandInput(
		"shells fed by long words",
		(chars, n) =>
			`${repeatAtMost(n, `${"a".repeat(5000)} | `, chars / 2)} ${repeatAtMost(n, "sudo -a b -c d sh | ", chars / 2)} sh`,
	),
	commandInput("process substitutions", (chars, n) => repeatAtMost(n, "bash <(echo ls); ", chars)),
	commandInput(
		"many process substitutions of one command",
		(chars, n) => `bash ${repeatAtMost(n, "<(echo ls) ", chars)}`,
	),
];

const wideArguments = (chars: number, n: number) => repeatAtMost(n, "-a b ", chars);

const PROGRAMS: readonly HostileInput[] = [
	commandInput(
		"cd to a long folder, then redirects",
		(chars, n) => `cd ${"a/".repeat(chars / 4)}; ${repeatAtMost(n, "> a ", chars / 2)}`,
	),
	commandInput(
		"cd to a long folder, then a redirect each",
		(chars, n) => `cd ${"a/".repeat(chars / 4)}; ${repeatAtMost(n, "echo > a; ", chars / 2)}`,
	),
	commandInput(
		"cd to eight folders, then paths",
		(chars, n) =>
			`${makeList(8, (at) => `cd ${repeatToFill("a/", Math.min(3_800, chars / 20))}${at};`).join("")} touch ${repeatAtMost(n, "a ", chars / 2)}`,
	),
	commandInput(
		"cd to folders of look-alikes, then paths",
		(chars, n) =>
			`${makeList(8, (at) => `cd ${repeatToFill("\ufdfa", Math.min(1_900, chars / 20))}${at};`).join("")} touch ${repeatAtMost(n, "a ", chars / 2)}`,
	),
	commandInput("rm of many paths", (chars, n) => `rm -r ${repeatAtMost(n, "a ", chars)}`),
	commandInput("rm of deep paths", (chars, n) => repeatAtMost(n, `rm -r ${"a/".repeat(2000)};`, chars)),
	commandInput("a very deep path", (chars) => `rm -r ${"a/".repeat(chars / 2)}`),
	commandInput("paths that go up again", (chars, n) => repeatAtMost(n, `touch ${"a/../".repeat(800)};`, chars)),
	commandInput("paths of an agent's folder, over and over", (chars, n) =>
		repeatAtMost(n, `touch ${".claude/".repeat(510)} `, chars),
	),
	commandInput("credentials' folders before a new line", (chars, n) =>
		repeatAtMost(n, `cat '${".ssh/".repeat(800)}\n' `, chars),
	),
	commandInput("wildcards in paths", (chars, n) => repeatAtMost(n, `touch ${"*a".repeat(2000)} `, chars)),
	commandInput("wildcards in a command's name", (chars) => `/bin/${repeatToFill("?*", chars)}`),
	commandInput(
		"a wildcard in a command's name, and many words",
		(chars, n) => `/bin/r* ${repeatAtMost(n, "a ", chars)}`,
	),
	commandInput("cp into a long folder", (chars) => `cp ${"a ".repeat(64)} ${"b".repeat(chars)}`),
	commandInput("chmod of many paths", (chars, n) => `chmod 777 ${repeatAtMost(n, "/a ", chars)}`),
	commandInput("chown of many paths", (chars, n) => `chown -R a ${repeatAtMost(n, "b/c ", chars)}`),
	commandInput("sudo with options", (chars, n) => `sudo ${wideArguments(chars, n)}`),
	commandInput("sudo of sudo", (chars, n) => `${repeatAtMost(n, "sudo -u a ", chars)} ls`),
	commandInput("timeout with options", (chars, n) => `timeout ${wideArguments(chars, n)}`),
	commandInput(
		"timeout of timeout with options",
		(chars, n) => `${"timeout -a b -c d ".repeat(40)}${wideArguments(chars, n)}`,
	),
	commandInput(
		"docker compose exec with options",
		(chars, n) => `docker ${"-a b ".repeat(15)} compose ${"-a b ".repeat(15)} exec ${wideArguments(chars, n)}`,
	),
	commandInput("env -S", (chars, n) => repeatAtMost(n, `env -S '${"a ".repeat(500)}' ls;`, chars)),
	commandInput("env with assignments", (chars, n) => `env ${repeatAtMost(n, "a=b ", chars)} ls`),
	commandInput(
		"xargs with options",
		(chars, n) => `xargs ${wideArguments(chars / 2, n)} <<< '${repeatToFill("a\n", chars / 2)}'`,
	),
	commandInput(
		"xargs of long lines",
		(chars, n) => `xargs -a b -c d -e f ls <<< '${repeatAtMost(n, `${"a ".repeat(8000)}\n`, chars)}'`,
	),
	commandInput(
		"xargs that fills in long lines",
		(chars) => `xargs -I{} echo ${repeatToFill("{}", chars / 2)} <<< '${"a".repeat(chars / 2)}'`,
	),
	commandInput("xargs of xargs", (chars, n) => `${repeatAtMost(n, "xargs -a b -c d -e f ", chars)} ls <<< 'a\nb\nc'`),
	commandInput(
		"parallel of many values",
		(chars, n) => `parallel ${wideArguments(chars / 2, n)} ::: ${repeatAtMost(n, "a ", chars / 2)}`,
	),
	commandInput(
		"parallel that fills in",
		(chars) => `parallel echo ${repeatToFill("{}", chars / 2)} ::: ${"a".repeat(chars / 2)}`,
	),
	commandInput("find with many -exec", (chars, n) => `find . ${repeatAtMost(n, "-exec \\; ", chars)}`),
	commandInput("find with many -exec that never end", (chars, n) => `find . ${repeatAtMost(n, "-exec ", chars)}`),
	commandInput("find -exec of find -exec", (chars, n) => `${repeatAtMost(n, "find . -exec ", chars)} ls`),
	commandInput("git with many settings", (chars, n) => `git ${repeatAtMost(n, "-c alias.a=b ", chars)} status`),
	commandInput("git with settings of dots", (chars) => `git -c diff${repeatToFill(".a", chars)} status`),
	commandInput("git with a long pager", (chars) => `git -c core.pager='less${repeatToFill(" -a", chars)} x' status`),
	commandInput("git checkout of many paths", (chars, n) => `git checkout -- ${repeatAtMost(n, "a ", chars)}`),
	commandInput("git with many options", (chars, n) => `git clean ${repeatAtMost(n, "--a ", chars)}`),
	commandInput("git push with many options", (chars, n) => `git push ${repeatAtMost(n, "--f ", chars)}`),
	commandInput("aws with many words", (chars, n) => `aws ${repeatAtMost(n, "a-b ", chars)}`),
	commandInput("tar with many words", (chars, n) => `tar ${repeatAtMost(n, "-C a ", chars)}`),
	commandInput("curl with many fields", (chars, n) => `curl ${repeatAtMost(n, "-F a=@b ", chars)}`),
	commandInput("ssh with options", (chars, n) => `ssh ${repeatAtMost(n, "-a b ", chars)}`),
	commandInput("eval of eval", (chars, n) => `${repeatAtMost(n, "eval ", chars)} ls`),
	commandInput(
		"eval of a long value",
		(chars, n) => `x='${longValue(chars, "echo $a;")}'; ${repeatAtMost(n, 'eval "$x";', chars)}`,
	),
	commandInput(
		"bash -c of a long value",
		(chars, n) => `x='${longValue(chars, "if a; then b; fi;")}'; ${repeatAtMost(n, 'bash -c "$x";', chars)}`,
	),
	commandInput("bash -c in bash -c", () => wrapRepeatedly(5, "ls", (t) => `bash -c ${shellQuote(t)}`)),
	commandInput("alias", (chars, n) => `alias ${repeatAtMost(n, "a='ls -l; b' ", chars)}`),
	commandInput("powershell", (chars) => `powershell -Command ${shellQuote(repeatToFill("iex ; ", chars))}`),
	commandInput("sed programs", (chars, n) =>
		repeatAtMost(n, `sed '${";        1111111111111111        ".repeat(1000)}' a;`, chars),
	),
	commandInput("a long sed program", (chars) => `sed '${repeatToFill(";        1111111111111111        ", chars)}' a`),
];

const CODE: readonly HostileInput[] = [
	commandInput("code: rm(", (chars, n) => repeatAtMost(n, `node -e '${"rm(".repeat(80_000)}';`, chars)),
	commandInput("code: file.remove", (chars, n) =>
		repeatAtMost(n, `node -e '${"file.remove ".repeat(20_000)}';`, chars),
	),
	commandInput("code: open(", (chars, n) =>
		repeatAtMost(n, `python -c 'x = 1; ${'open("a" '.repeat(25_000)}';`, chars),
	),
	commandInput(
		"code: blanks between strings",
		(chars) => `python -c 'system("a"${" ".repeat(Math.min(chars, 250_000))}x"b")'`,
	),
	commandInput("code: strings in a list", (chars, n) =>
		repeatAtMost(n, `python -c 'system(["a", "b", "c", "d"])';`, chars),
	),
	commandInput("code: strings of code", (chars, n) =>
		repeatAtMost(n, `python -c 'exec("eval(1)"); exec("system(2)")';`, chars),
	),
	commandInput("code: a long string of code", (chars, n) =>
		repeatAtMost(n, `python -c 'exec("${"eval(b) ".repeat(1000)}")';`, chars),
	),
	commandInput("code: escapes in strings", (chars, n) =>
		repeatAtMost(n, `python -c 'system("${"\\\\x41".repeat(1300)}")';`, chars),
	),
	commandInput("code: strings that never end", (chars, n) =>
		repeatAtMost(n, `python -c 'system(${'"a\n'.repeat(60_000)})';`, chars),
	),
	commandInput("code: encoded strings", (chars, n) =>
		repeatAtMost(n, `python -c 'exec(b64decode("${"QUJD".repeat(2000)}"))';`, chars),
	),
	commandInput("code: deep", (chars) => `python -c 'system("${repeatToFill("[", chars)}")'`),
	commandInput("code: quotes of all kinds", (chars) => `python -c "system(${repeatToFill("'a`", chars)})"`),
	commandInput("code: copy", (chars, n) => repeatAtMost(n, `python -c '${"copy".repeat(60_000)}';`, chars)),
	commandInput("code: q and blanks", (chars, n) =>
		repeatAtMost(n, `perl -e 'system ${`q${" ".repeat(30)}`.repeat(8000)}';`, chars),
	),
	commandInput("code, short", (chars, n) => `python -c 'import os; ${repeatAtMost(n, "os.remove(a); ", chars - 40)}'`),
	commandInput("awk", (chars) => `awk '${repeatToFill('> "a" ', chars)}'`),
	commandInput("awk that runs commands", (chars) => `awk '${repeatToFill('system("a" b) ', chars)}'`),
	commandInput("SQL statements", (chars, n) =>
		repeatAtMost(n, `psql -c "${"DELETE FROM a WHERE b; ".repeat(250)}";`, chars),
	),
	commandInput("a long SQL statement", (chars, n) => repeatAtMost(n, `psql -c "WITH ${")".repeat(60_000)}";`, chars)),
	commandInput("SQL quotes and comments", (chars, n) =>
		repeatAtMost(n, `psql -c "${"'a''b' /* * */ -- c\n".repeat(3000)}";`, chars),
	),
	commandInput("MongoDB", (chars, n) =>
		repeatAtMost(n, `mongosh --eval '${`x.remove(${" ".repeat(50)}`.repeat(1000)}';`, chars),
	),
	commandInput("redis", (chars, n) => `redis-cli <<'E'\n${repeatAtMost(n, "DEL a\n", chars)}E`),
];

const LOOK_ALIKES: readonly HostileInput[] = [
	commandInput("letters that fold to many", (chars) => repeatToFill("\ufdfa", chars)),
	commandInput("words that fold to many", (chars, n) => repeatAtMost(n, "\ufdfa ", chars)),
	commandInput("paths that fold to many", (chars, n) => repeatAtMost(n, `touch ${"\ufdfa".repeat(1300)} `, chars)),
	commandInput("marks that must be put in order", (chars) => `a${repeatToFill("\u0301\u0316", chars)}`),
	commandInput(
		"paths with marks that must be put in order",
		(chars, n) => `touch ${repeatAtMost(n, `a${"\u0301\u0316".repeat(2000)} `, chars)}`,
	),
	{
		name: "an action that folds to many",
		build: ({ chars }) => buildCheck({ action: repeatToFill("\ufdfa", Math.min(chars, 10_000)) }),
	},
	{
		name: "an action of marks",
		build: ({ chars }) => buildCheck({ action: `a${repeatToFill("\u0301\u0316", Math.min(chars, 9_999))}` }),
	},
	{
		name: "an action of words",
		build: ({ chars }) => buildCheck({ action: repeatToFill("a ", Math.min(chars, 10_000)) }),
	},
];

const makePatterns = (entry: (at: number) => string) =>
	makeList(MAX_PATTERNS, (at) => entry(at).slice(0, MAX_PATTERN_CHARS));

const RULES: readonly HostileInput[] = [
	...(
		[
			["names with wildcards", (at) => `${"*a".repeat(240)}${at}`, (chars, at) => `${"a".repeat(chars - 8)}${at}`],
			["words with wildcards", (at) => `a ${"*a".repeat(240)}${at}`, (chars, at) => `a ${"a".repeat(chars - 8)}${at}`],
			["many words", (at) => `${"a ".repeat(240)}${at}`, (chars) => repeatToFill("a ", chars)],
			["paths", (at) => `a ${"./a ".repeat(120)}${at}`, (chars) => `a ${repeatToFill("./a ", chars)}`],
			["many options", (at) => `a ${"--fooo ".repeat(60)}--x${at}`, (chars) => `a ${repeatToFill("--fo ", chars)}`],
			[
				"bundles of options",
				(at) => `a -${"abcdefghij".repeat(48)}${at}`,
				(chars) => `a ${repeatToFill("-b ", chars)}`,
			],
			["commands in a row", (at) => `${"a | ".repeat(120)}b${at}`, (chars) => repeatToFill("a | ", chars)],
			["arithmetic", () => arithmetic(12), () => "a"],
			["look-alikes", (at) => `${"\ufdfa".repeat(480)}${at}`, (chars) => repeatToFill("\ufdfa", chars)],
			["marks", (at) => `a${"\u0301\u0316".repeat(240)}${at}`, (chars) => `a${repeatToFill("\u0301\u0316", chars)}`],
			["options before the first word", (at) => `a b${at} c`, (chars) => `a ${repeatToFill("-a b ", chars)}`],
		] satisfies [string, (at: number) => string, (chars: number, at: number) => string][]
	).map(
		([name, pattern, command]): HostileInput => ({
			name: `forbidden commands: ${name}`,
			build: ({ chars }) =>
				buildCheck({
					commands: makeList(MAX_COMMANDS, (at) => command(Math.floor(chars / MAX_COMMANDS), at)),
					forbidden: makePatterns(pattern),
				}),
		}),
	),
	...(
		[
			["long segments", (at) => `${"*a".repeat(240)}b*${at}`, (chars, at) => `${"a".repeat(chars - 8)}${at}`],
			["many folders", (at) => `${"**/a/".repeat(90)}b${at}`, (chars) => repeatToFill("a/", chars)],
			["many folders, of absolute paths", (at) => `${"a/**/".repeat(90)}b${at}`, (chars) => repeatToFill("/a", chars)],
			["only wildcards", (at) => `${"**/*".repeat(120)}${at}`, (chars) => repeatToFill("*/", chars)],
			["one segment", (at) => `*${at}*b*c*d*e*f`, (chars, at) => `${repeatToFill("bcde", chars - 8)}${at}`],
			[
				"wildcards on both sides",
				(at) => `${"*a".repeat(240)}${at}`,
				(chars, at) => `${repeatToFill("*a", chars - 8)}${at}`,
			],
			["classes", (at) => `${"[a-z]".repeat(96)}${at}`, (chars, at) => `${repeatToFill("[!-~]", chars - 8)}${at}`],
			[
				"look-alikes",
				(at) => `${"*\u0635".repeat(120)}${at}`,
				(chars, at) => `${repeatToFill("\ufdfa", chars - 8)}${at}`,
			],
			["marks", (at) => `*${at}`, (chars) => `a${repeatToFill("\u0301\u0316", chars)}`],
		] satisfies [string, (at: number) => string, (chars: number, at: number) => string][]
	).flatMap(([name, pattern, path]): HostileInput[] => {
		const paths = (chars: number, count: number) => makeList(count, (at) => path(Math.floor(chars / count), at));
		return [
			{
				name: `protected paths: ${name}, files affected`,
				build: ({ chars }) => buildCheck({ files: paths(chars, MAX_PATHS), protectedPaths: makePatterns(pattern) }),
			},
			{
				name: `protected paths: ${name}, long files affected`,
				build: ({ chars }) =>
					buildCheck({ files: paths(chars, Math.ceil(chars / 4000)), protectedPaths: makePatterns(pattern) }),
			},
			{
				name: `protected paths: ${name}, touched by a command`,
				build: ({ chars }) =>
					buildCheck({
						commands: [`rm -r ${paths(chars, 500).map(shellQuote).join(" ")}`],
						protectedPaths: makePatterns(pattern),
					}),
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
