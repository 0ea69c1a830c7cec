// The chat requests that the benchmark sends.
import type { ChatLoad } from "./load.ts";

const REQUEST = {
	model: "auto",
	messages: [
		{ role: "system", content: "You are a concise assistant." },
		{ role: "user", content: "What makes the tide rise, in one sentence?" },
	],
	max_tokens: 256,
};

export const WHOLE: ChatLoad = { body: Buffer.from(JSON.stringify(REQUEST)), streamed: false };

export const STREAMED: ChatLoad = {
	body: Buffer.from(JSON.stringify({ ...REQUEST, stream: true, stream_options: { include_usage: true } })),
	streamed: true,
};
