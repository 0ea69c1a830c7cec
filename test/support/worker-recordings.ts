// Recorded upstream streams (shared data) for tests in workerd, which has no file system: Vite hands the files over.
import type { Model } from "../../src/catalog/schema.ts";
import { noteSharedData } from "./absent-data.ts";
import { modelOf, modelOnWire } from "./models.ts";

const ROOT = "../../../shared/data/upstream-fixtures/";
const files = import.meta.glob<string>("../../../shared/data/upstream-fixtures/*/*.chunks.txt", {
	query: "?raw",
	import: "default",
});

export const hasWorkerRecordings = noteSharedData("upstream-fixtures", Object.keys(files).length > 0);

/** Providers whose recordings are in a folder of another name than their catalog row. */
const PROVIDERS: Readonly<Record<string, string>> = { moonshotai: "moonshot" };
/** What hosts on OpenAI's wire alone sent; any model of that wire can have. */
const ANY_HOST: readonly string[] = ["perplexity", "openai-compatible"];

/** One recorded stream. */
export interface WorkerRecording {
	/** Such as `mistral/mistral-text.chunks.txt`. */
	path: string;
	/** A model of the provider that sent it. */
	model: Model;
	/** The response's body as the provider sent it. */
	read(): Promise<string>;
}

function toEvent(line: string): string {
	const { type } = JSON.parse(line) as { type?: unknown };
	return typeof type === "string" ? `event: ${type}\ndata: ${line}\n\n` : `data: ${line}\n\n`;
}

/** The events of the first message: some Anthropic recordings hold several. */
function toBody(text: string, wire: string): string {
	const lines = text.split(/\r?\n/).filter(Boolean);
	const stop = wire === "anthropic" ? lines.findIndex((line) => line.includes('"type":"message_stop"')) : -1;
	const events = (stop < 0 ? lines : lines.slice(0, stop + 1)).map(toEvent);
	return events.join("") + (wire === "openai" ? "data: [DONE]\n\n" : "");
}

/** All recorded streams, by path. */
export function listWorkerRecordings(wireOf: (model: Model) => string): WorkerRecording[] {
	return Object.entries(files)
		.map(([file, load]) => {
			const path = file.slice(ROOT.length);
			const folder = path.split("/")[0] ?? "";
			const model = ANY_HOST.includes(folder) ? modelOnWire("openai") : modelOf(PROVIDERS[folder] ?? folder);
			return { path, model, read: async () => toBody(await load(), wireOf(model)) };
		})
		.sort((one, other) => (one.path < other.path ? -1 : 1));
}
