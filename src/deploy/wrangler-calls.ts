// Calls wrangler, which has the login and knows the platform's API, and reads what it answers.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { parseJson } from "../json.ts";

/** An upload on a slow line takes minutes; a call that takes longer has hung. */
const CALL_TIMEOUT_MS = 600_000;

const WRANGLER_SCRIPT = "node_modules/wrangler/bin/wrangler.js";

/** A failure whose message is all that is printed. */
export class DeployError extends Error {
	override name = "DeployError";
	/** Whether a further try may work. */
	readonly isTemporary: boolean;

	constructor(message: string, isTemporary = false) {
		super(message);
		this.isTemporary = isTemporary;
	}
}

/** There is no login at the platform, or it does not work. */
export class LoginError extends DeployError {
	override name = "LoginError";
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of wrangler's output
const COLOURS = /\u001b\[[0-9;]*m/g;

/** Wrangler's error in a line, without its frame. */
function readFault(output: string): string {
	const text = output.replace(COLOURS, "");
	const [, fault = text] = /\[ERROR\]\s*([\s\S]*?)(?:\n\s*If you think|\n\s*🪵|$)/.exec(text) ?? [];
	return fault.replace(/\s+/g, " ").trim().slice(0, 500);
}

/** Codes of the platform for a login that does not work, and for one that may not do this. */
const LOGIN_FAULT = /\[code: (?:10000|10001|9109|9106)\]|Authentication error|not logged in|CLOUDFLARE_API_TOKEN/i;
const LOGIN_ADVICE =
	"log in with npx wrangler login, or set CLOUDFLARE_API_TOKEN to a token with the permissions of src/docs/deployment.md";

/** What wrangler's error means for the command. */
function toDeployError(call: string, fault: string): DeployError {
	const message = `wrangler ${call} failed: ${fault}`;
	if (LOGIN_FAULT.test(fault)) return new LoginError(`${message}; ${LOGIN_ADVICE}`, isTemporaryFault(fault));
	const needsChoice = /CLOUDFLARE_ACCOUNT_ID|More than one account/i.test(fault);
	return new DeployError(needsChoice ? `${message}; set CLOUDFLARE_ACCOUNT_ID` : message, isTemporaryFault(fault));
}

function isTemporaryFault(fault: string): boolean {
	return /\b(?:429|50\d)\b|\[code: (?:10013|10429|971)\]|fetch failed|ECONNRESET|ETIMEDOUT|timed? ?out|internal error|unknown error has occurred/i.test(
		fault,
	);
}

/** Runs wrangler and returns its output. @throws DeployError */
export async function runWranglerCall(args: readonly string[]): Promise<string> {
	const child = spawn(process.execPath, [WRANGLER_SCRIPT, ...args], {
		// Without questions: what it would ask is decided here.
		env: { ...process.env, CI: "true", WRANGLER_SEND_METRICS: "false", NO_COLOR: "1" },
		stdio: ["ignore", "pipe", "pipe"],
		timeout: CALL_TIMEOUT_MS,
	});
	const parts: Record<"stdout" | "stderr", string> = { stdout: "", stderr: "" };
	for (const name of ["stdout", "stderr"] as const)
		child[name].setEncoding("utf8").on("data", (text: string) => {
			parts[name] += text;
		});
	const [code] = await once(child, "close");
	if (code === 0) return parts.stdout;
	throw toDeployError(args.slice(0, 3).join(" "), readFault(`${parts.stdout}\n${parts.stderr}`));
}

/** Runs wrangler and reads its answer as JSON. */
export async function askWrangler(args: readonly string[]): Promise<unknown> {
	const output = await runWranglerCall(args);
	const start = output.search(/^[[{]/m);
	const value = parseJson(start < 0 ? output : output.slice(start));
	if (value === undefined)
		throw new DeployError(`wrangler ${args.slice(0, 3).join(" ")} answered no JSON: ${output.slice(0, 200)}`);
	return value;
}

/** Whether a failure says that KV has nothing under the key. */
export function isMissingValue(error: unknown): boolean {
	return error instanceof DeployError && /\/values\/\S+ - 404\b/.test(error.message);
}

/** Whether a failure says that no Worker has the name. */
export function isMissingWorker(error: unknown): boolean {
	return error instanceof DeployError && /Worker "[^"]*" not found|\[code: 10007\]/.test(error.message);
}
