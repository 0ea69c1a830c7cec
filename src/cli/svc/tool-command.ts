// Runs the command of a client tool: its arguments as JSON on standard input, its output back, within limits of time and size.
import { spawn } from "node:child_process";

/** What a model would be sent of it is far less (32 KiB). */
const MAX_KEPT_BYTES = 262_144;

/** Standard output or error as far as it is kept. */
class KeptOutput {
	readonly #parts: Buffer[] = [];
	#keptBytes = 0;
	#bytes = 0;

	take(part: Buffer): void {
		this.#bytes += part.byteLength;
		const kept = part.subarray(0, MAX_KEPT_BYTES - this.#keptBytes);
		this.#keptBytes += kept.byteLength;
		if (kept.byteLength > 0) this.#parts.push(kept);
	}

	/** Whether it is no text: it holds a zero byte, or is no UTF-8. A character that the bound cuts through is left out. */
	get isBinary(): boolean {
		const kept = Buffer.concat(this.#parts);
		if (kept.includes(0)) return true;
		try {
			new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(kept, {
				stream: this.#bytes > this.#keptBytes,
			});
			return false;
		} catch {
			return true;
		}
	}

	toString(): string {
		if (this.isBinary) return `[${this.#bytes} bytes that are no text]`;
		const isCut = this.#bytes > this.#keptBytes;
		const text = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(Buffer.concat(this.#parts), {
			stream: isCut,
		});
		return isCut ? `${text}\n[${this.#bytes - this.#keptBytes} more bytes are left out]` : text;
	}
}

export interface CommandLimits {
	timeoutMs: number;
	/** Ends it with all that it started. */
	signal: AbortSignal;
}

/** The process's variables without keys of the service: a tool that has one could approve its own calls. */
function toolVariables(variables: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
	return Object.fromEntries(Object.entries(variables).filter(([, value]) => !value?.startsWith("svc_sk_")));
}

/**
 * Runs a command line in a shell and returns what it printed.
 * @param input for its standard input.
 * @throws Error for an exit status that is not 0, with the status and what was printed; for output that is no text; and when it is
 * stopped.
 */
export function runToolCommand(
	command: string,
	input: string,
	folder: string,
	variables: Readonly<Record<string, string | undefined>>,
	{ timeoutMs, signal }: CommandLimits,
): Promise<string> {
	return new Promise((resolve, reject) => {
		// A group of its own, so that what the shell started ends with it. A Ctrl-C reaches this process alone, which ends the group.
		const child = spawn(command, {
			shell: true,
			cwd: folder,
			env: toolVariables(variables),
			detached: process.platform !== "win32",
			stdio: ["pipe", "pipe", "pipe"],
		});
		let stopped: string | null = null;
		const stop = (reason: string) => {
			stopped ??= reason;
			try {
				if (child.pid !== undefined && process.platform !== "win32") process.kill(-child.pid, "SIGKILL");
				else child.kill("SIGKILL");
			} catch {
				// It has ended meanwhile.
			}
		};
		const timer = setTimeout(() => stop(`it did not end within ${timeoutMs / 1_000} s`), timeoutMs);
		const abort = () => stop("it was stopped");
		signal.addEventListener("abort", abort, { once: true });
		const [output, errors] = [new KeptOutput(), new KeptOutput()];
		child.stdout.on("data", (part: Buffer) => output.take(part));
		child.stderr.on("data", (part: Buffer) => errors.take(part));
		// A command that reads no input closes it.
		child.stdin.on("error", () => undefined);
		child.stdin.end(input);
		child.on("error", reject);
		child.on("close", (code, killedBy) => {
			clearTimeout(timer);
			signal.removeEventListener("abort", abort);
			if (code === 0 && stopped === null && output.isBinary)
				return reject(
					new Error(`${output}: a tool prints text in UTF-8, so have it print base64 or the path of a file`),
				);
			if (code === 0 && stopped === null) return resolve(output.toString());
			const status = stopped ?? (code === null ? `it was ended by ${killedBy}` : `it ended with exit status ${code}`);
			reject(new Error([status, errors.toString().trim(), output.toString().trim()].filter(Boolean).join("\n")));
		});
		if (signal.aborted) abort();
	});
}
