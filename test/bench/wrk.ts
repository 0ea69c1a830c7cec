// wrk (github.com/wg/wrk) as load generator. It is written in C and takes little of the machine's time.
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import {
	builtInGenerator,
	type Load,
	type LoadGenerator,
	type LoadTarget,
	type RoundAnswers,
	type RoundLimits,
	sendRequest,
} from "./load.ts";
import { takeNumbers, VARIED, VARIED_TEXT_LUA } from "./varied.ts";

const TIMEOUT_SECONDS = 20;

/** Any text as a Lua string. */
function toLuaString(text: string): string {
	return `"${[...Buffer.from(text)].map((byte) => `\\${String(byte).padStart(3, "0")}`).join("")}"`;
}

/** More requests than a round of wrk sends. */
const NUMBERS_OF_ROUND = 1_000_000;

/**
 * A script that prepares the requests of each key before the round, but for the text that differs, and prints a summary as JSON
 * after it.
 */
function renderLuaScript(target: LoadTarget, load: Load): string {
	const headers = { ...target.headers, "content-type": "application/json" };
	const before = load.body.before.toString("utf8");
	const after = load.body.after?.toString("utf8") ?? null;
	return `${VARIED_TEXT_LUA}
local headers = {}
${Object.entries(headers)
	.map(([name, value]) => `headers[${toLuaString(name)}] = ${toLuaString(value)}`)
	.join("\n")}
local keys = { ${target.keys.map(toLuaString).join(", ")} }
local after = ${toLuaString(after ?? "")}
local marked = ${toLuaString(after === null ? "" : VARIED)}
local begins = {}
local sent = 0
function init()
	for at, key in ipairs(keys) do
		headers["authorization"] = "Bearer " .. key
		local whole = wrk.format("POST", ${toLuaString(load.path)}, headers, ${toLuaString(before)} .. marked .. after)
		begins[at] = whole:sub(1, #whole - #marked - #after)
	end
end
function request()
	sent = sent + 1
	local begin = begins[sent % #begins + 1]
	if #marked == 0 then return begin end
	return begin .. toVariedText(${takeNumbers(NUMBERS_OF_ROUND)} + sent) .. after
end
function done(summary, latency)
	local errors = summary.errors
	io.write(string.format('\\n{"requests":%d,"elapsedMicros":%d,"bytes":%d,"failed":%d,"medianMicros":%d,"p95Micros":%d}\\n',
		summary.requests, summary.duration, summary.bytes,
		errors.connect + errors.read + errors.write + errors.status + errors.timeout,
		latency:percentile(50), latency:percentile(95)))
end
`;
}

const summarySchema = z.object({
	requests: z.number(),
	elapsedMicros: z.number(),
	bytes: z.number(),
	failed: z.number(),
	medianMicros: z.number(),
	p95Micros: z.number(),
});

/** wrk checks statuses only. Answers that are on average much shorter than a checked one are broken. */
const SHORTEST_SHARE = 0.9;

class Wrk implements LoadGenerator {
	name: string;
	/** Bytes of a sound answer, by target and load. */
	#soundBytes = new Map<string, number>();

	constructor(version: string) {
		this.name = version;
	}

	async #answerBytes(target: LoadTarget, load: Load): Promise<number> {
		const key = `${target.name} ${load.path} ${load.body.before} ${load.body.after}`;
		const known = this.#soundBytes.get(key);
		if (known !== undefined) return known;
		const agent = new Agent();
		const { answer } = await sendRequest(target, agent, load).finally(() => agent.destroy());
		this.#soundBytes.set(key, answer.byteLength);
		return answer.byteLength;
	}

	async run(target: LoadTarget, load: Load, { connections, durationMs }: RoundLimits): Promise<RoundAnswers> {
		const soundBytes = await this.#answerBytes(target, load);
		const dir = mkdtempSync(join(tmpdir(), "svc-wrk-"));
		try {
			const file = join(dir, "load.lua");
			writeFileSync(file, renderLuaScript(target, load), { mode: 0o600 });
			const seconds = Math.max(1, Math.round(durationMs / 1_000));
			const args = [
				"-t1",
				`-c${connections}`,
				`-d${seconds}s`,
				"--timeout",
				`${TIMEOUT_SECONDS}s`,
				"-s",
				file,
				target.url,
			];
			const { stdout } = await promisify(execFile)("wrk", args);
			const result = summarySchema.parse(JSON.parse(stdout.trim().split("\n").at(-1) ?? ""));
			const { requests, elapsedMicros, bytes, failed, medianMicros, p95Micros } = result;
			if (failed > 0 || requests === 0) throw new Error(`benchmark failed: ${target.name}: ${stdout}`);
			if (bytes / requests < SHORTEST_SHARE * soundBytes) {
				throw new Error(`benchmark failed: ${target.name} breaks off its answers: ${stdout}`);
			}
			return {
				requests,
				elapsedMs: elapsedMicros / 1_000,
				medianMs: medianMicros / 1_000,
				p95Ms: p95Micros / 1_000,
				medianFirstDeltaMs: null,
			};
		} finally {
			rmSync(dir, { recursive: true, force: true });
		}
	}
}

/** wrk if it is on the PATH and the built-in generator was not requested. */
export function loadGenerator(builtInWanted: boolean): LoadGenerator {
	if (builtInWanted) return builtInGenerator;
	const { error, stdout, stderr } = spawnSync("wrk", ["--version"], { encoding: "utf8" });
	return error ? builtInGenerator : new Wrk(/^wrk \S+/m.exec(`${stdout}${stderr}`)?.[0] ?? "wrk");
}
