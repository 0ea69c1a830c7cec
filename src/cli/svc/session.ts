// One call of a command: its client, and what it writes where. Results go to standard output, everything else to standard error.
import { createClient, type SvcClient } from "../../client/client.ts";
import { type ChosenConnection, chooseConnection } from "./connection.ts";

import { loginPath, readLogin } from "./login-file.ts";
import { paint, type Style, toPrintable } from "./output.ts";
import type { Terminal } from "./terminal.ts";

interface SessionFlags {
	url: string | undefined;
	key: string | undefined;
	isJson: boolean;
}

export class CommandSession {
	readonly terminal: Terminal;
	readonly isJson: boolean;
	readonly #flags: SessionFlags;
	readonly #stop = new AbortController();

	constructor(terminal: Terminal, flags: SessionFlags) {
		this.terminal = terminal;
		this.isJson = flags.isJson;
		this.#flags = flags;
	}

	/** Aborts when the command is interrupted, unless it says what else happens then. */
	get signal(): AbortSignal {
		return this.#stop.signal;
	}

	interrupt(): void {
		this.#stop.abort(new DOMException("interrupted", "AbortError"));
	}

	get loginPath(): string {
		return loginPath(this.terminal.variables);
	}

	/** @throws UsageError for an address that is none. @throws LocalError for a login that is needed and cannot be read. */
	connection(): ChosenConnection {
		const { url, key } = this.#flags;
		const { SVC_BASE_URL, SVC_API_KEY } = this.terminal.variables;
		// A login that cannot be read is no fault where none is needed.
		const isGiven = Boolean((url || SVC_BASE_URL) && (key || SVC_API_KEY));
		return chooseConnection({ url, key }, this.terminal.variables, isGiven ? null : readLogin(this.loginPath));
	}

	/** The service that a new login is for. A kept one that cannot be read is what this replaces. */
	loginOrigin(): string {
		const { url } = this.#flags;
		const isGiven = Boolean(url || this.terminal.variables["SVC_BASE_URL"]);
		const login = isGiven ? null : readLogin(this.loginPath);
		return chooseConnection({ url, key: undefined }, this.terminal.variables, login).origin;
	}

	client(options: { timeoutMs?: number; maxRetries?: number } = {}): SvcClient {
		const { origin, apiKey } = this.connection();
		return createClient({ baseUrl: origin, apiKey, headers: { "user-agent": "svc-cli" }, ...options });
	}

	#isPlain(isShown: boolean): boolean {
		const { NO_COLOR, TERM } = this.terminal.variables;
		return !isShown || Boolean(NO_COLOR) || TERM === "dumb";
	}

	/** Text in a style, where standard output shows one. */
	paint(style: Style, text: string): string {
		return this.#isPlain(this.terminal.isOutputShown) ? text : paint(style, text);
	}

	/** A part of the result, without a line break. Control characters are for files and pipes only. */
	write(text: string): void {
		this.terminal.write(this.terminal.isOutputShown ? toPrintable(text) : text);
	}

	/** A line of the result. */
	line(text = ""): void {
		this.write(`${text}\n`);
	}

	lines(texts: Iterable<string>): void {
		for (const text of texts) this.line(text);
	}

	/** The result as JSON: a document, or a line of many. */
	json(value: unknown, form: "document" | "line" = "document"): void {
		this.terminal.write(`${form === "document" ? JSON.stringify(value, null, 2) : JSON.stringify(value)}\n`);
	}

	/** Something besides the result: progress, cost, advice. */
	note(text: string, style?: Style): void {
		const shown = toPrintable(text);
		const isPlain = style === undefined || this.#isPlain(this.terminal.isProgressShown);
		this.terminal.writeError(`${isPlain ? shown : paint(style, shown)}\n`);
	}

	/** The result as `--json` or for people. @returns the exit code */
	answer<Value>(value: Value, render: (value: Value) => Iterable<string>): void {
		if (this.isJson) this.json(value);
		else this.lines(render(value));
	}
}
