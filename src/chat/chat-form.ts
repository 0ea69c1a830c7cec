// How chat words its answers: a chat completion, or OpenAI's chunks. Pure.
import type { EntranceRequest, StreamForm } from "../inference/answer-form.ts";
import type { SettledRequest } from "../inference/infer.edge.ts";
import type { SvcBlock } from "../inference/svc-block.ts";
import { blocksChunk, type ChunkHead, chunkHead, errorEvent, lastChunks, partChunk, roleChunk } from "./chunks.ts";
import { type CompletionWith, toCompletion, toUsageBlock } from "./completion.ts";
import type { ChatRequest } from "./request.ts";

/** Words the `svc` block of an entrance that answers as chat does. */
type SvcWording<Svc extends SvcBlock> = (settled: SettledRequest) => Svc;

function chatStream(includeUsage: boolean, toSvcBlock: SvcWording<SvcBlock>): StreamForm {
	let head: ChunkHead | null = null;
	const begun = () => {
		if (!head) throw new Error("the stream has not begun");
		return head;
	};
	return {
		begin({ requestId, startedAtMs, modelId }) {
			const created = Math.floor(startedAtMs / 1000);
			head = chunkHead({ id: requestId, created, model: modelId }, includeUsage);
			return roleChunk(head);
		},
		part: (part) => partChunk(begun(), part) ?? "",
		end(settled) {
			const { answer, billed } = settled;
			const finish = { reason: answer.finishReason, native: answer.nativeFinishReason };
			const last = lastChunks(begun(), finish, toUsageBlock(answer, billed), toSvcBlock(settled));
			return (blocksChunk(begun(), answer) ?? "") + last;
		},
		fail: (error, settled) => errorEvent(error, settled && toSvcBlock(settled)),
	};
}

/** A request of an entrance that answers as chat does. */
export function chatEntrance<Svc extends SvcBlock>(
	{
		toSvcBlock,
		...entrance
	}: Pick<EntranceRequest<never>, "request" | "purpose" | "withClientFields"> & { toSvcBlock: SvcWording<Svc> },
	{ stream_options }: Pick<ChatRequest, "stream_options">,
): EntranceRequest<CompletionWith<Svc>> {
	return {
		...entrance,
		toAnswer: (settled) => toCompletion(settled, toSvcBlock(settled)),
		toStream: () => chatStream(stream_options?.include_usage === true, toSvcBlock),
	};
}
