// The sandbox's replies to code mode: small files in the format of the prompt, reviews of them, repairs.
//
//   [[flawed]]        the first draft has a flaw; the critic names it, and a repair fixes it
//   [[hopeless]]      every draft has that flaw, in other words each time
//   [[unbalanced]]    the first draft lacks a bracket
//   [[left out]]      the first draft leaves code out
//   [[escaping]]      the first draft has a file outside its directory, beside a good one
//   [[two files]]     a second file, which is JSON
//   [[fenced]]        the file in a plain Markdown fence
//   [[no code]]       prose instead of files
//   [[wordy]]         so many words before the first draft's files that a low max_tokens cuts it; the continuation begins anew
//   [[malformed json]], [[never json]]   the critic writes prose; the repair is JSON, or prose again

import { jsonOrProse, repairedJson, type StagedPrompt, type StageReplies, stageNumber } from "./stage-reply.ts";

interface SandboxFile {
	path: string;
	/** @param note one line of words. */
	content(note: string): string;
}

const curlyFile = (path: string, mark: string, head: string, body: string): SandboxFile => ({
	path,
	content: (note) => `${mark} ${note}\n${head} {\n${body}\n}\n`,
});

const hashCommentedFile = (path: string, lines: string): SandboxFile => ({
	path,
	content: (note) => `# ${note}\n${lines}`,
});

/** One file per language, by its id. */
const SAMPLE_FILES: ReadonlyMap<string, SandboxFile> = new Map(
	Object.entries({
		python: hashCommentedFile(
			"main.py",
			'def main():\n    print("hello from the sandbox")\n\n\nif __name__ == "__main__":\n    main()\n',
		),
		typescript: curlyFile("main.ts", "//", "export function main(): string", '\treturn "hello from the sandbox";'),
		javascript: curlyFile("main.js", "//", "export function main()", '\treturn "hello from the sandbox";'),
		go: curlyFile("main.go", "//", "package main\n\nfunc main()", '\tprintln("hello from the sandbox")'),
		rust: curlyFile("src/main.rs", "//", "fn main()", '    println!("hello from the sandbox");'),
		java: curlyFile("Main.java", "//", "class Main", '    static final String TEXT = "hello from the sandbox";'),
		c: curlyFile("main.c", "//", "int main(void)", "    return 0;"),
		shell: hashCommentedFile("main.sh", 'echo "hello from the sandbox"\n'),
		ruby: hashCommentedFile("main.rb", 'puts "hello from the sandbox"\n'),
		yaml: hashCommentedFile("config.yaml", "greeting: hello from the sandbox\n"),
		toml: hashCommentedFile("config.toml", 'greeting = "hello from the sandbox"\n'),
		json: { path: "config.json", content: (note) => `${JSON.stringify({ greeting: "hello", note })}\n` },
		html: { path: "index.html", content: (note) => `<!doctype html>\n<title>Sandbox</title>\n<p>${note}</p>\n` },
		sql: { path: "query.sql", content: (note) => `-- ${note}\nSELECT 1;\n` },
	}),
);
const SAMPLE_NOTES: SandboxFile = { path: "NOTES.txt", content: (note) => `${note}\n` };

const FLAW = "this line is wrong";

function renderFileBlock(boundary: string, path: string, content: string): string {
	return `<<<FILE ${boundary} ${path}>>>\n${content}<<<END ${boundary}>>>\n`;
}

/** The content of a faulty draft; null for a good one. */
function faultyContent(content: string, words: (word: string) => boolean, repair: number): string | null {
	if (words("hopeless")) return content.replace("written", `${FLAW}; ${"again ".repeat(repair)}written`);
	if (repair > 0) return null;
	if (words("flawed")) return content.replace("written", `${FLAW}; written`);
	if (words("unbalanced")) return `${content}(\n`;
	if (words("left out")) return `${content}# ... rest of the code ...\n`;
	return null;
}

function draftReply({ model, systemText, userText, stage }: StagedPrompt): string | null {
	const boundary = /<<<END ([0-9a-f]{8})>>>/.exec(systemText)?.[1];
	if (boundary === undefined) return null;
	const words = (word: string) => userText.includes(`[[${word}]]`);
	if (words("no code")) return "The sandbox would rather not write any.";
	const repair = stageNumber(stage);
	const isRepair = repair > 0;
	const isContinuation = stage.stage.startsWith("continue");
	const file = SAMPLE_FILES.get(stage.asksFor ?? "") ?? SAMPLE_NOTES;
	const content = file.content(`written by the sandbox as ${model}`);
	const main = faultyContent(content, words, repair) ?? content;
	if (words("fenced")) return `The sandbox writes:\n\n\`\`\`\n${main}\`\`\`\n`;
	const files = [
		renderFileBlock(boundary, file.path, main),
		...(words("two files") ? [renderFileBlock(boundary, "data/settings.json", '{ "from": "the sandbox" }\n')] : []),
		...(words("escaping") && !isRepair ? [renderFileBlock(boundary, "../outside.txt", "out\n")] : []),
	];
	if (isContinuation) return files.join("\n");
	const before = words("wordy") && !isRepair ? "The sandbox has much to say. ".repeat(12) : "";
	return `${before}The sandbox writes:\n\n${files.join("\n")}`;
}

/** The marks and boundaries of a prompt, which are drawn anew for each request. */
const MARKS = /\b[0-9a-f]{8}(?:[0-9a-f]{8})?\b/g;

/** A review: it finds the flaw. A draft without one gets a score by its text, so that drafts differ. */
function reviewVerdict(userText: string): string {
	if (userText.includes(FLAW)) {
		const path = /<<<FILE [0-9a-f]+ (.+?)>>>/.exec(userText)?.[1] ?? "the file";
		const issues = [`${path}: a line says of itself that it is wrong`];
		return JSON.stringify({ reason: "One line is wrong.", issues, passed: false, score: 0.4 });
	}
	const sum = [...userText.replace(MARKS, "")].reduce((total, character) => total + (character.codePointAt(0) ?? 0), 0);
	const score = (80 + (sum % 20)) / 100;
	return JSON.stringify({ reason: "No line is wrong.", issues: [], passed: true, score });
}

/** Replies to the calls of code mode. */
export const CODE_REPLIES: StageReplies = {
	"generate coder": draftReply,
	"continue coder": draftReply,
	"review reviewer": ({ userText, stage: { asksFor } }) =>
		asksFor === "repair"
			? repairedJson(userText, reviewVerdict(userText))
			: jsonOrProse(userText, reviewVerdict(userText)),
};
