// An upstream in OpenAI's format that caches prompts as providers do: the longest beginning that it has read of an earlier prompt, if
// that is long enough.

/** Providers cache no shorter beginning. */
const MIN_CACHED_TOKENS = 1_024;
const CHARS_PER_TOKEN = 4;

interface CachedRequest {
	model: string;
	prompt: string;
	/** Characters that it shares with the prompt of the request before it, of whatever model. */
	sharedChars: number;
	cachedTokens: number;
}

function countShared(a: string, b: string): number {
	const length = Math.min(a.length, b.length);
	let at = 0;
	while (at < length && a[at] === b[at]) at++;
	return at;
}

/** Answers every request by `say`, and keeps what each prompt shares with those before it. */
export class PrefixCache {
	readonly requests: CachedRequest[] = [];
	readonly #say: (prompt: string) => string;

	constructor(say: (prompt: string) => string) {
		this.#say = say;
	}

	async answer(request: Request): Promise<Response> {
		const { model, messages, stream } = (await request.json()) as {
			model: string;
			messages: { role: string; content: string }[];
			stream?: boolean;
		};
		const prompt = messages.map(({ role, content }) => `${role}: ${content}`).join("\n");
		const ofModel = this.requests.filter((earlier) => earlier.model === model);
		const longest = Math.max(0, ...ofModel.map((earlier) => countShared(earlier.prompt, prompt)));
		const tokens = Math.floor(longest / CHARS_PER_TOKEN);
		const cachedTokens = tokens >= MIN_CACHED_TOKENS ? tokens : 0;
		const sharedChars = countShared(this.requests.at(-1)?.prompt ?? "", prompt);
		this.requests.push({ model, prompt, sharedChars, cachedTokens });
		const content = this.#say(prompt);
		const usage = {
			prompt_tokens: Math.ceil(prompt.length / CHARS_PER_TOKEN),
			completion_tokens: Math.ceil(content.length / CHARS_PER_TOKEN),
			prompt_tokens_details: { cached_tokens: cachedTokens },
		};
		const choice = { index: 0, finish_reason: "stop" };
		if (!stream)
			return Response.json({ model, choices: [{ ...choice, message: { role: "assistant", content } }], usage });
		const chunk = { model, choices: [{ ...choice, delta: { role: "assistant", content } }], usage };
		return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, {
			headers: { "content-type": "text/event-stream" },
		});
	}
}
