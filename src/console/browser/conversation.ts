// The playground: a conversation with one model, or with two beside each other. Without this script the form brings whole answers.
import { toChatBody } from "../chat-form.ts";
import { toRequestCode } from "../request-code.ts";
import { AnswerCard, type AnswerEnd, type ChatMessage } from "./answer-card.ts";
import { AttachedImages } from "./attached-images.ts";
import { make, place } from "./elements.ts";

const SECOND = 1;

function say(text: string): void {
	place("stream-state").textContent = text;
}

/** What the outcomes of a turn come to, in a sentence. */
function describeEnds(ends: readonly AnswerEnd[]): string {
	const failed = ends.find((end) => end.state === "failed");
	if (failed) return `Failed: ${failed.why}`;
	if (ends.some(({ state }) => state === "stopped")) return "Stopped. What was delivered is accounted for.";
	return "Complete.";
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

/** The conversation that a page of the form brought along. */
function readConversation(form: HTMLFormElement): ChatMessage[] {
	const text = new FormData(form).get("conversation");
	try {
		const messages: unknown = JSON.parse(String(text || "[]"));
		return Array.isArray(messages) ? (messages as ChatMessage[]) : [];
	} catch {
		return [];
	}
}

function describeFiles(urls: readonly string[]): string {
	const what = urls.every((url) => url.startsWith("data:image/")) ? "image" : "file";
	return urls.length === 1 ? `with ${what === "image" ? "an" : "a"} ${what}` : `with ${urls.length} ${what}s`;
}

class Conversation {
	#form: HTMLFormElement;
	#images = new AttachedImages(say);
	/** What was said so far, with the first model and with the second; null where the second has not answered on its own. */
	#histories: [ChatMessage[], ChatMessage[] | null];

	constructor(form: HTMLFormElement) {
		this.#form = form;
		this.#histories = [readConversation(form), null];
	}

	get isBusy(): boolean {
		return this.#form.ariaBusy === "true";
	}

	#fields(): URLSearchParams {
		return new URLSearchParams([...new FormData(this.#form)].map(([name, value]) => [name, String(value)]));
	}

	/** Sends what is written. */
	async send(): Promise<void> {
		const prompt = this.#form.querySelector<HTMLTextAreaElement>("#field-prompt");
		const text = prompt?.value ?? "";
		const images = this.#images.urls;
		const fields = this.#fields();
		const asked = this.#asked(fields);
		const last = asked.map(({ nth }) => this.#history(nth).at(-1));
		if (last.some((message) => message?.tool_calls !== undefined)) {
			say("Send the results of the tools first.");
			return;
		}
		// Results of tools that got no answer are sent again.
		const isAgain = last.every((message) => message?.role === "tool");
		if (text.trim() === "" && images.length === 0 && !isAgain) {
			say("Write a prompt first.");
			prompt?.focus();
			return;
		}
		fields.set("images", images.length === 0 ? "" : JSON.stringify(images));
		const said = make("div", "said", make("p", "unseen", "You"), make("bdi", "", text || (isAgain ? "Once more" : "")));
		if (images.length > 0) said.append(make("p", "hint", describeFiles(images)));
		// A model that was left out begins where the first one is.
		if (asked.length === 1) this.#histories[SECOND] = null;
		const isAnswered = await this.#ask(fields, said, asked);
		// What failed is kept to be sent again.
		if (!isAnswered) return;
		if (prompt) prompt.value = "";
		this.#images.clear();
	}

	/** Who is asked: the first model, and the second where one is named. */
	#asked(fields: URLSearchParams): { nth: 0 | 1; model: string }[] {
		const second = (fields.get("compare") ?? "").trim();
		const first = { nth: 0 as const, model: fields.get("model") || "auto" };
		return second === "" ? [first] : [first, { nth: SECOND, model: second }];
	}

	#history(nth: 0 | 1): ChatMessage[] {
		const [first, second] = this.#histories;
		return nth === 0 ? first : (second ?? first);
	}

	/** Asks models at the same time, each with its own conversation. @returns whether any has answered. */
	async #ask(
		fields: URLSearchParams,
		said: HTMLElement,
		asked: readonly { nth: 0 | 1; model: string }[],
	): Promise<boolean> {
		const turns = place("turns");
		turns.querySelector(".turns-empty")?.remove();
		const cards = asked.map(({ nth, model }) => ({ nth, model, card: new AnswerCard(model) }));
		const answers = make("div", asked.length > 1 ? "answers two" : "answers", ...cards.map(({ card }) => card.element));
		turns.append(make("article", "turn", said, answers));
		said.scrollIntoView({ block: "nearest" });
		const aborter = new AbortController();
		const onStop = () => aborter.abort();
		const stop = place("stop");
		showBusy(this.#form, true);
		stop.addEventListener("click", onStop);
		say("Answering …");
		const ends = await Promise.all(cards.map((each) => this.#askOne(each, fields, aborter.signal)));
		stop.removeEventListener("click", onStop);
		showBusy(this.#form, false);
		say(describeEnds(ends));
		answers.scrollIntoView({ block: "nearest" });
		const hidden = this.#form.querySelector<HTMLInputElement>("input[name=conversation]");
		if (hidden) hidden.value = JSON.stringify(this.#histories[0]);
		return ends.some(({ state }) => state !== "failed");
	}

	async #askOne(
		{ nth, model, card }: { nth: 0 | 1; model: string; card: AnswerCard },
		fields: URLSearchParams,
		signal: AbortSignal,
	): Promise<AnswerEnd> {
		const own = new URLSearchParams(fields);
		const before = this.#history(nth);
		own.set("model", model);
		own.set("conversation", JSON.stringify(before));
		own.delete("compare");
		const body = toChatBody(own);
		if (nth === 0) this.#showCode(body);
		const end = await card.ask(this.#form.dataset["stream"] ?? "", own, signal);
		if (end.state === "failed") card.showFailure(end.why);
		// A turn that brought nothing is not part of the conversation.
		const said = end.state === "complete" ? card.message : card.beginning;
		if (said !== null) {
			const messages = (body["messages"] as ChatMessage[]).filter(({ role }) => (role as string) !== "system");
			this.#histories[nth] = [...messages, said];
		}
		if (end.state === "complete") card.askForResults((results) => void this.#answerTools(nth, model, results));
		return end;
	}

	/** Gives a model what its tools answered. */
	async #answerTools(nth: 0 | 1, model: string, results: ChatMessage[]): Promise<void> {
		if (this.isBusy) return;
		this.#histories[nth] = [...this.#history(nth), ...results];
		const fields = this.#fields();
		fields.set("prompt", "");
		fields.set("images", "");
		const said = make("div", "said", make("p", "unseen", "The tools answered"));
		said.append(...results.map(({ content }) => make("bdi", "", String(content))));
		await this.#ask(fields, said, [{ nth, model }]);
	}

	#showCode(body: Record<string, unknown>): void {
		const code = toRequestCode(this.#form.dataset["origin"] ?? "", body);
		for (const [language, text] of Object.entries(code)) place(`code-${language}`).textContent = text;
		place("request-code").hidden = false;
	}
}

const form = document.querySelector<HTMLFormElement>("form[data-stream]");
if (form) {
	const conversation = new Conversation(form);
	form.addEventListener("submit", (event) => {
		// The other button shows the choice on a page of its own.
		if (!conversation.isBusy && event.submitter?.hasAttribute("formaction")) return;
		event.preventDefault();
		if (!conversation.isBusy) void conversation.send();
	});
	form.querySelector("#field-prompt")?.addEventListener("keydown", (event) => {
		const { key, ctrlKey, metaKey } = event as KeyboardEvent;
		if (key !== "Enter" || !(ctrlKey || metaKey)) return;
		event.preventDefault();
		if (!conversation.isBusy) void conversation.send();
	});
}
