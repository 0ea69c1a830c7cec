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

/** What is looked at of a prompt. */
interface Prompt {
	model: string;
	systemText: string;
	userText: string;
}

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

/** One file a language, by its name in the prompt. */
const FILES: Readonly<Record<string, SandboxFile>> = {
	Python: hash(
		"main.py",
		'def main():\n    print("hello from the sandbox")\n\n\nif __name__ == "__main__":\n    main()\n',
	),
	TypeScript: CURLY("main.ts", "//", "export function main(): string", '\treturn "hello from the sandbox";'),
	JavaScript: CURLY("main.js", "//", "export function main()", '\treturn "hello from the sandbox";'),
	Go: CURLY("main.go", "//", "package main\n\nfunc main()", '\tprintln("hello from the sandbox")'),
	Rust: CURLY("src/main.rs", "//", "fn main()", '    println!("hello from the sandbox");'),
	Java: CURLY("Main.java", "//", "class Main", '    static final String TEXT = "hello from the sandbox";'),
	C: CURLY("main.c", "//", "int main(void)", "    return 0;"),
	Shell: hash("main.sh", 'echo "hello from the sandbox"\n'),
	Ruby: hash("main.rb", 'puts "hello from the sandbox"\n'),
	YAML: hash("config.yaml", "greeting: hello from the sandbox\n"),
	TOML: hash("config.toml", 'greeting = "hello from the sandbox"\n'),
	JSON: { path: "config.json", content: (note) => `${JSON.stringify({ greeting: "hello", note })}\n` },
	HTML: { path: "index.html", content: (note) => `<!doctype html>\n<title>Sandbox</title>\n<p>${note}</p>\n` },
	SQL: { path: "query.sql", content: (note) => `-- ${note}\nSELECT 1;\n` },
};
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

function draft({ model, systemText, userText }: Prompt, boundary: string): string {
	const words = (word: string) => userText.includes(`[[${word}]]`);
	if (words("no code")) return "The sandbox would rather not write any.";
	const isRepair = userText.includes("What is wrong with them:");
	const language = /complete, working (.+?) for the task/.exec(systemText)?.[1] ?? "";
	const file = FILES[language] ?? ANY;
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

/** The reply to a prompt of code mode; null to any other. */
export function codeReply(prompt: Prompt): string | null {
	const { systemText, userText } = prompt;
	if (systemText.includes("You turn a text into the JSON object") && userText.includes('"passed"'))
		return userText.includes("[[never json]]") ? "There is no object in it." : verdict(userText);
	if (systemText.includes("You review code that another model wrote")) {
		const [word] = userText.match(/\[\[(?:malformed|never) json\]\]/) ?? [];
		return word === undefined ? verdict(userText) : `That is hard to say. ${word}`;
	}
	const boundary = /<<<END ([0-9a-f]{8})>>>/.exec(systemText)?.[1];
	return boundary === undefined ? null : draft(prompt, boundary);
}
