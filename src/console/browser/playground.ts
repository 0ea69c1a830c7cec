// Streams an answer into the playground. Without this script the form brings the whole answer.
import { readData } from "./events.ts";

interface Chunk {
	id?: string;
	model?: string;
	choices?: { delta?: { content?: string | null }; finish_reason?: string | null }[];
	svc?: { routing?: { reason?: string; provider?: string }; cost?: { total_usd?: number } };
	error?: { message?: string } | string;
	message?: string;
}

function place(id: string): HTMLElement {
	const element = document.getElementById(id);
	if (!element) throw new Error(`the page has no ${id}`);
	return element;
}

function say(text: string): void {
	place("stream-state").textContent = text;
}

function addFact(term: string, description: string): void {
	const entry = document.createElement("div");
	for (const [tag, text] of [
		["dt", term],
		["dd", description],
	] as const) {
		const part = document.createElement(tag);
		part.textContent = text;
		entry.append(part);
	}
	place("stream-facts").append(entry);
}

function errorMessage({ error, message }: Chunk): string {
	return typeof error === "object" ? (error.message ?? "it failed") : (message ?? error ?? "it failed");
}

/** Shows a chunk. @returns false for one that says that the answer failed. */
function showChunk(chunk: Chunk): boolean {
	const text = chunk.choices?.[0]?.delta?.content;
	if (text) place("stream-text").append(text);
	if (chunk.svc) {
		if (chunk.model) addFact("Model", `${chunk.model} of ${chunk.svc.routing?.provider ?? ""}`);
		if (chunk.svc.routing?.reason) addFact("Why", chunk.svc.routing.reason);
		const usd = chunk.svc.cost?.total_usd;
		if (usd !== undefined) addFact("Cost", `$${usd.toFixed(9).replace(/0{1,7}$/, "")}`);
	}
	if (chunk.id) {
		const link = place("stream-link");
		link.setAttribute("href", `/console/requests/${encodeURIComponent(chunk.id)}`);
		link.hidden = false;
	}
	if (chunk.error === undefined) return true;
	say(`Failed: ${errorMessage(chunk)}`);
	return false;
}

async function showAnswer(response: Response): Promise<void> {
	if (!response.ok || !response.body) {
		say(`Failed: ${errorMessage((await response.json().catch(() => ({}))) as Chunk)}`);
		return;
	}
	for await (const piece of readData(response.body)) {
		if (piece === "[DONE]") {
			say("Complete.");
			return;
		}
		if (!showChunk(JSON.parse(piece) as Chunk)) return;
	}
	say("The stream ended early. What was delivered is accounted for.");
}

/** Offers to stop the answer instead of asking for another. Buttons keep the focus: who sends by keyboard stays where he is. */
function showBusy(form: HTMLFormElement, isBusy: boolean): void {
	form.ariaBusy = String(isBusy);
	const stop = place("stop");
	const [send, ...others] = form.querySelectorAll<HTMLButtonElement>("button[type=submit]");
	for (const button of [send, ...others]) if (button) button.ariaDisabled = isBusy ? "true" : null;
	if (document.activeElement === stop) send?.focus();
	stop.hidden = !isBusy;
}

async function send(form: HTMLFormElement, url: string): Promise<void> {
	const stop = place("stop");
	const aborter = new AbortController();
	const onStop = () => aborter.abort();
	place("streamed").hidden = false;
	place("stream-text").textContent = "";
	place("stream-facts").textContent = "";
	place("stream-link").hidden = true;
	showBusy(form, true);
	stop.addEventListener("click", onStop);
	say("Answering …");
	place("streamed").scrollIntoView({ block: "nearest" });
	try {
		const fields = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
		await showAnswer(await fetch(url, { method: "POST", body: fields, signal: aborter.signal }));
	} catch (error) {
		say(aborter.signal.aborted ? "Stopped. What was delivered is accounted for." : `Failed: ${String(error)}`);
	} finally {
		stop.removeEventListener("click", onStop);
		showBusy(form, false);
	}
}

/** Makes the playground's form stream, if the page has it. */
export function streamPlayground(): void {
	const form = document.querySelector<HTMLFormElement>("form[data-stream]");
	form?.addEventListener("submit", (event) => {
		const isBusy = form.ariaBusy === "true";
		// The other button shows the choice on a page of its own.
		if (!isBusy && event.submitter?.hasAttribute("formaction")) return;
		event.preventDefault();
		if (!isBusy) void send(form, form.dataset["stream"] ?? "");
	});
}
