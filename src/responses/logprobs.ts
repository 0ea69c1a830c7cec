// Log probabilities of tokens as Responses clients read them. Pure.
import * as z from "zod";
import { utf8Bytes } from "../providers/wire.ts";
import type { OutputLogprob } from "./output-schema.ts";

const tokenSchema = z.lazy(() =>
	z.looseObject({ token: z.string(), logprob: z.number(), bytes: z.array(z.int()).nullish() }),
);
const chatLogprobSchema = z.lazy(() =>
	z.looseObject({ ...tokenSchema.unwrap().shape, top_logprobs: z.array(tokenSchema).nullish() }),
);

/** A token of a part of a character has no bytes of its own, and its text stands for it. */
function toToken({ token, logprob, bytes }: z.output<typeof tokenSchema>): Omit<OutputLogprob, "top_logprobs"> {
	return { token, bytes: bytes ?? [...utf8Bytes(token)], logprob };
}

/** Entries of chat's `logprobs.content`. What is of another form is left out. */
export function toOutputLogprobs(content: readonly unknown[]): OutputLogprob[] {
	return content.flatMap((entry) => {
		const parsed = chatLogprobSchema.safeParse(entry);
		if (!parsed.success) return [];
		return [{ ...toToken(parsed.data), top_logprobs: (parsed.data.top_logprobs ?? []).map(toToken) }];
	});
}
