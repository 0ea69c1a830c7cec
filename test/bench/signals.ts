// `npm run bench:signals`: time that reading a prompt's signals takes in workerd, by size and kind of prompt.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import type { Message, ModelCall } from "../../src/providers/model-call.ts";
import { readOwnPrompts } from "../train/labelled.ts";
import { HOSTILE_UNITS, PROSE, repeatToLength } from "./sensitive-inputs.ts";
import { renderTable, type TableRow } from "./table.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** Repeats of one prompt in one request. The clock of workerd stands still within a request, so only whole requests are timed. */
const REPEATS = 200;
/** The least time of some rounds counts, because other processes only add to it. */
const ROUNDS = 3;
const KIB = 1024;
/** Each kind has as many prompts, taken from different places of its text. */
const PROMPTS = 40;

// A call is read once and then remembered, so each reading gets a call of its own.
const WORKER = `
import { detectSignals } from "./src/routing/signals.ts";
export default {
	async fetch(request) {
		const { call, repeats } = await request.json();
		let intents = 0;
		for (let repeat = 0; repeat < repeats; repeat++) intents += detectSignals({ ...call }).intents.length;
		return new Response(String(intents));
	},
};`;

function toCall(messages: Message[]): ModelCall {
	return { messages, tools: [], output: { type: "text" }, maxTokens: 256, stop: [], sampling: {}, unknownFields: {} };
}

const message = (role: "user" | "assistant", text: string): Message => ({ role, content: [{ type: "text", text }] });
const question = (text: string): ModelCall => toCall([message("user", text)]);

function joinSources(folder: string, suffix: string): string {
	const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
	const files = names.filter((name) => name.endsWith(suffix));
	return files.map((name) => readFileSync(join(ROOT, folder, name), "utf8")).join("\n");
}

/** Pieces of a text from evenly spread places. */
function cutPieces(text: string, chars: number): string[] {
	const long = repeatToLength(text, Math.max(text.length, chars * 2));
	const step = Math.floor((long.length - chars) / PROMPTS);
	return Array.from({ length: PROMPTS }, (_, at) => long.slice(at * step, at * step + chars));
}

/** A conversation of 20 questions of 200 characters and answers of 800. */
function toConversation(text: string): ModelCall {
	const turns = Array.from({ length: 20 }, (_, turn) => [
		message("user", text.slice(turn * 200, (turn + 1) * 200)),
		message("assistant", text.slice(turn * 200, turn * 200 + 800)),
	]);
	return toCall(turns.flat().slice(0, -1));
}

function readCases(): [name: string, calls: ModelCall[]][] {
	const documents = joinSources("src/docs", ".md");
	const code = joinSources("src/routing", ".ts");
	const short = readOwnPrompts().map(({ turns: [{ text }] }) => text);
	const sentences = short.filter((text) => /[\u3040-\u9fff\uac00-\ud7a3]/.test(text)).join("\n");
	return [
		["prompts as typed", short.filter((_, at) => at % 10 === 0).map(question)],
		["documents, 2 KiB", cutPieces(documents, 2 * KIB).map(question)],
		["documents, 8 KiB", cutPieces(documents, 8 * KIB).map(question)],
		["code, 8 KiB", cutPieces(code, 8 * KIB).map(question)],
		["Chinese, Japanese, Korean, 8 KiB", cutPieces(sentences, (8 * KIB) / 3).map(question)],
		["hostile, 8 KiB", HOSTILE_UNITS.map(([, unit]) => question(repeatToLength(unit, 8 * KIB)))],
		["20 turns", cutPieces(documents, 8 * KIB).map(toConversation)],
		["documents, 1 MiB", [question(repeatToLength(PROSE, KIB * KIB))]],
	];
}

/** The value below which a share of sorted values lies. */
function quantile(sorted: readonly number[], share: number): number {
	return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

async function startReader() {
	const { outputFiles } = await build({
		stdin: { contents: WORKER, resolveDir: ROOT, loader: "ts" },
		bundle: true,
		write: false,
		format: "esm",
	});
	const script = outputFiles[0]?.text ?? "";
	const miniflare = new Miniflare({ modules: true, script, compatibilityDate: "2026-07-22" });
	await miniflare.ready;
	const requestMs = async (call: ModelCall, repeats: number) => {
		const body = JSON.stringify({ call, repeats });
		const startedAtMs = performance.now();
		const response = await miniflare.dispatchFetch("http://signals/", { method: "POST", body });
		await response.text();
		return performance.now() - startedAtMs;
	};
	return { requestMs, stop: () => miniflare.dispose() };
}

type Reader = Awaited<ReturnType<typeof startReader>>;

/** Milliseconds that one reading of a call takes. */
async function measureCall({ requestMs }: Reader, call: ModelCall): Promise<number> {
	let least = Number.POSITIVE_INFINITY;
	for (let round = 0; round < ROUNDS; round++) {
		const aloneMs = await requestMs(call, 0);
		least = Math.min(least, ((await requestMs(call, REPEATS)) - aloneMs) / REPEATS);
	}
	return least;
}

async function measureCases(reader: Reader): Promise<void> {
	const rows: TableRow[] = [];
	const upTo8KiB: number[] = [];
	for (const [name, calls] of readCases()) {
		const times: number[] = [];
		for (const call of calls) times.push(await measureCall(reader, call));
		if (!name.endsWith("MiB")) upTo8KiB.push(...times);
		times.sort((a, b) => a - b);
		rows.push([name, String(times.length), ...[0.5, 0.99].map((share) => quantile(times, share).toFixed(3))]);
	}
	upTo8KiB.sort((a, b) => a - b);
	const all = ["all up to 8 KiB", String(upTo8KiB.length)];
	rows.push([...all, ...[0.5, 0.99].map((share) => quantile(upTo8KiB, share).toFixed(3))]);
	console.log(renderTable([["prompts", "number", "median ms", "p99 ms"], ...rows]));
}

const reader = await startReader();
try {
	const call = question("What makes the tide rise?");
	await reader.requestMs(call, 0);
	const [alone, first] = [await reader.requestMs(call, 0), await reader.requestMs(call, 1)];
	console.log(`the first prompt of an isolate: ${(first - alone).toFixed(1)} ms\n`);
	await measureCases(reader);
} finally {
	await reader.stop();
}
