// The items of a Response's output: their schemas and types. output-items.ts makes them. Pure.
import * as z from "zod";

/** `in_progress` stands in events only. */
const outputStatusSchema = z.enum(["in_progress", "completed", "incomplete"]);

const logprobFields = { token: z.string(), bytes: z.array(z.int()), logprob: z.number() };
const outputLogprobSchema = z.lazy(() =>
	z.object({ ...logprobFields, top_logprobs: z.array(z.object(logprobFields)) }),
);
export type OutputLogprob = z.output<typeof outputLogprobSchema>;

const outputTextSchema = z.lazy(() =>
	z.object({
		type: z.literal("output_text"),
		text: z.string(),
		annotations: z.array(z.unknown()),
		logprobs: z.array(outputLogprobSchema),
	}),
);
const outputRefusalSchema = z.lazy(() => z.object({ type: z.literal("refusal"), refusal: z.string() }));
export type OutputContent = z.output<typeof outputTextSchema> | z.output<typeof outputRefusalSchema>;

const outputMessageSchema = z.lazy(() =>
	z.object({
		type: z.literal("message"),
		id: z.string(),
		status: outputStatusSchema,
		role: z.literal("assistant"),
		content: z.array(z.discriminatedUnion("type", [outputTextSchema, outputRefusalSchema])),
	}),
);
export type OutputMessage = z.output<typeof outputMessageSchema>;

const answeredReasoningSchema = z.lazy(() =>
	z.object({
		type: z.literal("reasoning"),
		id: z.string(),
		summary: z.array(z.object({ type: z.literal("summary_text"), text: z.string() })),
		content: z.array(z.object({ type: z.literal("reasoning_text"), text: z.string() })).optional(),
		encrypted_content: z.string().nullable().optional(),
	}),
);
export type AnsweredReasoning = z.output<typeof answeredReasoningSchema>;

const answeredCallFields = {
	id: z.string(),
	call_id: z.string(),
	name: z.string(),
	namespace: z.string().optional(),
	status: outputStatusSchema,
};
const answeredFunctionCallSchema = z.lazy(() =>
	z.object({ type: z.literal("function_call"), ...answeredCallFields, arguments: z.string() }),
);
const answeredCustomCallSchema = z.lazy(() =>
	z.object({ type: z.literal("custom_tool_call"), ...answeredCallFields, input: z.string() }),
);
export type AnsweredFunctionCall = z.output<typeof answeredFunctionCallSchema>;
export type AnsweredCustomCall = z.output<typeof answeredCustomCallSchema>;

/** One item of `output`. */
export const answeredItemSchema = z.lazy(() =>
	z.discriminatedUnion("type", [
		outputMessageSchema,
		answeredReasoningSchema,
		answeredFunctionCallSchema,
		answeredCustomCallSchema,
	]),
);
export type AnsweredItem = z.output<typeof answeredItemSchema>;
