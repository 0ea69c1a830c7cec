// `npm run bench:body`: what the worst bodies of 16 MiB cost to read, parse and validate, each in a process of its own.
// Nothing here is asserted: figures depend on the machine.
import { spawnSync } from "node:child_process";
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { Hono } from "hono";
import { createChatCompletionEndpoint } from "../../src/chat/endpoints.edge.ts";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { MAX_JSON_ENTRIES, MAX_JSON_VALUES } from "../../src/http/json-shape.ts";
import { mount } from "../../src/http/mount.edge.ts";
import type { RequestState } from "../../src/http/respond.edge.ts";
import { Timings } from "../../src/http/timings.ts";
import { renderFigure, renderTable, type TableRow } from "./table.ts";

const MIB = 1_048_576;
const BODY_BYTES = 16 * MIB;
/** Size of the pieces in which the network delivers a body. */
const CHUNK_BYTES = 65_536;

type Brackets = readonly [open: string, close: string];
const ARRAY: Brackets = ["[", "]"];
const OBJECT: Brackets = ["{", "}"];
const HELLO = '{"role":"user","content":"hi"}';

/** Whether bodies keep the limits on values and entries and reach them; else they hold as many as fit. */
let atTheLimit = false;

type ListPiece = string | ((index: number) => string);

/** Counts values and entries as the service does: by these characters. */
function countValues(json: string): number {
	return json.match(/[[{,]/g)?.length ?? 0;
}

/** Repeats a piece as often as the bytes and values left allow. */
function repeatPiece(piece: ListPiece, bytes: number, values: number, from = 0): string[] {
	const made: string[] = [];
	for (let left = bytes, leftValues = values; ; ) {
		const next = typeof piece === "string" ? piece : piece(from + made.length);
		left -= Buffer.byteLength(next) + 1;
		leftValues -= countValues(`${next},`);
		if (left < 0 || leftValues < 0 || (atTheLimit && made.length === MAX_JSON_ENTRIES)) return made;
		made.push(next);
	}
}

/** One list of many pieces between `before` and `after`. White space fills the rest of the body. */
function fillList(before: string, piece: ListPiece, after: string): string {
	const bytes = BODY_BYTES - before.length - after.length;
	const values = atTheLimit ? MAX_JSON_VALUES - countValues(before) - 1 : Number.POSITIVE_INFINITY;
	return (before + repeatPiece(piece, bytes, values).join(",") + after).padEnd(BODY_BYTES);
}

/** Lists of full length that together hold all the values a body may have. */
const MOST_LISTS = Math.ceil(MAX_JSON_VALUES / MAX_JSON_ENTRIES);

/** Lists of many pieces in a member that no schema knows: one list, or at the limits as many as needed. */
function fillUnknownMember(piece: ListPiece, [open, close] = ARRAY): string {
	const before = `{"messages":[${HELLO}],"x":[`;
	if (!atTheLimit) return fillList(before + open, piece, `${close}]}`);
	const lists: string[] = [];
	for (let values = MAX_JSON_VALUES - countValues(before) - 1, count = 0; ; ) {
		const list = repeatPiece(piece, (BODY_BYTES - before.length) / MOST_LISTS - 4, values - 2, count);
		if (list.length === 0 || lists.length === MOST_LISTS) return `${before}${lists.join(",")}]}`.padEnd(BODY_BYTES);
		lists.push(open + list.join(",") + close);
		values -= countValues(`${lists.at(-1)},`);
		count += list.length;
	}
}

function fillText(unit: string): string {
	const before = '{"messages":[{"role":"user","content":"';
	const after = '"}]}';
	const count = Math.floor((BODY_BYTES - before.length - after.length) / Buffer.byteLength(unit));
	return before + unit.repeat(count) + after;
}

function fillMessages(piece: ListPiece): string {
	return fillList('{"messages":[', piece, "]}");
}

function fillParts(piece: string): string {
	return fillList('{"messages":[{"role":"user","content":[', piece, "]}]}");
}

const TEN_PARTS = new Array(10).fill(`{"type":"text","text":"${"a".repeat(800)}"}`).join(",");

/** Bodies, by what they have much of. */
const SHAPES: Readonly<Record<string, () => string>> = {
	"text, ASCII": () => fillText("a"),
	"text, CJK": () => fillText("語"),
	"text, emoji": () => fillText("😀"),
	"text, \\n": () => fillText("\\n"),
	"text, \\\\": () => fillText("\\\\"),
	"text, \\u0041": () => fillText("\\u0041"),
	"text, \\ud83d\\ude00": () => fillText("\\ud83d\\ude00"),
	"2,000 messages of 8 KB": () =>
		`{"messages":[${new Array(2_000).fill(`{"role":"user","content":"${"a".repeat(8_300)}"}`).join(",")}]}`,
	"2,000 messages of ten parts": () =>
		`{"messages":[${new Array(2_000).fill(`{"role":"user","content":[${TEN_PARTS}]}`).join(",")}]}`,
	"messages: numbers": () => fillMessages("0"),
	"messages: empty objects": () => fillMessages("{}"),
	"messages: whole ones": () => fillMessages(HELLO),
	"messages: without content": () => fillMessages('{"role":"user"}'),
	"parts: numbers": () => fillParts("0"),
	"parts: whole ones": () => fillParts('{"type":"text","text":""}'),
	"parts: empty objects": () => fillParts("{}"),
	"tool calls: numbers": () => fillList('{"messages":[{"role":"assistant","tool_calls":[', "0", "]}]}"),
	"tools: empty objects": () => fillList(`{"messages":[${HELLO}],"tools":[`, "{}", "]}"),
	"logit_bias: good": () => fillList(`{"messages":[${HELLO}],"logit_bias":{`, (i) => `"k${i}":1`, "}}"),
	"logit_bias: bad": () => fillList(`{"messages":[${HELLO}],"logit_bias":{`, (i) => `"k${i}":""`, "}}"),
	"metadata: keys": () => fillList(`{"messages":[${HELLO}],"metadata":{`, (i) => `"${i.toString(36)}":0`, "}}"),
	"elsewhere: numbers": () => fillUnknownMember("0"),
	"elsewhere: long numbers": () => fillUnknownMember("-1234567890.12345678e-9"),
	"elsewhere: numbers of 800 digits": () => fillUnknownMember(`0.${"1234567890".repeat(80)}e-300`),
	"elsewhere: one number": () => fillUnknownMember("1".repeat(BODY_BYTES - 200)),
	"elsewhere: endless numbers": () => fillUnknownMember("1e999"),
	"elsewhere: empty texts": () => fillUnknownMember('""'),
	"elsewhere: short texts": () => fillUnknownMember((i) => `"${i.toString(36)}"`),
	"elsewhere: empty objects": () => fillUnknownMember("{}"),
	"elsewhere: empty arrays": () => fillUnknownMember("[]"),
	"elsewhere: small objects": () => fillUnknownMember('{"a":1}'),
	"elsewhere: objects of many forms": () => fillUnknownMember((i) => `{"${i.toString(36)}":0}`),
	"elsewhere: distinct keys": () => fillUnknownMember((i) => `"${i.toString(36)}":0`, OBJECT),
	"elsewhere: keys of 60": () => fillUnknownMember((i) => `"${i.toString(36).padStart(60, "k")}":0`, OBJECT),
	"elsewhere: one key": () => fillUnknownMember('"a":0', OBJECT),
	"elsewhere: index keys": () => fillUnknownMember((i) => `"${i}":0`, OBJECT),
	"elsewhere: sparse index keys": () => fillUnknownMember((i) => `"${i * 1_009}":0`, OBJECT),
	"elsewhere: keys of lone surrogates": () => fillUnknownMember((i) => `"\\udc00${i.toString(36)}":0`, OBJECT),
	"elsewhere: nests of 120": () => fillUnknownMember(`${"[".repeat(120)}${"]".repeat(120)}`),
	"elsewhere: nests of 120 objects": () => fillUnknownMember(`${'{"a":'.repeat(120)}0${"}".repeat(120)}`),
	"deep: arrays": () => "[".repeat(BODY_BYTES / 2) + "]".repeat(BODY_BYTES / 2),
	"deep: objects": () => '{"a":'.repeat(BODY_BYTES / 5),
	"broken: open arrays": () => "[".repeat(BODY_BYTES),
	"broken: an open text": () => `{"messages":"${"a".repeat(BODY_BYTES - 20)}`,
	"broken: an open text of backslashes": () => `{"messages":"${"\\".repeat(BODY_BYTES - 20)}`,
	"broken: quotes": () => '"'.repeat(BODY_BYTES),
	"broken: a comma too many": () => fillList('{"messages":[', "0", ",]}"),
	"broken: white space": () => " ".repeat(BODY_BYTES),
};

/** Follows the name of a shape whose body reaches the limits. */
const AT_THE_LIMIT = " (at the limit)";

interface BodyFigures {
	status: number;
	message: string;
	/** CPU of reading, parsing and validating. */
	cpuMs: number;
	/** Peak growth of the process, with the warm-up of the runtime. */
	grownBytes: number;
	/** Size of the answer. */
	answerBytes: number;
}

/** The chat endpoint as it is mounted, with a handler that does nothing. */
function chatApp(): Hono<RequestState> {
	const endpoint: Endpoint = {
		...createChatCompletionEndpoint,
		handle: async () => ({ ok: true, value: {} }),
	};
	const app = new Hono<RequestState>();
	app.use((c, next) => {
		c.set("context", {
			requestId: "svc-bench",
			startedAtMs: 0,
			env: c.env,
			bodyLimits: { default: 2 * MIB, chat: BODY_BYTES },
			signal: c.req.raw.signal,
			trail: { sentStatus: null, failure: null },
			address: "unknown",
			origin: "https://svc.test",
			waitUntil: () => undefined,
			log: { endpoint: "unmatched" },
			timings: new Timings(0, () => 0),
		});
		return next();
	});
	mount(app, [endpoint], { key: { stage: () => (_, next) => next() } });
	return app;
}

/** Sends a file in chunks, as the network would. It is never in memory as a whole. */
function sendFile(app: Hono<RequestState>, file: string): Response | Promise<Response> {
	const body = Readable.toWeb(createReadStream(file, { highWaterMark: CHUNK_BYTES })) as unknown as ReadableStream;
	const init = { method: "POST", body, duplex: "half", headers: { "content-type": "application/json" } };
	return app.request(createChatCompletionEndpoint.path, init);
}

/** Measures in this process, which did not build the body. */
async function measureBody(file: string): Promise<BodyFigures> {
	const app = chatApp();
	await (
		await app.request(createChatCompletionEndpoint.path, { method: "POST", body: `{"messages":[${HELLO}]}` })
	).text();
	globalThis.gc?.();
	const resident = process.memoryUsage.rss();
	const startedAt = process.cpuUsage();
	const response = await sendFile(app, file);
	const answer = await response.text();
	const { user, system } = process.cpuUsage(startedAt);
	return {
		status: response.status,
		message: (/"message":"([^"]*)/.exec(answer)?.[1] ?? "").slice(0, 60),
		cpuMs: (user + system) / 1_000,
		grownBytes: process.resourceUsage().maxRSS * 1024 - resident,
		answerBytes: answer.length,
	};
}

function measureShape(name: string, dir: string): TableRow {
	const shape = name.replace(AT_THE_LIMIT, "");
	atTheLimit = shape !== name;
	const file = join(dir, "body.json");
	writeFileSync(file, SHAPES[shape]?.() ?? "");
	const args = ["--expose-gc", import.meta.filename, file];
	const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
	if (status !== 0) return [name, "-", "-", "-", "-", `ended with ${status}: ${stderr.trim().slice(0, 60)}`];
	const figures = JSON.parse(stdout) as BodyFigures;
	return [
		name,
		String(figures.status),
		renderFigure(Math.round(figures.cpuMs)),
		renderFigure(Math.round(figures.grownBytes / MIB)),
		renderFigure(figures.answerBytes),
		figures.message,
	];
}

const [file] = process.argv.slice(2);
if (file !== undefined) console.log(JSON.stringify(await measureBody(file)));
else {
	const dir = mkdtempSync(join(tmpdir(), "svc-bodies-"));
	const limited = Object.keys(SHAPES).filter((shape) => /fill(?!Text)/.test(String(SHAPES[shape])));
	const names = [...Object.keys(SHAPES), ...limited.map((shape) => shape + AT_THE_LIMIT)];
	try {
		const rows = names.map((name) => measureShape(name, dir));
		rows.sort((one, other) => Number(other[2]) - Number(one[2]));
		console.log(renderTable([["body of 16 MiB", "status", "CPU ms", "MiB more", "answer bytes", "message"], ...rows]));
	} finally {
		rmSync(dir, { recursive: true });
	}
}
