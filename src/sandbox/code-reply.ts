// What the sandbox says to the prompts of code mode: small files in the format that is asked for, verdicts on them, repairs.
//
//   [[flawed]]        the first draft has a flaw that the critic names and a repair mends
//   [[hopeless]]      every draft has it
//   [[unbalanced]]    the first draft lacks a bracket
//   [[left out]]      the first draft leaves code out
//   [[escaping]]      the first draft has a file outside of its directory beside a good one
//   [[two files]]     a second file, which is JSON
//   [[no code]]       prose in the place of files
//   [[malformed json]], [[never json]]   the critic writes prose, which its repair turns into JSON, or does not

import { jsonOrProse, repairedJson, type StagedPrompt, type StageReplies, stageNumber } from "./stage-reply.ts";

interface SandboxFile {
	path: string;
	/** @param note one line of words. */
	content(note: string): string;
}

const CURLY = (path: string, mark: string, head: string, body: string): SandboxFile => ({
	path,
	content: (note) => `${mark} ${note}\n${head} {\n${body}\n}\n`,
});

const hash = (path: string, lines: string): SandboxFile => ({ path, content: (note) => `# ${note}\n${lines}` });

/** One file a language, by its id. */
const FILES: ReadonlyMap<string, SandboxFile> = new Map(
	Object.entries({
		python: hash(
			"main.py",
			'def main():\n    print("hello from the sandbox")\n\n\nif __name__ == "__main__":\n    main()\n',
		),
		typescript: CURLY("main.ts", "//", "export function main(): string", '\treturn "hello from the sandbox";'),
		javascript: CURLY("main.js", "//", "export function main()", '\treturn "hello from the sandbox";'),
		go: CURLY("main.go", "//", "package main\n\nfunc main()", '\tprintln("hello from the sandbox")'),
		rust: CURLY("src/main.rs", "//", "fn main()", '    println!("hello from the sandbox");'),
		java: CURLY("Main.java", "//", "class Main", '    static final String TEXT = "hello from the sandbox";'),
		c: CURLY("main.c", "//", "int main(void)", "    return 0;"),
		shell: hash("main.sh", 'echo "hello from the sandbox"\n'),
		ruby: hash("main.rb", 'puts "hello from the sandbox"\n'),
		yaml: hash("config.yaml", "greeting: hello from the sandbox\n"),
		toml: hash("config.toml", 'greeting = "hello from the sandbox"\n'),
		json: { path: "config.json", content: (note) => `${JSON.stringify({ greeting: "hello", note })}\n` },
		html: { path: "index.html", content: (note) => `<!doctype html>\n<title>Sandbox</title>\n<p>${note}</p>\n` },
		sql: { path: "query.sql", content: (note) => `-- ${note}\nSELECT 1;\n` },
	}),
);
const ANY: SandboxFile = { path: "NOTES.txt", content: (note) => `${note}\n` };

const FLAW = "this line is wrong";

function block(boundary: string, path: string, content: string): string {
	return `<<<FILE ${boundary} ${path}>>>\n${content}<<<END ${boundary}>>>\n`;
}

/** The line that makes a draft a faulty one; null for a good one. */
function faultyContent(content: string, words: (word: string) => boolean, isRepair: boolean): string | null {
	if (words("hopeless") || (words("flawed") && !isRepair)) return content.replace("written", `${FLAW}; written`);
	if (isRepair) return null;
	if (words("unbalanced")) return `${content}(\n`;
	if (words("left out")) return `${content}# ... rest of the code ...\n`;
	return null;
}

function draft({ model, systemText, userText, stage }: StagedPrompt): string | null {
	const boundary = /<<<END ([0-9a-f]{8})>>>/.exec(systemText)?.[1];
	if (boundary === undefined) return null;
	const words = (word: string) => userText.includes(`[[${word}]]`);
	if (words("no code")) return "The sandbox would rather not write any.";
	const isRepair = stageNumber(stage) > 0;
	const file = FILES.get(stage.asksFor ?? "") ?? ANY;
	const content = file.content(`written by the sandbox as ${model}`);
	const files = [
		block(boundary, file.path, faultyContent(content, words, isRepair) ?? content),
		...(words("two files") ? [block(boundary, "data/settings.json", '{ "from": "the sandbox" }\n')] : []),
		...(words("escaping") && !isRepair ? [block(boundary, "../outside.txt", "out\n")] : []),
	];
	return `The sandbox writes:\n\n${files.join("\n")}`;
}

/** A verdict: flaws are found, and what has none is scored by its text, so that drafts differ. */
function verdict(userText: string): string {
	if (userText.includes(FLAW)) {
		const path = /<<<FILE [0-9a-f]+ (.+?)>>>/.exec(userText)?.[1] ?? "the file";
		return JSON.stringify({ passed: false, score: 0.4, issues: [`${path}: a line says of itself that it is wrong`] });
	}
	const sum = [...userText].reduce((total, character) => total + (character.codePointAt(0) ?? 0), 0);
	return JSON.stringify({ passed: true, score: (80 + (sum % 20)) / 100, issues: [] });
}

/** Replies to the calls of code mode. */
export const CODE_REPLIES: StageReplies = {
	"generate coder": draft,
	"review reviewer": ({ userText, stage: { asksFor } }) =>
		asksFor === "repair" ? repairedJson(userText, verdict(userText)) : jsonOrProse(userText, verdict(userText)),
};
