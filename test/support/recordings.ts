// Upstream traffic, recorded (shared data) and written by hand (test/fixtures/streams): which there is, the wire that reads it,
// and ways to put it on the line again.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { WIRE_NAMES, type WireName } from "../../src/catalog/vocabulary.ts";
import type { StreamEvent, Wire } from "../../src/providers/wire.ts";
import { anthropicWire, bedrockWire, googleWire, openAiWire } from "../../src/providers/wires.ts";
import { eventMessage } from "../../src/sandbox/aws-event-stream.ts";
import { hasSharedData, readSharedData } from "./shared-data.ts";

const FOLDER = "upstream-fixtures";

const WRITTEN_ROOT = join(import.meta.dirname, "../fixtures/streams");

/** Whether recordings are on this machine; notes it in the file that asks when they are not. */
export function hasRecordings(): boolean {
	return hasSharedData(FOLDER);
}

function listEnding(root: string, endings: readonly string[]): string[] {
	return readdirSync(root, { recursive: true, encoding: "utf8" })
		.filter((path) => endings.some((ending) => path.endsWith(ending)))
		.sort();
}

/** Paths of all recordings with one of the endings, such as `mistral/mistral-text.json`. */
export function recordingsEnding(...endings: string[]): string[] {
	return hasRecordings() ? listEnding(join(import.meta.dirname, "../../../shared/data", FOLDER), endings) : [];
}

/** Paths of the streams that were written by hand, such as `google/thoughts.chunks.txt`. They are part of the repository. */
export function writtenStreams(): string[] {
	return listEnding(WRITTEN_ROOT, [".chunks.txt"]);
}

/** Paths of all streams, written by hand and recorded. */
export function listStreams(): string[] {
	return [...writtenStreams(), ...recordingsEnding(".chunks.txt", ".sse")];
}

const WIRES: Readonly<Record<WireName, Wire>> = {
	anthropic: anthropicWire,
	bedrock: bedrockWire,
	google: googleWire,
	openai: openAiWire,
};

/** The wire of a recording, by its folder. */
export function wireOfRecording(path: string): { name: WireName; wire: Wire } {
	const folder = path.split("/")[0];
	const name = WIRE_NAMES.find((wire) => wire === folder) ?? "openai";
	return { name, wire: WIRES[name] };
}

/** A whole body, or the text of a stream. */
export function recordedText(path: string): string {
	const written = join(WRITTEN_ROOT, path);
	return existsSync(written) ? readFileSync(written, "utf8") : readSharedData(`${FOLDER}/${path}`);
}

/**
 * The events of a stream, `[DONE]` included where the format has it.
 * Some Anthropic recordings hold several messages one after another: `events` are the first, `following` the others.
 */
export function recordedEvents(path: string): { events: string[]; following: string[] } {
	const lines = recordedText(path).split(/\r?\n/).filter(Boolean);
	if (path.endsWith(".sse")) {
		return { events: lines.map((line) => line.replace(/^data: /, "")), following: [] };
	}
	const { name } = wireOfRecording(path);
	if (name === "openai") return { events: [...lines, "[DONE]"], following: [] };
	const stop = name === "anthropic" ? lines.findIndex((line) => eventName(line) === "message_stop") : -1;
	const end = stop < 0 ? lines.length : stop + 1;
	return { events: lines.slice(0, end), following: lines.slice(end) };
}

/** An event's JSON object; null for `[DONE]`. */
export function eventJson(text: string): Record<string, unknown> | null {
	return text === "[DONE]" ? null : JSON.parse(text);
}

function eventName(text: string): string | null {
	const type = eventJson(text)?.["type"];
	return typeof type === "string" ? type : null;
}

function written(text: string, dataLines: string[], newline: string): string {
	const name = eventName(text);
	const head = name === null ? [] : [`event: ${name}`];
	return [...head, ...dataLines.map((line) => `data: ${line}`), "", ""].join(newline);
}

/** Server-Sent Events as the providers write them. */
export function plainSse(events: readonly string[]): string {
	return events.map((text) => written(text, [text], "\n")).join("");
}

/** The same events with everything the standard allows besides: CRLF, comments, data over several lines. */
export function elaborateSse(events: readonly string[]): string {
	const elaborate = (text: string) => {
		const json = eventJson(text);
		const dataLines = json === null ? [text] : JSON.stringify(json, null, 1).split("\n");
		return `: comment\r\n\r\n${written(text, dataLines, "\r\n")}`;
	};
	return events.map(elaborate).join("");
}

/** An event of Bedrock's stream, under its name. */
function toMessage(text: string, headers: Readonly<Record<string, string>> = {}): Uint8Array {
	const [[name = "", fields] = []] = Object.entries(eventJson(text) ?? {});
	return eventMessage({ ":event-type": name, ":message-type": "event", ...headers }, JSON.stringify(fields));
}

function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
	return Uint8Array.from(pieces.flatMap((piece) => [...piece]));
}

/** The body of a stream as its provider writes it. */
export function plainBody(name: WireName, events: readonly string[]): Uint8Array {
	if (name === "bedrock") return joinBytes(events.map((text) => toMessage(text)));
	return new TextEncoder().encode(plainSse(events));
}

/** The same stream with everything its format allows besides. */
export function elaborateBody(name: WireName, events: readonly string[]): Uint8Array {
	if (name !== "bedrock") return new TextEncoder().encode(elaborateSse(events));
	const ping = eventMessage({ ":event-type": "ping", ":message-type": "event" }, "");
	const more = { ":content-type": "application/json", "x-note": "a word: äöü" };
	return joinBytes(events.flatMap((text) => [ping, toMessage(text, more)]));
}

/** The events of a stream as its wire's reader passes them on. */
export function readerEvents(name: WireName, events: readonly string[]): StreamEvent[] {
	if (name !== "bedrock") return events.map((data) => ({ data }));
	return events.flatMap((text) =>
		Object.entries(eventJson(text) ?? {}).map(([event, fields]) => ({ event, data: JSON.stringify(fields) })),
	);
}
