// Redirects of a command, and the here-documents among them, whose bodies begin on the next line.
import { readHeredocBody } from "./here-documents.ts";
import type { Word } from "./script.ts";
import { type CommandDraft, type ScriptBuilder, toDraft } from "./script-builder.ts";
import { type ShellReader, UNREAD_SCRIPT } from "./words.ts";

const REDIRECT_OPERATORS = ["&>>", "<<<", "&>", "<<", ">>", ">|", ">&", "<&", "<>", "<", ">"] as const;

/** Digits, or a name in braces. Right before a redirect, it is a descriptor: `2>file`, `{name}>file`. */
const DESCRIPTOR = /^(?:[0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})$/;

/** Parses redirects, and at each newline the bodies that wait. */
export class RedirectParser {
	readonly #reader: ShellReader;
	readonly #script: ScriptBuilder;
	/** The number or name in front of the redirect that is read next. */
	#descriptor: string | null = null;
	/** The command that has a here-document without a body. */
	#bodiless: CommandDraft | null = null;

	constructor(reader: ShellReader, script: ScriptBuilder) {
		this.#reader = reader;
		this.#script = script;
	}

	/** Takes a word that is the descriptor of the redirect behind it. False when it is none. */
	takeDescriptor(text: string | null): boolean {
		if (text === null || !DESCRIPTOR.test(text) || !/[<>]/.test(this.#reader.peek())) return false;
		this.#descriptor = text;
		return true;
	}

	/** Parses one redirect with its target. */
	parse(): void {
		const reader = this.#reader;
		const operator = REDIRECT_OPERATORS.find((candidate) => reader.startsWith(candidate)) ?? "<";
		reader.at += operator.length;
		const stripTabs = operator === "<<" && reader.peek() === "-";
		if (stripTabs) reader.at++;
		reader.skipInline();
		const start = reader.at;
		const target = reader.word();
		if (reader.at === start) reader.malformed = true;
		const redirect =
			this.#descriptor === null ? { operator, target } : { operator, target, descriptor: this.#descriptor };
		this.#descriptor = null;
		const command = this.#script.begin();
		// One whose body would begin behind the text has none, and another of the same command adds nothing to it.
		const hasNoBody = operator === "<<" && start > reader.lastLineEnd;
		if (hasNoBody && command === this.#bodiless) {
			reader.step();
			return;
		}
		if (hasNoBody) this.#bodiless = command;
		command.redirects.push(redirect);
		reader.count();
		if (operator !== "<<") return;
		const delimiter = target.map((part) => (part.kind === "text" ? part.text : "")).join("");
		reader.heredocs.push({ command, redirect, delimiter, literal: target.some((part) => part.quoted), stripTabs });
		redirect.target = [];
	}

	/** Ends the line, and reads the bodies of the here-documents that began on it. */
	newline(): void {
		this.#script.endLine();
		this.#reader.at++;
		this.readBodies();
		this.#reader.skipEmptyLines();
	}

	/** Reads the bodies of the here-documents that began on the line before, in order. */
	readBodies(): void {
		const reader = this.#reader;
		const waiting = reader.heredocs;
		if (waiting.length === 0) return;
		reader.heredocs = [];
		for (const heredoc of waiting) {
			if (reader.tooDeep) return;
			const { command, redirect, delimiter, literal } = heredoc;
			const { body, closed } = readHeredocBody(reader, heredoc);
			redirect.target =
				literal && !reader.expandsHeredocs ? [{ kind: "text", text: body, quoted: true }] : this.#readParts(body);
			command.size += this.#script.piecesRead();
			if (!closed) reader.malformed = true;
			// Between `$(` and `)`, bash 5.2 loses a delimiter without characters, and runs what should be the body.
			if (!closed || delimiter === "") this.#addAsCommands(body);
		}
	}

	/** The parts of a body that is expanded. */
	#readParts(body: string): Word {
		const reader = this.#reader;
		return reader.nested<Word>([], () => {
			const inner = reader.inner(body);
			const parts = inner.expandable("");
			if (inner.tooDeep) reader.abandon();
			return parts;
		});
	}

	/** Shells differ on where such a here-document ends. So its body counts as text and as commands. */
	#addAsCommands(body: string): void {
		const reader = this.#reader;
		if (body.trim() === "") return;
		const script = reader.nested(UNREAD_SCRIPT, () => reader.parseNested(reader.inner(body), null));
		if (script.tooDeep) reader.abandon();
		const value: Word = [{ kind: "substitution", script, process: false, quoted: true }];
		const command = { ...toDraft(null), redirects: [{ operator: "<<<" as const, target: value }] };
		this.#script.addApart({ ...command, size: this.#script.piecesRead() });
	}
}
