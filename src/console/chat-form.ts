// The playground's form as a chat request. Pure.
import { readNumber } from "./form-values.ts";

/** JSON of a field; what is none is left as it is, so that the API says at which member it is wrong. */
function readJsonField(form: URLSearchParams, name: string): unknown {
	const text = (form.get(name) ?? "").trim();
	if (text === "") return null;
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return text;
	}
}

/** A message's content: text, or text with images and PDF files, which are data URLs. */
function toContent(prompt: string, images: unknown): unknown {
	if (!Array.isArray(images) || images.length === 0) return prompt;
	const shown = images.map((url: unknown) =>
		String(url).startsWith("data:application/pdf")
			? { type: "file", file: { file_data: url } }
			: { type: "image_url", image_url: { url } },
	);
	return prompt.trim() === "" ? shown : [{ type: "text", text: prompt }, ...shown];
}

function lastRole(messages: readonly unknown[]): unknown {
	const last = messages.at(-1);
	return typeof last === "object" && last !== null && "role" in last ? last.role : null;
}

/** The messages: the system's, those so far, and what is asked now. After results of tools nothing else need be asked. */
function toMessages(form: URLSearchParams): unknown {
	const system = form.get("system") ?? "";
	const prompt = form.get("prompt") ?? "";
	const before = readJsonField(form, "conversation") ?? [];
	if (!Array.isArray(before)) return before;
	const isAnswered = lastRole(before) === "tool" && prompt.trim() === "";
	const content = toContent(prompt, readJsonField(form, "images"));
	return [
		...(system.trim() === "" ? [] : [{ role: "system", content: system }]),
		...before,
		...(isAnswered ? [] : [{ role: "user", content }]),
	];
}

/** The chat request that the form stands for. */
export function toChatBody(form: URLSearchParams): Record<string, unknown> {
	const text = (name: string) => (form.get(name) ?? "").trim();
	const maxCost = readNumber(form, "max_cost");
	const maxTokens = readNumber(form, "max_tokens");
	const tools = readJsonField(form, "tools");
	return {
		model: text("model") || "auto",
		...(text("mode") === "" ? {} : { routing_mode: text("mode") }),
		...(maxTokens === null ? {} : { max_tokens: maxTokens }),
		...(maxCost === null ? {} : { brain_config: { max_cost: maxCost } }),
		...(tools === null ? {} : { tools }),
		messages: toMessages(form),
	};
}
