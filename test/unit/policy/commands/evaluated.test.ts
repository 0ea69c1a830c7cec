// Texts that a shell expands a second time, and the rest of what a search against a real bash found.
import { describe, expect, it } from "vitest";
import { namesComputedElement } from "../../../../src/policy/commands/evaluated.ts";
import { decide } from "../../../../src/policy/decide.ts";

const rules = { protectedPaths: [], forbiddenCommands: [], budgetUsd: Number.POSITIVE_INFINITY };

function decided(command: string) {
	return decide({ action: "Run", action_kind: "edit", files_affected: [], commands: [command] }, rules).decision;
}

describe("a text that is expanded twice", () => {
	it.each([
		"[[ -v 'a[$(rm -rf /)]' ]]",
		"[[ 'a[$(rm -rf /)]' -eq 1 ]]",
		"test -v 'a[$(rm -rf /)]'",
		"[ -v 'a[`rm -rf /`]' ]",
		"printf -v 'a[$(rm -rf /)]' x",
		"read -r 'a[$(rm -rf /)]' <<< x",
		"read x <<< 'a[$(rm -rf /)]'; ((x))",
		"read x <<< 'a[$(\"\\`rm -rf /\\`\")]'; ((x))",
		"read x <<< 'rm\\ -rf\\ /'; $x",
		"let 'a[$(rm -rf /)]'",
		"unset 'a[1+$(rm -rf /)]'",
		"declare 'a[$(rm -rf /)]=1'",
		"declare -i x='a[$(rm -rf /)]'",
		"mapfile -O 'a[$(rm -rf /)]' x <<< y",
		"x='a[$(rm -rf /)]'; echo $((x))",
		`x='a[$(rm -rf /)]'; echo \${!x}`,
		"x='a[$(rm -rf /)]'; [[ $x -gt 1 ]]",
		"y='$(rm -rf /)'; x=\"a[$y]\"; ((x))",
		"declare -n r='a[$(rm -rf /)]'; r=1",
		"f() { (($1)); }; f 'a[$(rm -rf /)]'",
		`x='$(rm -rf /)'; echo "\${x@P}"`,
		`x='\\$(rm -rf /)'; x=\${x#?}; : "\${x@P}"`,
		"PS4='$(rm -rf /)'; set -x; ls",
		`x='$(rm -rf /)'; echo \${(e)x}`,
		"mapfile -c 1 -C 'rm -rf / #' x <<< y",
		"readarray -C 'rm -rf /;:' -c1 <<< y",
		"compgen -C 'rm -rf /' x",
	])("is denied in %s", (command) => {
		expect(decided(command)).toBe("deny");
	});

	it.each([
		"[[ -v a[0] ]]",
		"test -v 'a[i]'",
		"echo 'a[0]'",
		"grep -E '[$(`]' file.txt",
		"x='$(rm -rf /)'; echo done",
		"echo '$(rm -rf /)'",
	])("is not seen in %s", (command) => {
		expect(decided(command)).toBe("allow");
	});

	it("asks about a value that is expanded like a prompt and not known", () => {
		expect(decided(`echo "\${x@P}"`)).toBe("confirm");
	});

	it("is found in an index with a substitution", () => {
		expect(["a[$(b)]", "x=a[1+`b`]", "a[b[$(c)]]"].map(namesComputedElement)).toEqual([true, true, true]);
		expect(["a[b]", "[$(b)]", "$(a)[b]", "a[b] c"].map(namesComputedElement)).toEqual([false, false, false, false]);
	});
});

describe("what bash runs", () => {
	it.each([
		"coproc N { rm -rf /; }",
		"coproc rm -rf /",
		"bash -sa b <<< 'rm -rf /'",
		"echo 'echo rm -rf / >s;$(<s)'>s;. ./s",
		"echo x >s; echo rm -rf / >s; $(<s)",
		"[ $x ] && echo 'rm -rf /' > s; echo ok > s; cat s | sh",
		"y=($(<<''\n(rm -rf /)\n\n))",
		"coproc N (rm -rf /)",
		"time (rm -rf /)",
		"time -p -- { rm -rf /; }",
		"time X=$y rm -rf /",
		"time ! rm -rf /",
		"declare -A a=([$(rm -rf /)]=v)",
		"export x=(a $(rm -rf /))",
		`f() { local x=(rm -rf /); \${x[@]}; }; f`,
		"for ((i = 0; i < 1; i++)) { rm -rf /; }",
		"for i in a; { rm -rf /; }",
		"for i\nin rm\ndo $i -rf /; done",
		"select i in a; { rm -rf /; break; } <<< 1",
		"x=(\n# it's\n$(rm -rf /)\n)",
		"a[1 + 2]=1 rm -rf /",
		"a[$(rm -rf /) + 1]=1",
		"x=r; x+=m; $x -rf /",
		"set rm -rf /; $1 $2 $3",
		"set -- a rm -rf /; shift; $1 $2 $3",
		"mapfile -t x <<< rm; $x -rf /",
		"case a in (esac|a) rm -rf /;; esac",
		'echo "`exec \\"rm\\" -rf /`"',
		"eval -- 'ls; rm -rf /'",
		"[[ a == a &&\n b == b ]] && rm -rf /",
		"shopt -s extglob\nls !(a|b) $(rm -rf /)",
		"ls @(a|$(rm -rf /))",
		"zsh -c '=rm -rf /'",
		"fish -c 'true; and rm -rf /'",
		"fish -c 'begin; rm -rf /; end'",
		"zsh -c 'repeat 3 rm -rf /'",
	])("is denied: %s", (command) => {
		expect(decided(command)).toBe("deny");
	});

	it.each([
		"coproc { echo a; }",
		"time (ls)",
		"time { ls; }",
		"time ((1 + 1))",
		"time X=$y ls",
		"declare -A a=([k]=v [l]='w x')",
		"local x=(1 2)",
		"readonly -a x=(a b) y=2",
		"for ((i = 0; i < 3; i++)) { echo $i; }",
		"for i in a b; { echo $i; }",
		"x=(\n a # it's\n b\n)",
		"[[ a == a\n && -n b\n]]",
		"ls !(a|b) +([0-9]).txt",
		"(( x = (1 << 2) + $( echo rm -rf /)0 ))",
		"(( x = $( [[ a == $'it\\'s (a' ]])0 ))",
		"let 'i = 1'",
	])("needs no question: %s", (command) => {
		expect(decided(command)).toBe("allow");
	});
});

describe("a name that stands for a command", () => {
	it.each([
		"alias x=rm; x -rf /",
		"alias x='rm -rf'; x /",
		"hash -p /bin/rm x; x -rf /",
		"hash -rp /bin/rm y x; x -rf /",
		"BASH_ALIASES[x]=rm; x -rf /",
		"BASH_ALIASES[x]='rm -rf /'; x",
		"BASH_ALIASES=([y]=ls [x]=rm); x -rf /",
		"declare 'BASH_CMDS[x]=/bin/rm'; x -rf /",
		"BASH_CMDS[x]=/bin/rm; x -rf /",
		'f() { rm "$@"; }; f -rf /; f() { :; }',
		'f() { rm "$@"; }; f() { :; }; f -rf /',
	])("is followed with its words in %s", (command) => {
		expect(decided(command)).toBe("deny");
	});

	it.each([
		"alias ls='ls --color=auto'; ls -la",
		"alias a=b b=a; a x",
		"alias",
		"hash -r",
		"hash git",
		"enable -n echo",
		"complete -W 'start stop rm' svc",
		'f() { ls "$@"; }; f -la; f() { :; }',
	])("harms nothing in %s", (command) => {
		expect(decided(command)).toBe("allow");
	});

	it("asks about a library that the shell loads", () => {
		expect(decided("enable -f ./x.so x")).toBe("confirm");
	});
});

describe("a command that is hidden from a reader of words", () => {
	it.each([
		`: \${x:=rm}; $x -rf /`,
		`: "\${x=rm -rf /}"; $x`,
		`: \${y:-\${x:=rm}}; $x -rf /`,
		`echo \${ rm -rf /; }`,
		`echo "\${ rm -rf /; } x"`,
		`echo \${| rm -rf /; }`,
		`echo \${ { rm -rf /; }; }`,
		`echo \${\nrm -rf /\n}`,
		"$(case a in a) echo rm;; esac) -rf /",
		"echo $(case a in(esac) ;; esac; cat <<'E'\n$(rm -rf /)\nE\n)",
		"echo $(case a in(esac) cat <<'E'\n$(rm -rf /)\nE\n;; esac)",
		"$(case a in a|b)echo rm;;esac) -rf /",
		"$(($(case a in a|b)rm -rf /;;esac)))",
		"IFS=0123456789abcdeghijk:; v=rm:-rf:/; $v",
		`set -- 1 2 3 4 5 6 7 8 9 rm; \${10} -rf /`,
		"set -- 1 2 3 4 5 6 7 8 9 rm; shift 9; $1 -rf /",
		"set -- a rm -rf /; shift; $*",
		`bash -c '\${10} -rf /' 0 1 2 3 4 5 6 7 8 9 rm`,
		"compgen -W '$(rm -rf /)'",
	])("is denied in %s", (command) => {
		expect(decided(command)).toBe("deny");
	});

	it.each([
		`echo \${x} {a,b} }`,
		`: \${PORT:=3000}; echo $PORT`,
		"echo $(( $(echo 2) + 1 )) $((1 + (2 * 3)))",
		"set -- a b; shift; echo $1",
		"case a in a) echo rm;; esac",
		`echo "\${x:-\${y}}"`,
	])("is not seen in %s", (command) => {
		expect(decided(command)).toBe("allow");
	});
});

describe("a name that stands for another variable", () => {
	it.each([
		"declare -n p=PATH; p=/tmp/x:$p; ls",
		"typeset -n p=PATH; p=/tmp/x; ls",
		"f() { local -n q=PATH; q=/tmp/x; }; f",
		"declare -n a=b; declare -n b=PATH; a=/tmp/x; ls",
		"declare -rn p=LD_PRELOAD; p=/tmp/x.so; ls",
	])("asks as that variable does: %s", (command) => {
		expect(decided(command)).not.toBe("allow");
	});

	it("is harmless where nothing runs the variable, and is followed only once where names stand for each other", () => {
		expect(decided("declare -n r=x; r=5; echo $x")).toBe("allow");
		expect(decided("declare -n a=b; declare -n b=a; a=5; echo $a")).toBe("allow");
	});
});
