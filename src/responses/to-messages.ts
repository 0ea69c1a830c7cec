// Makes the messages of a model call of Responses items: items of the assistant that follow each other are one turn of it. The
// same conversation gives the same messages as through chat. Pure.
import type { Catalog } from "../catalog/catalog.ts";
import type { Failure } from "../failure.ts";
import type { OpenedReasoning } from "../inference/sealed-reasoning.edge.ts";
import { readCallId } from "../inference/tool-call-ids.ts";
import { optionalMember } from "../json.ts";
import type { AssistantPart, Message } from "../providers/model-call.ts";
import { ItemNotes, toAnswerParts, toInstructionParts, toSentParts, toShownParts } from "./content.ts";
import type { CallItem, CallOutputItem, InputItem, MessageItem, ReasoningItem } from "./items.ts";
import type { ToolTable } from "./tool-table.ts";

/** What items are read with. */
interface ItemContext {
	catalog: Catalog;
	/** What was sealed, by its sealed text. */
	opened: ReadonlyMap<string, OpenedReasoning | null>;
	table: Pick<ToolTable, "calledName">;
	/** The member of the body that an item stands in, such as `input[3]`. */
	pathTo(item: InputItem): string;
}

/** The reasoning that an item shows: all of it, else its summary. */
function visibleReasoning({ content, summary }: ReasoningItem): string {
	const texts = content?.length ? content : (summary ?? []);
	return texts.map(({ text }) => text).join("");
}

/** Reads the items of a conversation, oldest first, into messages. */
export class ItemReader {
	readonly messages: Message[] = [];
	/** For each message, the member of the body that it begins with. */
	readonly places: string[] = [];
	readonly notes = new ItemNotes();
	/** The first failure that is no fault of form. */
	failure: Failure | null = null;
	readonly #context: ItemContext;
	/**
	 * Gemini's signatures of calls that follow, by the call. They travel with the reasoning before it. Each is for one call: ids
	 * that a provider does not give are the same in every turn.
	 */
	readonly #signatures = new Map<string, { signature: string; onlyFor: string; account?: string }>();
	/** The assistant's turn that the last items belong to. */
	#turn: AssistantPart[] | null = null;
	/** Where it begins. */
	#turnPath = "";
	/** The model that made the calls of the assistant's last turn. */
	#turnModel: string | null = null;
	/** Signatures of the text that follows; they belong behind it. */
	#textSignatures: AssistantPart[] = [];
	/** Ids of the calls so far, and whether each was left out. */
	readonly #calls = new Map<string, { isLeftOut: boolean }>();

	constructor(context: ItemContext) {
		this.#context = context;
	}

	/** The model whose tool calls the last messages answer. */
	get toolLoopModel(): string | undefined {
		const last = this.messages.at(-1);
		const isResult = last?.role === "user" && last.content.some(({ type }) => type === "tool_result");
		return isResult ? (this.#turnModel ?? undefined) : undefined;
	}

	readAll(items: readonly InputItem[]): void {
		for (const item of items) this.#read(item, this.#context.pathTo(item));
		this.#endTurn();
	}

	#read(item: InputItem, path: string): void {
		switch (item.type) {
			case undefined:
			case null:
			case "message":
				this.#readMessage(item, path);
				break;
			case "function_call":
			case "custom_tool_call":
				this.#readCall(item, path);
				break;
			case "function_call_output":
			case "custom_tool_call_output":
				this.#readOutput(item, path);
				break;
			case "reasoning":
				this.#readReasoning(item, path);
				break;
			case "additional_tools":
				break;
			case "item_reference":
				this.failure ??= {
					reason: "previous_response_not_found",
					message: `no stored item has the id ${item.id}`,
					param: `${path}.id`,
				};
				break;
			case "compaction":
				this.#failSealed(path, "only the service that compacted this conversation can read it");
				break;
			default:
				this.notes.leaveOut(path, `models here cannot be sent ${item.type}, so it was left out`);
				if (typeof item["call_id"] === "string")
					this.#calls.set(readCallId(item["call_id"], this.#context.catalog).id, { isLeftOut: true });
		}
	}

	#failSealed(path: string, message: string): void {
		this.failure ??= { reason: "invalid_encrypted_content", message, param: `${path}.encrypted_content` };
	}

	#add(message: Message, path: string): void {
		this.messages.push(message);
		this.places.push(path);
	}

	#openTurn(path: string): AssistantPart[] {
		if (this.#turn) return this.#turn;
		this.#turnModel = null;
		this.#turnPath = path;
		this.#turn = [];
		return this.#turn;
	}

	#endText(turn: AssistantPart[]): void {
		turn.push(...this.#textSignatures);
		this.#textSignatures = [];
	}

	#endTurn(): void {
		const turn = this.#turn;
		if (!turn) return;
		this.#endText(turn);
		this.#turn = null;
		// Providers refuse a turn of reasoning alone.
		if (turn.some(({ type }) => type !== "reasoning" && type !== "provider"))
			this.#add({ role: "assistant", content: turn }, this.#turnPath);
		else if (turn.length > 0) this.notes.leaveOut("input", "reasoning without an answer was left out");
	}

	#readMessage({ role, content }: MessageItem, path: string): void {
		const contentPath = `${path}.content`;
		if (role === "assistant") {
			const turn = this.#openTurn(path);
			turn.push(...toAnswerParts(content, contentPath, this.notes));
			this.#endText(turn);
			return;
		}
		this.#endTurn();
		if (content.length === 0 && typeof content !== "string") this.notes.refuse(contentPath, "must not be empty");
		if (role === "user") this.#add({ role, content: toSentParts(content, contentPath, this.notes) }, path);
		else this.#add({ role: "system", content: toInstructionParts(content, contentPath, this.notes) }, path);
	}

	#readCall(item: CallItem, path: string): void {
		const { id, modelId } = readCallId(item.call_id, this.#context.catalog);
		const turn = this.#openTurn(path);
		this.#endText(turn);
		this.#turnModel ??= modelId;
		this.#calls.set(id, { isLeftOut: false });
		turn.push({
			type: "tool_call",
			id,
			name: this.#context.table.calledName(item.name, item.namespace),
			arguments: item.type === "function_call" ? item.arguments : JSON.stringify({ input: item.input }),
			...this.#signatures.get(id),
		});
		this.#signatures.delete(id);
	}

	#readOutput({ type, call_id, output }: CallOutputItem, path: string): void {
		const { id } = readCallId(call_id, this.#context.catalog);
		const call = this.#calls.get(id);
		if (!call) this.notes.refuse(`${path}.call_id`, `no earlier item is the call of this ${type}`);
		else if (call.isLeftOut) this.notes.leaveOut(path, `its call was left out, so this ${type} was, too`);
		else {
			this.#endTurn();
			const content = toShownParts(output, `${path}.output`, this.notes);
			this.#add({ role: "user", content: [{ type: "tool_result", callId: id, content }] }, path);
		}
	}

	#readReasoning(item: ReasoningItem, path: string): void {
		const opened = item.encrypted_content ? this.#context.opened.get(item.encrypted_content) : null;
		if (item.encrypted_content && !opened) {
			this.#failSealed(path, "was not sealed by this service for this user, or was changed");
			return;
		}
		const turn = this.#openTurn(path);
		const reader = opened ? { onlyFor: opened.modelId, ...optionalMember("account", opened.account) } : {};
		const sealed = opened?.parts ?? [];
		const text = visibleReasoning(item);
		if (text !== "" && !sealed.some(({ type }) => type === "reasoning"))
			turn.push({ type: "reasoning", text, ...reader });
		for (const part of sealed) {
			if (part.type === "tool_call" && part.signature !== undefined && opened)
				this.#signatures.set(readCallId(part.id, this.#context.catalog).id, {
					signature: part.signature,
					onlyFor: opened.modelId,
					...optionalMember("account", opened.account),
				});
			else if (part.type === "provider" && part.wire === "google") this.#textSignatures.push({ ...part, ...reader });
			else if (part.type === "provider" || part.type === "reasoning") turn.push({ ...part, ...reader });
		}
	}
}
