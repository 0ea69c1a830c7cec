// Compares what the policy engine says of generated shell texts with what a real bash runs of them; prints, never fails.
// `node test/eval/shell.ts [texts] [first seed] [shell]`
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseShell } from "../../src/policy/commands/shell/parse.ts";
import { decide } from "../../src/policy/decide.ts";
import { generateText } from "./shell-grammar.ts";

/** The harmless command that the shell runs, and the denied one of the same length that the engine sees. */
const MARKER = { name: "mk", words: "-rf /" };
const DENIED = { name: "rm", words: "-rf /" };

/** Cases of each kind that are printed, the shortest first. Holes are made as short as they get. */
const MAX_SHOWN = Number(process.env["SHOWN"] ?? 12);
/** Texts that one shell process runs before its folders are removed. */
const BATCH = 500;

/** Runs the texts that it reads, each in a folder of its own. Descriptor 9 is open until all they started has ended. */
const DRIVER = `
n=0
while IFS= read -r -d '' text; do
  cd "$LAB/$n" || exit
  said=$( { $TIMEOUT 2 "$SHELL_PATH" -c "$text" </dev/null 9>&1 >/dev/null 2>"$LAB/said"; } 9>&1 )
  [[ -e $LAB/$n/../ran ]] && { ran=1; $REMOVE "$LAB/ran"; } || ran=0
  said=$(<"$LAB/said")
  case $said in *'syntax error'*|*'unexpected EOF'*|*'bad substitution'*|*'delimited by end-of-file'*|*'Syntax error'*|*'Bad substitution'*) refused=1 ;; *) refused=0 ;; esac
  printf '%s%s\\n' "$ran" "$refused"
  n=$((n+1))
done
`;

/** What the shell did with a text. */
interface Run {
	readonly ran: boolean;
	readonly refused: boolean;
}

/** A pair of texts that differ only in the command's name. */
interface Pair {
	readonly shell: string;
	readonly engine: string;
}

function programPath(name: string): string | null {
	try {
		return execFileSync("/bin/sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
	} catch {
		return null;
	}
}

/** Runs texts in a real shell that can start nothing but the marker and shells. */
class Laboratory {
	readonly #folder = mkdtempSync(join(tmpdir(), "shell-"));
	readonly #shell: string;

	constructor(shell: string) {
		this.#shell = shell;
		const programs = join(this.#folder, "bin");
		mkdirSync(programs);
		const marker = join(programs, MARKER.name);
		writeFileSync(marker, `#!/bin/sh\n: > ${join(this.#folder, "ran")}\n`);
		chmodSync(marker, 0o755);
		for (const name of ["bash", "sh"]) symlinkSync(programPath(name) ?? "", join(programs, name));
	}

	/** Runs texts in order. */
	async run(texts: readonly string[]): Promise<readonly Run[]> {
		for (const [at] of texts.entries()) mkdirSync(join(this.#folder, String(at)));
		const child = spawn(programPath("bash") ?? "", ["-c", DRIVER], {
			env: {
				PATH: join(this.#folder, "bin"),
				LAB: this.#folder,
				SHELL_PATH: this.#shell,
				TIMEOUT: programPath("timeout") ?? "",
				REMOVE: programPath("rm") ?? "",
				LC_ALL: "C.UTF-8",
			},
			stdio: ["pipe", "pipe", "ignore"],
		});
		let printed = "";
		child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
			printed += chunk;
		});
		child.stdin.end(texts.map((text) => `${text}\0`).join(""));
		await new Promise((resolve) => child.on("close", resolve));
		for (const [at] of texts.entries()) rmSync(join(this.#folder, String(at)), { recursive: true, force: true });
		return printed
			.trim()
			.split("\n")
			.map((line) => ({ ran: line[0] === "1", refused: line[1] === "1" }));
	}

	remove(): void {
		rmSync(this.#folder, { recursive: true, force: true });
	}
}

/** The denied command is forbidden whatever its words are, so that a shortened text is denied too. */
const rules = { protectedPaths: [], forbiddenCommands: [DENIED.name], budgetUsd: Number.POSITIVE_INFINITY };

function decisionOf(text: string): string {
	const action = { action: "Run a command", action_kind: "edit" as const, files_affected: [], commands: [text] };
	return decide(action, rules).decision;
}

type Kind = "hole" | "asked" | "false alarm" | "asked needlessly" | "malformed needlessly" | "agreed";

function compare({ engine }: Pair, { ran, refused }: Run, mentions: boolean): Kind {
	const decision = decisionOf(engine);
	if (ran) return decision === "allow" ? "hole" : decision === "deny" ? "agreed" : "asked";
	if (refused) return "agreed";
	if (mentions && decision === "deny") return "false alarm";
	if (parseShell(engine).malformed) return "malformed needlessly";
	return mentions && decision !== "allow" ? "asked needlessly" : "agreed";
}

/** Kinds of which cases are printed. What is asked about needlessly is mostly the engine's own caution. */
const SHOWN_KINDS: readonly Kind[] = ["hole", "false alarm", "malformed needlessly", "asked"];

/** Cuts pieces out of a pair as long as it stays of the same kind. */
async function shorten(pair: Pair, kind: Kind, mentions: boolean, laboratory: Laboratory): Promise<Pair> {
	let shortest = pair;
	for (let size = Math.ceil(pair.shell.length / 2); size >= 1; size = size > 1 ? Math.floor(size / 2) : 0) {
		let cut = true;
		while (cut) {
			const tried: Pair[] = [];
			for (let at = 0; at < shortest.shell.length; at += size)
				tried.push({
					shell: shortest.shell.slice(0, at) + shortest.shell.slice(at + size),
					engine: shortest.engine.slice(0, at) + shortest.engine.slice(at + size),
				});
			const runs = await laboratory.run(tried.map(({ shell }) => shell));
			const found = tried.find((candidate, at) => {
				const run = runs[at];
				return run && candidate.shell !== "" && compare(candidate, run, mentions) === kind;
			});
			cut = found !== undefined;
			shortest = found ?? shortest;
		}
	}
	return shortest;
}

/** A generated text, and whether the marker is only mentioned in it. */
interface Text extends Pair {
	readonly seed: number;
	readonly mentions: boolean;
}

function generate(seed: number): Text {
	const { text, mentions } = generateText(seed, MARKER);
	return { shell: text, engine: generateText(seed, DENIED).text, seed, mentions };
}

/** What was counted, and the texts of each kind that is no agreement. */
interface Tally {
	readonly counts: Record<string, number>;
	readonly cases: Map<Kind, Text[]>;
}

function record({ counts, cases }: Tally, text: Text, run: Run): void {
	const kind = compare(text, run, text.mentions);
	const names = [kind, ...(run.ran ? ["ran"] : []), ...(run.refused ? ["refused"] : [])];
	for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
	if (kind !== "agreed") cases.set(kind, [...(cases.get(kind) ?? []), text]);
}

async function printShortest(kind: Kind, texts: readonly Text[], laboratory: Laboratory): Promise<void> {
	const shown = new Set<string>();
	const byLength = texts.toSorted((one, other) => one.engine.length - other.engine.length);
	for (const text of byLength.slice(0, MAX_SHOWN)) {
		const { engine } = kind === "hole" ? await shorten(text, kind, text.mentions, laboratory) : text;
		if (!shown.has(engine)) console.log(`${kind}, seed ${text.seed}: ${JSON.stringify(engine)}`);
		shown.add(engine);
	}
}

async function measure(texts: number, first: number, laboratory: Laboratory): Promise<void> {
	const tally: Tally = { counts: {}, cases: new Map() };
	for (let from = first; from < first + texts; from += BATCH) {
		const length = Math.min(BATCH, first + texts - from);
		const generated = Array.from({ length }, (_, at) => generate(from + at));
		const runs = await laboratory.run(generated.map(({ shell }) => shell));
		for (const [at, text] of generated.entries()) {
			const run = runs[at];
			if (run) record(tally, text, run);
		}
	}
	console.log(`${texts} texts:`, tally.counts);
	for (const kind of SHOWN_KINDS) await printShortest(kind, tally.cases.get(kind) ?? [], laboratory);
}

async function main(): Promise<void> {
	const [texts = "5000", first = "0", shell = "bash"] = process.argv.slice(2);
	const path = programPath(shell);
	if (path === null || !existsSync(path) || programPath("bash") === null || programPath("timeout") === null) {
		console.log(`eval:shell: no ${shell} here; nothing compared.`);
		return;
	}
	const laboratory = new Laboratory(path);
	try {
		await measure(Number(texts), Number(first), laboratory);
	} finally {
		laboratory.remove();
	}
}

await main();
