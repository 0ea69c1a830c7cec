// Upstream streams, recorded (shared data) and written by hand, for tests in workerd, which has no file system: Vite hands the
// files over.
import type { Model } from "../../src/catalog/schema.ts";
import { streamEvent } from "../../src/sandbox/aws-event-stream.ts";
import { noteSharedData } from "./absent-data.ts";
import { modelOf, modelOnWire, wireNameOf } from "./models.ts";
import { says, saysEvents } from "./scripted.ts";

const ROOT = "../../../shared/data/upstream-fixtures/";
const files = import.meta.glob<string>("../../../shared/data/upstream-fixtures/*/*.chunks.txt", {
	query: "?raw",
	import: "default",
});

const WRITTEN_ROOT = "../fixtures/streams/";
const writtenFiles = import.meta.glob<string>("../fixtures/streams/*/*.chunks.txt", {
	query: "?raw",
	import: "default",
});

/** Providers whose recordings are in a folder of another name than their catalog row. */
const PROVIDERS: Readonly<Record<string, string>> = { moonshotai: "moonshot" };
/** A host of OpenAI's wire that the catalog does not have. */
const OTHER_HOST = "perplexity";

/** One stream. */
export interface WorkerRecording {
	/** Such as `mistral/mistral-text.chunks.txt`. */
	path: string;
	/** A model of the provider that sent it. */
	model: Model;
	/** The response as the provider sent it. */
	read(): Promise<Response>;
}

function modelFor(folder: string): Model {
	if (folder === "bedrock") return modelOnWire("bedrock");
	return folder === OTHER_HOST ? modelOnWire("openai") : modelOf(PROVIDERS[folder] ?? folder);
}

function eventType(line: string): unknown {
	return (JSON.parse(line) as { type?: unknown }).type;
}

function toEvent(line: string): string {
	const type = eventType(line);
	return typeof type === "string" ? `event: ${type}\ndata: ${line}\n\n` : `data: ${line}\n\n`;
}

function toMessage(line: string): Uint8Array {
	const [[name = "", fields] = []] = Object.entries(JSON.parse(line) as Record<string, Record<string, unknown>>);
	return streamEvent(name, fields ?? {});
}

/** The events of the first message: some Anthropic recordings hold several. */
function toResponse(text: string, wire: string): Response {
	const lines = text.split(/\r?\n/).filter(Boolean);
	if (wire === "bedrock") return saysEvents(...lines.map(toMessage));
	const stop = wire === "anthropic" ? lines.findIndex((line) => eventType(line) === "message_stop") : -1;
	const events = (stop < 0 ? lines : lines.slice(0, stop + 1)).map(toEvent);
	return says(...events, wire === "openai" ? "data: [DONE]\n\n" : "");
}

/** All streams, by path. Notes it in the file that asks when there are no recorded ones. */
export function listWorkerRecordings(): WorkerRecording[] {
	noteSharedData("upstream-fixtures", Object.keys(files).length > 0);
	return Object.entries({ ...files, ...writtenFiles })
		.map(([file, load]) => {
			const path = file.slice(file.startsWith(ROOT) ? ROOT.length : WRITTEN_ROOT.length);
			const folder = path.split("/")[0] ?? "";
			const model = modelFor(folder);
			return { path, model, read: async () => toResponse(await load(), wireNameOf(model)) };
		})
		.sort((one, other) => (one.path < other.path ? -1 : 1));
}
