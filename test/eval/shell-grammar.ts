// Generates shell texts around one marker command, with every way a shell has to quote, compute, nest or merely mention
// it. The same seed gives the same text for every marker of the same length. shell.ts runs them.

/** Random numbers that repeat for a seed. */
export class Random {
	#state: number;

	constructor(seed: number) {
		this.#state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
	}

	below(limit: number): number {
		this.#state = (this.#state + 0x6d2b79f5) >>> 0;
		let mixed = this.#state;
		mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
	}

	pick<T>(choices: readonly [T, ...T[]]): T {
		return choices[this.below(choices.length)] ?? choices[0];
	}

	/** True in one of so many cases. */
	oneIn(cases: number): boolean {
		return this.below(cases) === 0;
	}
}

/** A piece of script. A prefix like `x=1` needs a simple command behind it, `!` and `time` one command. */
interface Piece {
	readonly text: string;
	readonly kind: "simple" | "command" | "list";
}

const simple = (text: string): Piece => ({ text, kind: "simple" });
const command = (text: string): Piece => ({ text, kind: "command" });
const list = (text: string): Piece => ({ text, kind: "list" });

/** Whether only a newline ends the text: behind a comment, or where the body of a here-document follows. */
const needsNewline = (text: string) => /<<|#/.test(text);

/** The names that a text is about: the marker's, split in two, and its words. */
export interface Marker {
	readonly name: string;
	readonly words: string;
}

const singleQuoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const doubleQuoted = (text: string) => `"${text.replace(/[\\"$`]/g, "\\$&")}"`;
const ansiQuoted = (text: string) => `$'${text.replace(/[\\']/g, "\\$&").replaceAll("\n", "\\n")}'`;

/** Writes texts around a marker. */
class Writer {
	readonly #random: Random;
	readonly #marker: Marker;
	#names = 0;

	constructor(random: Random, marker: Marker) {
		this.#random = random;
		this.#marker = marker;
	}

	#pick<T>(...choices: [T, ...T[]]): T {
		return this.#random.pick(choices);
	}

	#name(): string {
		this.#names++;
		return `${this.#pick("x", "y", "v_")}${this.#names}`;
	}

	#quoted(text: string): string {
		return this.#pick(singleQuoted, singleQuoted, doubleQuoted, ansiQuoted)(text);
	}

	#ended(text: string): string {
		return needsNewline(text) ? `${text}\n` : `${text}${this.#pick(";", " ;", "\n", "; ", " ;\n\n")}`;
	}

	#closed(text: string): string {
		return needsNewline(text) ? `${text}\n` : text;
	}

	/** One command that does what a list does. */
	#command({ text, kind }: Piece): string {
		if (kind !== "list") return text;
		return this.#pick(`{ ${this.#ended(text)} }`, `(${this.#closed(text)})`);
	}

	/** A simple command that does what any piece does. */
	#simple({ text, kind }: Piece): string {
		return kind === "simple" ? text : `eval ${this.#quoted(text)}`;
	}

	/** The marker's name in some spelling that needs no other command. */
	#spelledName(): string {
		const { name } = this.#marker;
		const [first = "", second = ""] = name;
		const code = (character: string) => character.charCodeAt(0);
		return this.#pick(
			name,
			name,
			name,
			`${first}''${second}`,
			`${first}"${second}"`,
			`\\${name}`,
			`${first}\\\n${second}`,
			`'${name}'`,
			`"${first}"$'${second}'`,
			`$'\\x${code(first).toString(16)}${second}'`,
			`$'${first}\\${code(second).toString(8)}'`,
			`$'\\u00${code(first).toString(16)}'${second}`,
			`$"${name}"`,
			`${first}$@${second}`,
			`${first}\${unset}${second}`,
			`${first}\`\`${second}`,
			`${first}$()${second}`,
			`{${name},}`,
			`${first}{${second},}`,
			`\${unset:-${name}}`,
			`\${unset-${first}}${second}`,
			`"\${unset:=${name}}"`,
			`$(echo ${name})`,
			`\`echo ${name}\``,
			`$(printf ${first}%s ${second})`,
			`$(printf '%s' ${name})`,
			`$(printf %b '\\x${code(first).toString(16)}${second}')`,
			`$(echo -e '${first}\\x${code(second).toString(16)}')`,
		);
	}

	/** The marker as a simple command. */
	#spelled(): Piece {
		const { words } = this.#marker;
		const name = this.#spelledName();
		const before = this.#pick(
			"",
			"",
			"",
			"command ",
			"builtin command ",
			"exec ",
			"command -- ",
			"command -p ",
			"exec -a n ",
		);
		return simple(`${before.includes("-p") ? "" : before}${name} ${words}`);
	}

	/** The marker's name in a variable, a parameter or a file. */
	#held(): Piece {
		const { name, words } = this.#marker;
		const [first = "", second = ""] = name;
		const x = this.#name();
		const line = `${name} ${words}`;
		return list(
			this.#pick(
				`${x}=${name}; $${x} ${words}`,
				`${x}=${name}; "\${${x}}" ${words}`,
				`${x}='${line}'; $${x}`,
				`${x}="${line}"; eval "$${x}"`,
				`${x}=${first} y=${second}; $${x}$y ${words}`,
				`${x}=${first}; ${x}+=${second}; $${x} ${words}`,
				`${x}=a${name}; \${${x}#a} ${words}`,
				`${x}=${name}a; \${${x}%a} ${words}`,
				`${x}=${first}-${second}; \${${x}/-/} ${words}`,
				`${x}=${first}-${second}; \${${x}//-} ${words}`,
				`${x}=${name.toUpperCase()}; \${${x},,} ${words}`,
				`${x}=${name.toUpperCase()}; \${${x}@L} ${words}`,
				`declare -l ${x}=${name.toUpperCase()}; $${x} ${words}`,
				`${x}=a${name}b; \${${x}:1:2} ${words}`,
				`${x}=${name}; p=${x}; \${!p} ${words}`,
				`${x}=${name}; declare -n r=${x}; $r ${words}`,
				`set -- ${line}; "$@"`,
				`set -- a ${line}; shift; $*`,
				`set -- a ${line}; "\${@:2}"`,
				`set ${line}; $1 $2 $3`,
				`${x}=(${line}); "\${${x}[@]}"`,
				`${x}=(a ${name}); \${${x}[1]} ${words}`,
				`${x}[3]=${name}; \${${x}[3]} ${words}`,
				`declare -A ${x}=([k]=${name}); \${${x}[k]} ${words}`,
				`${x}=(${line}); \${${x}[*]}`,
				`IFS=,; ${x}=${line.replaceAll(" ", ",")}; $${x}`,
				`IFS=${first}; ${x}=a; set -- x; ${name} ${words}`,
				`printf -v ${x} '%s' ${name}; $${x} ${words}`,
				`printf -v ${x} '${first}%s' ${second}; $${x} ${words}`,
				`read ${x} <<< ${name}; $${x} ${words}`,
				`read -r ${x} rest <<< '${line}'; $${x} $rest`,
				`read -r a b <<E\na ${line}\nE\n$b`,
				`mapfile -t ${x} <<< ${name}; \${${x}[0]} ${words}`,
				`read -a ${x} <<< '${line}'; "\${${x}[@]}"`,
				`for i in ${name}; do $i ${words}; done`,
				`for i in a '${line}'; do $i; done`,
				`for ${x} in '${line}'; { $${x}; }`,
				`f() { $1 ${words}; }; f ${name}`,
				`f() { "$@"; }; f ${line}`,
				`f() { eval "$*"; }; f ${line}`,
				`f() { local ${x}=$1; shift; $${x} "$@"; }; f ${line}`,
				`f() { echo ${name}; }; $(f) ${words}`,
				`>${name}; ${first}? ${words}`,
				`>${name}; [${first}]${second} ${words}`,
				`>${name}; ${first}[!z] ${words}`,
				`>${name}; * ${words}`,
				`echo '${line}' >s; . ./s`,
				`echo '${line}' >s; bash s`,
				`echo '${line}' >s; $(<s)`,
				`printf '%s\\n' '${line}' >>s; source s`,
				`case a in a) ${x}=${name};; esac; $${x} ${words}`,
				`: \${${x}:=${name}}; $${x} ${words}`,
				`let 'i=1' && ${x}=${name}; $${x} ${words}`,
				`shopt -s expand_aliases\nalias ${x}='${line}'\n${x}`,
				`shopt -s expand_aliases\nalias ${x}='${name} '\n${x} ${words}`,
				`hash -p "$(type -p ${name})" ${x}; ${x} ${words}`,
				`BASH_CMDS[${x}]=$(type -P ${name}); ${x} ${words}`,
				`export ${x}=${name}; bash -c "$${x} ${words}"`,
				`export ${x}='${line}'; bash -c 'eval "$${x}"'`,
				`bash -c '$0 $1 $2' ${line}`,
				`bash -c '"$@"' _ ${line}`,
				`bash -s ${line} <<< '"$@"'`,
				`f() { ${line}; }; export -f f; bash -c f`,
				`command_not_found_handle() { ${line}; }; nothing_here`,
				`local() { ${line}; }; local`,
				`declare ${x}=${name}; $${x} ${words}`,
				`readonly ${x}='${line}'; $${x}`,
				`export "${x}=${line}"; $${x}`,
				`${x}=${name} eval '$${x} ${words}'`,
				`while read -r ${x}; do $${x}; done <<< '${line}'`,
				`echo '${line}' | while read -r ${x}; do $${x}; done`,
				`echo '${line}' | { read -r ${x}; $${x}; }`,
				`echo '${line}' | bash`,
				`echo ${line} | sh`,
				`printf '%s ' ${line} | bash`,
				`bash <(echo ${line})`,
				`. /dev/stdin <<< '${line}'`,
				`source <(echo '${line}')`,
				`select ${x} in ${name}; do $${x} ${words}; break; done <<< 1`,
				`coproc ${line.replaceAll("\n", " ")}; wait`,
				`${x}=$(echo ${line}); $${x}`,
				`${x}=\`echo '${line}'\`; eval $${x}`,
				`set -- "$(echo ${name})"; $1 ${words}`,
				`getopts ${first} ${x} -${first}; $${x}${second} ${words}`,
				`${x}='$(${line})'; : "\${${x}@P}"`,
				`PS4='$(${line})'; set -x; :`,
				`BASH_ENV=s; echo '${line}' >s; export BASH_ENV; bash -c :`,
				`echo '${line}' >s; BASH_ENV=s bash -c :`,
				`echo '${line}' >s; ENV=s; bash ./s`,
				`mapfile -c 1 -C '${line} #' ${x} <<< a`,
				`readarray -C '${line};:' -c1 <<< a`,
				`compgen -C '${line}' a`,
				`trap '${line}' EXIT`,
				`trap -- '${line}' 0; exit 3`,
				`trap '${line}' DEBUG; :`,
				`trap '${line}' ERR; false`,
				`f() { trap '${line}' RETURN; }; f`,
				`enable -n echo; ${line}`,
			),
		);
	}

	/** A mention that runs nothing. */
	#mention(): Piece {
		const line = `${this.#marker.name} ${this.#marker.words}`;
		const x = this.#name();
		return list(
			this.#pick(
				`echo ${this.#quoted(line)}`,
				`echo ${line}`,
				`echo a # ${line}`,
				`: \\\n${line}`,
				`# ${line}\n:`,
				`${x}=${this.#quoted(line)}`,
				`${x}=(${line})`,
				`declare -A ${x}=([k]=${this.#quoted(line)})`,
				`export ${x}=${this.#quoted(line)}`,
				`: <<'E'\n${line}\n$(${line})\nE\n`,
				`: <<E\n${line}\nE\n`,
				`: <<-\\E\n\t\`${line}\`\n\tE\n`,
				`: <<< ${this.#quoted(line)}`,
				`printf '%s\\n' ${this.#quoted(line)}`,
				`[[ a == ${this.#quoted(line)} ]]`,
				`[[ a != *${this.#quoted(line)}* ]]`,
				`[[ a =~ ^(a|b)$ ]] && echo '${line}'`,
				`[ a = ${this.#quoted(line)} ]`,
				`case ${this.#quoted(line)} in a|b) :;; (*) :;; esac`,
				`case a in ${this.#quoted(line)}) :;; esac`,
				`for i in ${this.#quoted(line)}; do echo "$i"; done`,
				`: "\${${x}:-${line}}"`,
				`: '$(${line})'`,
				`: "\\$(${line})" "\\\`${line}\\\`"`,
				`: $'$(${line})\\'; ${line}'`,
				`echo "a;${line}|b" 'it'"'"'s;${line}'`,
				`test -n ${this.#quoted(line)}`,
				`>out echo ${this.#quoted(line)}`,
				`echo ${this.#quoted(line)} >"${x} ${this.#marker.name}"`,
				`set -- ${line}; echo "$@"`,
				`read -r ${x} <<< ${this.#quoted(line)}; echo "$${x}"`,
				`mapfile -t ${x} <<< ${this.#quoted(line)}`,
				`printf -v ${x} ${this.#quoted(line)}`,
				`type ${this.#marker.name}; command -v ${this.#marker.name}`,
				`((${x} = 1 << 2)); echo ${line}`,
				`let "${x} = 1"; echo '${line}'`,
				`${x}=\${${x}//${this.#marker.name}/}`,
			),
		);
	}

	/** A substitution that runs a piece. */
	#substitution({ text }: Piece, quoted = false): string {
		const closed = this.#closed(text);
		const choices: [string, ...string[]] = [`$(${closed.startsWith("(") ? ` ${closed}` : closed})`];
		if (!/[<>]\(|<<|\\/.test(text)) choices.push(`\`${closed.replace(quoted ? /[\\$`"]/g : /[\\$`]/g, "\\$&")}\``);
		if (!quoted) choices.push(`<(${closed})`, `>(${closed})`);
		if (needsNewline(text)) return `$( ${closed})`;
		return this.#random.pick(choices);
	}

	/** A word that runs a piece when it is expanded. */
	#word(piece: Piece): string {
		const plain = () => this.#substitution(piece);
		const inside = `$( ${this.#closed(piece.text)})`;
		const x = this.#name();
		return this.#pick(
			() => plain(),
			() => `"${this.#substitution(piece, true)}"`,
			() => `a${plain()}b`,
			() => `"a ${inside} b"`,
			() => `$"a${inside}"`,
			() => `\${${x}:-${inside}}`,
			() => `"\${${x}-a${inside}}"`,
			() => `\${${x}:=${inside}}`,
			() => `"\${${x}:-"${inside}"}"`,
			() => `\${PWD:+${inside}}`,
			() => `\${PWD#${inside}}`,
			() => `"\${PWD%%${inside}}"`,
			() => `\${PWD/a/${inside}}`,
			() => `\${PWD//${inside}}`,
			() => `\${PWD/#${inside}/b}`,
			() => `\${PWD:${inside}}`,
			() => `"\${PWD:0:${inside}}"`,
			() => `\${PWD^${inside}}`,
			() => `\${PWD,,${inside}}`,
			() => `\${${x}[${inside}0]}`,
			() => `"\${${x}[ ${inside}]}"`,
			() => `\${#${x}[${inside}0]}`,
			() => `\${${x}[a["${inside}"]]}`,
			() => `\${${x}[1+${inside}0]:-b}`,
			() => `$((${inside}0))`,
			() => `$(( 1 + (${inside}0) ))`,
			() => `"$((a[${inside}0]))"`,
			() => `$[${inside}0]`,
			() => `$((1 ? ${inside}1 : 2))`,
			() => `{a,${inside}}`,
			() => `{a,b${inside}c}{1..2}`,
			() => `a'b'"c"\\d${inside}`,
			() => `\${${x}:-\${y:-${inside}}}`,
			() => `"\${${x}:-'${inside}'}"`,
			() => `\${${x}:-a\\}${inside}}`,
			() => `$'\\''${inside}`,
			() => `~/${inside}`,
			() => `\${@:-${inside}}`,
			() => `\${*:${inside}}`,
			() => `\${!${x}*}${inside}`,
		)();
	}

	/** A command whose words, targets or values run a piece. */
	#inWords(piece: Piece): Piece {
		const word = this.#word(piece);
		const flat = /[\n']/.test(piece.text) ? null : `$(${piece.text})`;
		const x = this.#name();
		const here = `$( ${this.#closed(piece.text)})`;
		const choices: [Piece, ...Piece[]] = [
			simple(`echo ${word}`),
			simple(`: a ${word} "b"`),
			simple(`${x}=${word}`),
			simple(`${x}=${word} :`),
			simple(`${x}+=${word}`),
			simple(`${x}=(a ${word})`),
			simple(`${x}=(\n# it's\n${word}\n)`),
			simple(`${x}+=([2]=${word})`),
			simple(`${x}[${here}0]=1`),
			simple(`${x}[a${here}]=1`),
			simple(`declare ${x}=${word}`),
			simple(`declare -A ${x}=([${here}k]=v)`),
			simple(`declare -a ${x}=(a ${word})`),
			simple(`export ${x}=${word}`),
			simple(`export ${x}=(${word})`),
			simple(`readonly ${x}=(b ${word})`),
			simple(`typeset -A ${x}=([k]=${word})`),
			list(`f() { local ${x}=(${word}) y=${word}; }; f`),
			simple(`>f${here}`),
			simple(`: 2>"${here}" 3<&1`),
			simple(`: <<< ${word}`),
			list(`: <<E\n${here}\nE\n`),
			list(`: <<-E\n\ta "${here}" it's\n\tE\n`),
			command(`[[ ${word} == a ]]`),
			command(`[[ a != b && ( -n ${word} || -z a ) ]]`),
			command(`[[ a =~ ${here} ]]`),
			command(`[[ a < ${word} ]]`),
			command(`[[ -e ${word} ]]`),
			command(`[[ ! 1 -eq ${here}0 ]]`),
			simple(`[ a = ${word} ]`),
			simple(`test -n ${word}`),
			command(`((${here}0))`),
			command(`(( ${x} = (1 << 2) + ${here}0 ))`),
			command(`((${x}[${here}0]++))`),
			simple(`let ${x}=1+${here}0`),
			command(`for i in a ${word}; do :; done`),
			command(`for ((i=${here}0; i<1; i++)); do break; done`),
			command(`for ((i=0; i<1${here}; i++)) { break; }`),
			command(`for i in ${word}; { :; }`),
			command(`for i in a\ndo : ${word}\ndone`),
			command(`case ${word} in a) :;; esac`),
			command(`case a in (${here}) :;; esac`),
			command(`case a in b|"${here}") :;; *) :; esac`),
			command(`case a\nin\n${here})\n:\n;;\nesac`),
			command(`select i in ${word}; do break; done`),
			simple(`unset ${x} ${word}`),
			simple(`eval ": ${doubleQuoted(word).slice(1, -1)}"`),
			simple(`return ${word}`),
		];
		if (flat !== null) choices.push(...this.#evaluated(x, flat));
		return this.#random.pick(choices);
	}

	/** Commands that read a quoted text as arithmetic, as an index or as a prompt. */
	#evaluated(x: string, flat: string): readonly Piece[] {
		return [
			command(`[[ -v '${x}[${flat}]' ]]`),
			simple(`test -v '${x}[${flat}]'`),
			simple(`[ -v '${x}[${flat}]' ]`),
			simple(`[ ! -v '${x}[${flat}]' -a b ]`),
			command(`[[ '${x}[${flat}]' -eq 1 ]]`),
			command(`[[ 1 -lt '${x}[${flat}]' ]]`),
			simple(`printf -v '${x}[${flat}]' %s a`),
			simple(`read -r '${x}[${flat}]' <<< a`),
			simple(`let '${x}[${flat}]'`),
			simple(`let "1" '${x}[${flat}]=1'`),
			simple(`unset '${x}[${flat}]'`),
			simple(`unset -v '${x}[${flat}]'`),
			simple(`declare '${x}[${flat}]=1'`),
			simple(`typeset -i ${x}='y[${flat}]'`),
			simple(`declare -i ${x}='y[${flat}]'`),
			list(`declare -i ${x}; ${x}='y[${flat}]'`),
			simple(`mapfile -O 'y[${flat}]' ${x} <<< a`),
			list(`${x}='y[${flat}]'; ((${x}))`),
			list(`${x}='y[${flat}]'; : $((${x} + 1))`),
			list(`${x}='y[${flat}]'; : \${PWD:${x}}`),
			list(`${x}='y[${flat}]'; : \${z[${x}]}`),
			list(`${x}='y[${flat}]'; z[${x}]=1`),
			list(`${x}='y[${flat}]'; [[ ${x} -eq 1 ]]`),
			list(`${x}='y[${flat}]'; [[ $${x} -gt 1 ]]`),
			list(`${x}='y[${flat}]'; let ${x}`),
			list(`${x}='y[${flat}]'; let z=$${x}`),
			list(`${x}='y[${flat}]'; : \${!${x}}`),
			list(`${x}='y[${flat}]'; test -v "$${x}"`),
			list(`${x}='y[${flat}]'; printf -v "$${x}" a`),
			list(`${x}='y[${flat}]'; y=(1); for ((i=${x};i<0;i++)); do :; done`),
			list(`declare -n ${x}='y[${flat}]'; : $${x}`),
			list(`declare -n ${x}='y[${flat}]'; ${x}=1`),
			list(`y=(1); ${x}='y[${flat}]'; return $((${x}))`),
			list(`${x}='${flat}'; : \${${x}@P}`),
			list(`${x}='\\$${flat.slice(1)}'; ${x}=\${${x}#?}; : "\${${x}@P}"`),
			list(`read ${x} <<< 'y[${flat}]'; ((${x}))`),
			list(`f() { (($1)); }; f 'y[${flat}]'`),
			list(`f() { local -i ${x}=$1; }; f 'y[${flat}]'`),
			list(`f() { [[ $1 -eq 0 ]]; }; f 'y[${flat}]'`),
			list(`f() { printf -v "$1" a; }; f 'y[${flat}]'`),
			list(`f() { local -n r=$1; r=1; }; f 'y[${flat}]'`),
			list(`set -- 'y[${flat}]'; : $(($1))`),
		];
	}

	/** A compound command or a list around a piece. */
	#around(piece: Piece): Piece {
		const { text } = piece;
		const body = this.#ended(text);
		const closed = this.#closed(text);
		const one = this.#command(piece);
		const f = `${this.#pick("f", "g_1", "f-g", "a.b", "f:g")}${this.#names}`;
		const blank = this.#pick(" ", "\n", "  ", "\t", " \\\n ");
		return this.#pick(
			command(`(${closed})`),
			command(`( ${closed} )`),
			command(`{${blank}${body} }`),
			list(`! ${one}`),
			command(`if ${body} then :; fi`),
			command(`if${blank}:;then${blank}${body}fi`),
			command(`if false; then :; else ${body} fi`),
			command(`if false; then :; elif ${body} then :; fi`),
			command(`while ${body} do break; done`),
			command(`while :; do${blank}${body} break; done`),
			command(`until ${body} do break; done`),
			command(`for i in a; do ${body} done`),
			command(`for i in a; { ${body} }`),
			command(`for i in a b;${blank}do ${body} break; done`),
			command(`for i in a\n{ ${body} }`),
			command(`for ((i=0; i<1; i++)); do ${body} done`),
			command(`for ((i=0; i<1; i++)) { ${body} }`),
			command(`for ((i=0;i<1;i++))\ndo ${body} done`),
			command(`for (( ; ; )); do ${body} break; done`),
			list(`set -- a; for i do ${body} done`),
			list(`set -- a; for i; do ${body} done`),
			list(`set -- a; for i\ndo ${body} done`),
			command(`select i in a; do ${body} break; done <<< 1`),
			command(`case a in a) ${closed};; esac`),
			command(`case a in (a) ${body} esac`),
			command(`case a in b) :;; *) ${body} esac`),
			command(`case a${blank}in${blank}a|b)${blank}${body};;\nesac`),
			command(`case a in a) :;& b) ${body};; esac`),
			command(`case a in a) :;;& a*) ${body};; esac`),
			command(`case a in (esac|a) ${body} esac`),
			list(`${f}() { ${body} }; ${f}`),
			list(`${f} ( ) { ${body} }; ${f}`),
			list(`${f} ()\n{\n${body}}\n${f}`),
			list(`${f}() ( ${closed} ); ${f}`),
			list(`function ${f} { ${body} }; ${f}`),
			list(`function ${f}() { ${body} }; ${f}`),
			list(`function ${f}\n{ ${body} }\n${f}`),
			list(`function ${f} (${closed}); ${f}`),
			list(`function ${f} () (${closed}); ${f}`),
			list(`${f}() if :; then ${body} fi; ${f}`),
			list(`${f}() while :; do ${body} break; done; ${f}`),
			list(`${f}() for i in a; do ${body} done; ${f}`),
			list(`${f}() case a in a) ${body} esac; ${f}`),
			list(`${f}() { ${body} } >/dev/null; ${f}`),
			list(`${f}() { : \${1:-$( ${closed})}; }; ${f}`),
			list(`coproc ${one}${needsNewline(one) ? "\n" : ";"} wait`),
			list(`coproc { ${body} }; wait`),
			list(`coproc N { ${body} }; wait`),
			list(`coproc N (${closed}); wait`),
			list(`coproc N if :; then ${body} fi; wait`),
			list(`time ${one}`),
			list(`time -p ${one}`),
			list(`time -- ${one}`),
			list(`time ! ${one}`),
			list(`! time ${one}`),
			list(`time { ${body} }`),
			list(`time (${closed})`),
			list(`time -p -- (${closed})`),
			list(`: | ${one}`),
			list(`:${blank}| ${one}`),
			list(`: |${blank.replaceAll("\\\n", "")} ${one}`),
			list(needsNewline(one) ? one : `${one} |& :`),
			list(`: && ${one}`),
			list(`: &&\n${one}`),
			list(`false || ${one}`),
			list(`${this.#closed(one)}${needsNewline(one) ? "" : " &"} wait`),
			list(`:; ${closed}`),
			list(`: & ${closed}`),
			list(`: # it's "a comment $(\n${closed}`),
			list(`${closed}${needsNewline(closed) ? "" : " # it's"}\n:`),
			list(`: \\\n; ${closed}`),
			list(`\n\n  ${closed}\n`),
			list(`: <<'E'\nit's "\nE\n${closed}`),
			list(`: <<A <<-\\B\n$x\nA\n\tb\n\tB\n${closed}`),
			list(`: <<E; ${one}${needsNewline(one) ? "" : "\na\nE\n"}`),
			command(`{ ${body} } >f 2>&1`),
			command(`(${closed}) <<< a`),
			command(`{ ${body} } {fd}>f`),
			list(`echo 'a'"b"$'c\\'d' "\${x:-}"; ${closed}`),
			list(`[[ a =~ (a|b)[)] ]]; ${closed}`),
			list(`[[ a =~ ^a( |b)$ || -z '' ]]; ${closed}`),
			list(`[[ a == a && ! b < a ]]\n${closed}`),
			list(`((1 << 2 > 1)); ${closed}`),
			list(`: $((1 + (2 * 3))) $(( 8#7 )); ${closed}`),
			list(`x=(1 'b c' [5]=d); ${closed}`),
			list(`shopt -s extglob\n: @(a|b) !(c) +([0-9]); ${closed}`),
			list(`: \${x//[\\}\\)]/} "\${x%%'}'*}"; ${closed}`),
			list(`: \${x#\\#} \${#x} $# $$ $! $-; ${closed}`),
			list(`: a=b# c#d; ${closed}`),
			list(`echo if then do done esac { } [[ ; ${closed}`),
			list(`set -e; set +e; ${closed}`),
			list(`: {1..3} {a,b}{c,d} {} {a }; ${closed}`),
			list(`: ~ ~root * ?[a-z]; ${closed}`),
		);
	}

	/** A prefix of a simple command, or a command that takes a line of shell. */
	#before(piece: Piece): Piece {
		const { text } = piece;
		const only = this.#simple(piece);
		const line = this.#quoted(text);
		const x = this.#name();
		return this.#pick<() => Piece>(
			() => simple(`>f ${only}`),
			() => simple(`2>&1 ${only}`),
			() => simple(`{fd}>f ${only}`),
			() => simple(`{fd}<&0 ${only}`),
			() => simple(`<<< a ${only}`),
			() => simple(`3<&- ${only}`),
			() => simple(`&>f ${only}`),
			() => simple(`>|f 2>>g ${only}`),
			() => simple(`<>f ${only}`),
			() => simple(`>&f ${only}`),
			() => simple(`x=1 ${only}`),
			() => simple(`x=$y ${only}`),
			() => simple(`x= y='a b' ${only}`),
			() => simple(`x+=1 IFS=: ${only}`),
			() => simple(`a[0]=1 ${only}`),
			() => simple(`a[1 + 2]=1 ${only}`),
			() => simple(`x="\${y:-a b}" ${only}`),
			() => list(`time x=$y ${only}`),
			() => list(`! x=1 >f ${only}`),
			() => simple(needsNewline(only) ? only : `${only} >f`),
			() => simple(`command eval ${line}`),
			() => simple(`builtin eval ${line}`),
			() => simple(`eval ${line}`),
			() => simple(`eval -- ${line}`),
			() => simple(`eval : ';' ${line}`),
			() => simple(`eval "eval ${doubleQuoted(line).slice(1, -1)}"`),
			() => simple(`bash -c ${line}`),
			() => simple(`bash -ec ${line} a b`),
			() => simple(`bash -c -- ${line}`),
			() => simple(`bash +x -c ${line}`),
			() => simple(`bash -o errexit -c ${line}`),
			() => simple(`bash --norc -c ${line}`),
			() => simple(`exec bash -c ${line}`),
			() => simple(`bash <<< ${line}`),
			() => simple(`bash -s a b <<< ${line}`),
			() => simple(`bash /dev/stdin <<< ${line}`),
			() => list(/\bE$/m.test(text) ? `eval ${line}` : `bash <<'E'\n${text}\nE\n`),
			() => list(`echo ${line} | bash`),
			() => list(`printf '%s\\n' ${line} | bash -s`),
			() => list(`printf %s ${line} | { bash; }`),
			() => simple(`source <(echo ${line})`),
			() => simple(`. <(printf '%s\\n' ${line})`),
			() => simple(`. /dev/stdin <<< ${line}`),
			() => simple(`trap ${line} EXIT`),
			() => list(`${x}=${line}; eval "$${x}"`),
			() => list(`${x}=${line}; bash -c "$${x}"`),
			() => list(`${x}=(eval ${line}); "\${${x}[@]}"`),
			() => list(`set -- ${line}; eval "$1"`),
			() => list(`eval "$(echo ${line})"`),
			() => list(`mapfile -c 1 -C 'eval ${line.replaceAll("'", "'\\''")} #' ${x} <<< a`),
			() => list(`echo ${line} >s; . ./s`),
			() => list(`echo ${line} >s; bash s`),
			() => list(`read -r -d '' ${x} <<< ${line}; eval "$${x}"`),
			() => list(`f() { eval "$1"; }; f ${line}`),
		)();
	}

	/** A whole text, and whether the marker is only mentioned in it. */
	text(): { readonly text: string; readonly mentions: boolean } {
		const mentions = this.#random.oneIn(4);
		let piece = mentions ? this.#mention() : this.#random.oneIn(3) ? this.#held() : this.#spelled();
		for (let left = this.#random.below(4); left > 0 && piece.text.length < 600; left--) {
			const kind = this.#random.below(8);
			if (kind < 3) piece = this.#around(piece);
			else if (kind < 6) piece = this.#inWords(piece);
			else piece = this.#before(piece);
		}
		return { text: piece.text, mentions };
	}
}

/** Pieces of syntax that a mutation inserts. */
const SYNTAX = [
	"'",
	'"',
	"`",
	"$(",
	")",
	"(",
	"{",
	"}",
	";",
	"|",
	"&",
	"\\",
	"\n",
	"#",
	"<",
	">",
	"))",
	" ",
	"[",
	"]",
	"$",
	"=",
	"!",
	"<<E",
	"fi",
	" esac ",
	"\r",
] as const;

/** Deletes or inserts a few pieces of syntax. */
function mutate(text: string, random: Random): string {
	let mutated = text;
	for (let left = 1 + random.below(2); left > 0; left--) {
		const at = random.below(mutated.length + 1);
		mutated = random.oneIn(2)
			? mutated.slice(0, at) + mutated.slice(at + 1)
			: mutated.slice(0, at) + random.pick(SYNTAX) + mutated.slice(at);
	}
	return mutated;
}

/** The text of a seed. Every fifth is mutated, so that it may be no shell at all. */
export function generateText(seed: number, marker: Marker): { readonly text: string; readonly mentions: boolean } {
	const random = new Random(seed);
	const generated = new Writer(random, marker).text();
	return seed % 5 === 4 ? { text: mutate(generated.text, random), mentions: false } : generated;
}
