// The turns and calls of a run's tool steps as its object stores them: bodies as JSON, texts sealed for the run's user. Texts are opened
// once, when the object has woken. What is stored is sealed first, so that the transaction which stores it is synchronous.
import { hasTable } from "../../durable/table-rows.edge.ts";
import { SEAL_BYTES } from "../../durable/text-seal.edge.ts";
import { userSeal } from "../../meter/user-seal.edge.ts";
import { fromBase64, toBase64 } from "../../proof/signing.ts";
import type { AssistantPart } from "../../providers/model-call.ts";
import type { PromptMessage } from "../prompt.ts";
import type { RunSpec } from "../run/run.ts";
import { type CallWords, findWords, lacksWords, withoutWords, withWords } from "./call-words.ts";
import { type SteeringText, toStepTexts } from "./exchange.ts";
import type { StoredExchange } from "./step-view.ts";
import type { ToolCall, ToolCallTexts } from "./tool-call.ts";
import { TOOL_TABLES } from "./tool-tables.ts";

/** The prompt that a tool step begins with, before masking. */
export interface StepOpening {
	messages: PromptMessage[];
}

/** A model's turn, before masking. */
export interface StoredTurn {
	/** What the run's owner said before it. */
	steering: SteeringText[];
	/** What the service said before it; null where it said nothing. */
	note: string | null;
	/** Catalog id of the model. */
	model: string;
	/** In the model's order. A call's id is its `modelId`. */
	parts: AssistantPart[];
}

/** After its run's end, the calls of a step keep texts of so many bytes together. */
const MAX_KEPT_CALL_BYTES = 1_048_576;

/** The part of a call that its words are sealed as. */
const WORDS = "words";
/** The opening of a step stands before its turns. */
const OPENING_TURN = -1;
/** Messages that steer the run stand before its steps, by their numbers. */
const MESSAGE_STEP = -1;

/** Changes of turns and calls. Texts are given where they have changed. */
export interface CallChanges {
	opening?: StepOpening;
	/** The newest turn of the step. */
	turn?: StoredTurn & { turn: number };
	/** A message that steers the run, by its number from 0. */
	message?: { n: number; text: string };
	/** New and changed calls. A new one comes with its texts. */
	calls?: readonly { call: ToolCall; texts?: ToolCallTexts }[];
}

interface SealedCall {
	call: ToolCall;
	n: number;
	/** Base64 of its sealed words; null where it has none. */
	words: string | null;
	texts: ToolCallTexts | undefined;
	sealed: { arguments: ArrayBuffer; result: ArrayBuffer | null; whole: ArrayBuffer | null } | null;
}

/** Changes that are sealed, and ready to be stored. */
export interface SealedChanges {
	rows: { step: number; turn: number; sealed: ArrayBuffer }[];
	calls: SealedCall[];
	step: number;
	changes: CallChanges;
}

interface CallRow extends Record<string, SqlStorageValue> {
	n: number;
	body: string;
}

interface SealedCallRow extends Record<string, SqlStorageValue> {
	n: number;
	arguments: ArrayBuffer;
	result: ArrayBuffer | null;
	whole: ArrayBuffer | null;
}

/** The texts of a run's tool steps, opened. */
interface OpenTexts {
	openings: Map<number, StepOpening>;
	/** By step. */
	turns: Map<number, StoredTurn[]>;
	/** By their numbers. */
	messages: Map<number, string>;
	/** By the call's id. */
	calls: Map<string, ToolCallTexts>;
}

/** A call as it is stored: its words are sealed apart. */
interface StoredCall {
	call: ToolCall;
	words: string | null;
}

/** A call as it was stored, perhaps before calls had values without a source, or with its words in it. */
function readCall(body: string): StoredCall {
	const { words = null, ...call } = JSON.parse(body) as ToolCall & { words?: string };
	return { call: { ...call, unsourced: call.unsourced ?? [] }, words };
}

export class StoredCalls {
	#sql: SqlStorage;
	#runId: string;
	/** In the order they were made. */
	#calls: ToolCall[];
	#hasTables: boolean;
	#texts: OpenTexts | null = null;
	/** Sealed words of calls that lack them, by the call's id: base64. */
	#sealedWords: Map<string, string>;

	private constructor(sql: SqlStorage, { runId, tools }: Pick<RunSpec, "runId" | "tools">, stored: StoredCall[]) {
		this.#sql = sql;
		this.#runId = runId;
		this.#hasTables = tools !== undefined;
		this.#calls = stored.map(({ call }) => call);
		this.#sealedWords = new Map(stored.flatMap(({ call, words }) => (words === null ? [] : [[call.id, words]])));
	}

	/** The stored calls of a run. One without tools has no tables for them; a restored one lacks those that had no rows. */
	static load(sql: SqlStorage, spec: Pick<RunSpec, "runId" | "tools">): StoredCalls {
		if (!spec.tools) return new StoredCalls(sql, spec, []);
		StoredCalls.create(sql);
		const rows = sql.exec<CallRow>("SELECT n, body FROM tool_calls ORDER BY n").toArray();
		return new StoredCalls(
			sql,
			spec,
			rows.map(({ body }) => readCall(body)),
		);
	}

	/** Makes the tables of a run with tools, where they are not there. */
	static create(sql: SqlStorage): void {
		for (const [name, statement] of Object.entries(TOOL_TABLES)) if (!hasTable(sql, name)) sql.exec(statement);
	}

	/** Deletes all turns and calls. To be called in a transaction. */
	deleteAll(): void {
		this.#texts = null;
		this.#calls = [];
		if (this.#hasTables) for (const table of ["turns", "tool_calls"]) this.#sql.exec(`DELETE FROM ${table}`);
	}

	/** Forgets opened texts, and what the end of its run has made needless: whole results, and texts of calls beyond the bound of a step. */
	keepForReading(): void {
		this.#texts = null;
		if (!this.#hasTables) return;
		this.#sql.exec("UPDATE tool_calls SET whole = NULL WHERE whole IS NOT NULL");
		for (const { n, isKept } of this.#listKept())
			if (!isKept) this.#sql.exec("UPDATE tool_calls SET arguments = x'', result = NULL WHERE n = ?", n);
	}

	/** What is kept for readers after the run's end, in bytes of text. */
	get keptBytes(): number {
		if (!this.#hasTables) return 0;
		const { bytes } = this.#sql
			.exec<{ bytes: number }>("SELECT coalesce(sum(length(sealed) - ?), 0) AS bytes FROM turns", SEAL_BYTES)
			.one();
		return this.#listKept().reduce((sum, call) => sum + (call.isKept ? call.bytes : 0), bytes);
	}

	/** Which calls keep their texts: of each step those that come first, up to so many bytes together. */
	#listKept(): { n: number; bytes: number; isKept: boolean }[] {
		const rows = this.#sql
			.exec<{ n: number; arguments: number; result: number | null }>(
				"SELECT n, length(arguments) AS arguments, length(result) AS result FROM tool_calls ORDER BY n",
			)
			.toArray();
		const byStep = new Map<number, number>();
		return rows.map(({ n, arguments: args, result }) => {
			const step = this.#calls[n]?.step ?? 0;
			const bytes = Math.max(0, args - SEAL_BYTES) + Math.max(0, (result ?? 0) - SEAL_BYTES);
			const sum = (byStep.get(step) ?? 0) + bytes;
			byStep.set(step, sum);
			return { n, bytes, isKept: sum <= MAX_KEPT_CALL_BYTES };
		});
	}

	/** Every call of the run, in the order they were made. */
	get calls(): readonly ToolCall[] {
		return this.#calls;
	}

	find(id: string): ToolCall | undefined {
		return this.#calls.find((call) => call.id === id);
	}

	/** All calls as they are once some have changed. */
	after(changed: readonly ToolCall[]): ToolCall[] {
		return this.#calls.map((call) => changed.find(({ id }) => id === call.id) ?? call);
	}

	/** The calls of one turn. */
	ofTurn(step: number, turn: number): ToolCall[] {
		return this.#calls.filter((call) => call.step === step && call.turn === turn);
	}

	/** Opens the words of all calls, which then have them. */
	async #openWords(env: Env, userId: string): Promise<void> {
		if (this.#sealedWords.size === 0) return;
		const seal = await userSeal(env, userId);
		for (const [id, sealed] of [...this.#sealedWords]) {
			const text = await seal.open(`${this.#runId}/call/${id}/${WORDS}`, fromBase64(sealed) ?? new Uint8Array());
			const words = JSON.parse(text) as CallWords;
			this.#calls = this.#calls.map((call) => (call.id === id && lacksWords(call) ? withWords(call, words) : call));
			this.#sealedWords.delete(id);
		}
	}

	/** Opens all texts, once. @throws StorageUnavailableError when the user's key is out of reach. */
	async openTexts(env: Env, userId: string): Promise<void> {
		if (!this.#hasTables) return;
		await this.#openWords(env, userId);
		if (this.#texts) return;
		const texts = await this.#openRows(env, userId, null);
		// Another action may have opened and changed them meanwhile.
		this.#texts ??= texts;
	}

	/** What is stored of one step, opened for a reader; null when it has not begun, or is not kept. */
	async readStep(env: Env, userId: string, step: number): Promise<StoredExchange | null> {
		if (!this.#hasTables) return null;
		await this.#openWords(env, userId);
		const { made, openings, turns, calls: callTexts } = await this.#openRows(env, userId, step);
		const opening = openings.get(step);
		if (!opening) return null;
		const texts = toStepTexts(opening.messages, turns.get(step) ?? []);
		return { texts, calls: made.filter((call) => call.step === step), callTexts };
	}

	/** Opens texts as they are at one moment, with the calls of that moment. @param only the step whose texts are opened; null for all. */
	async #openRows(env: Env, userId: string, only: number | null): Promise<OpenTexts & { made: readonly ToolCall[] }> {
		const seal = await userSeal(env, userId);
		const open = (name: string, sealed: ArrayBuffer) => seal.open(`${this.#runId}/${name}`, new Uint8Array(sealed));
		const texts: OpenTexts = { openings: new Map(), turns: new Map(), messages: new Map(), calls: new Map() };
		const turnRows = this.#sql
			.exec<{ step: number; turn: number; sealed: ArrayBuffer }>(
				"SELECT step, turn, sealed FROM turns WHERE ?1 IS NULL OR step = ?1 ORDER BY step, turn",
				only,
			)
			.toArray();
		const made = [...this.#calls];
		const [first, last] = this.#placesOf(only);
		const callRows = this.#sql
			.exec<SealedCallRow>(
				"SELECT n, arguments, result, whole FROM tool_calls WHERE n BETWEEN ? AND ? ORDER BY n",
				first,
				last,
			)
			.toArray();
		for (const { step, turn, sealed } of turnRows) {
			const text = await open(`turn/${step}/${turn}`, sealed);
			if (step === MESSAGE_STEP) texts.messages.set(turn, text);
			else if (turn === OPENING_TURN) texts.openings.set(step, JSON.parse(text) as StepOpening);
			else texts.turns.set(step, [...(texts.turns.get(step) ?? []), JSON.parse(text) as StoredTurn]);
		}
		for (const { n, arguments: args, result, whole } of callRows) {
			const id = made[n]?.id ?? "";
			texts.calls.set(id, {
				arguments: args.byteLength === 0 ? "" : await open(`call/${id}/arguments`, args),
				result: result && (await open(`call/${id}/result`, result)),
				whole: whole && (await open(`call/${id}/whole`, whole)),
			});
		}
		return { ...texts, made };
	}

	/** The places of a step's first and last call among all; of all steps when `only` is null. */
	#placesOf(only: number | null): [first: number, last: number] {
		if (only === null) return [0, this.#calls.length];
		const isOfStep = ({ step }: ToolCall) => step === only;
		return [this.#calls.findIndex(isOfStep), this.#calls.findLastIndex(isOfStep)];
	}

	get #opened(): OpenTexts {
		if (!this.#texts) throw new Error("the texts of calls are opened before an action");
		return this.#texts;
	}

	/** The texts of a call. They must be open. */
	texts(id: string): ToolCallTexts {
		const texts = this.#opened.calls.get(id);
		if (!texts) throw new Error(`there is no call ${id}`);
		return texts;
	}

	/** What a step began with; null before it is stored. */
	opening(step: number): StepOpening | null {
		return this.#opened.openings.get(step) ?? null;
	}

	/** A message that steers the run. @param n its number, from 0. */
	message(n: number): string {
		return this.#opened.messages.get(n) ?? "";
	}

	/** The turns of a step so far. */
	turns(step: number): readonly StoredTurn[] {
		return this.#opened.turns.get(step) ?? [];
	}

	async #sealCall(
		sealText: (name: string, text: string) => Promise<ArrayBuffer>,
		n: number,
		call: ToolCall,
		texts: ToolCallTexts | undefined,
	): Promise<SealedCall> {
		const name = (part: string) => `call/${call.id}/${part}`;
		const sealOrNull = async (part: string, text: string | null) =>
			text === null ? null : await sealText(name(part), text);
		const words = findWords(call);
		const sealedWords = await sealOrNull(WORDS, words && JSON.stringify(words));
		const sealed = texts
			? {
					arguments: await sealText(name("arguments"), texts.arguments),
					result: await sealOrNull("result", texts.result),
					whole: await sealOrNull("whole", texts.whole),
				}
			: null;
		return { call, n, words: sealedWords && toBase64(new Uint8Array(sealedWords)), texts, sealed };
	}

	/** Seals changes of a step. What they were made from may have changed meanwhile: the caller checks before it stores them. */
	async seal(env: Env, userId: string, step: number, changes: CallChanges): Promise<SealedChanges> {
		await this.#openWords(env, userId);
		const seal = await userSeal(env, userId);
		const sealText = async (name: string, text: string) => (await seal.seal(`${this.#runId}/${name}`, text)).buffer;
		const rows: SealedChanges["rows"] = [];
		const { opening, turn, message, calls = [] } = changes;
		if (message)
			rows.push({
				step: MESSAGE_STEP,
				turn: message.n,
				sealed: await sealText(`turn/${MESSAGE_STEP}/${message.n}`, message.text),
			});
		if (opening)
			rows.push({
				step,
				turn: OPENING_TURN,
				sealed: await sealText(`turn/${step}/${OPENING_TURN}`, JSON.stringify(opening)),
			});
		if (turn) {
			const { turn: at, ...stored } = turn;
			rows.push({ step, turn: at, sealed: await sealText(`turn/${step}/${at}`, JSON.stringify(stored)) });
		}
		let next = this.#calls.length;
		const sealedCalls: SealedCall[] = [];
		for (const { call: given, texts } of calls) {
			const known = this.#calls.findIndex(({ id }) => id === given.id);
			const n = known < 0 ? next++ : known;
			// One that was changed before its words were opened lacks them.
			const former = lacksWords(given) ? findWords(this.#calls[n] ?? given) : null;
			sealedCalls.push(await this.#sealCall(sealText, n, former ? withWords(given, former) : given, texts));
		}
		return { rows, calls: sealedCalls, step, changes };
	}

	/** Stores sealed changes. To be called in a transaction, and followed by {@link apply} after it. */
	store({ rows, calls }: SealedChanges): void {
		for (const { step, turn, sealed } of rows)
			this.#sql.exec("INSERT OR REPLACE INTO turns (step, turn, sealed) VALUES (?, ?, ?)", step, turn, sealed);
		for (const { call, n, words, sealed } of calls) {
			const body = JSON.stringify({ ...withoutWords(call), ...(words === null ? {} : { words }) });
			if (sealed)
				this.#sql.exec(
					"INSERT OR REPLACE INTO tool_calls (n, id, body, arguments, result, whole) VALUES (?, ?, ?, ?, ?, ?)",
					n,
					call.id,
					body,
					sealed.arguments,
					sealed.result,
					sealed.whole,
				);
			else this.#sql.exec("UPDATE tool_calls SET body = ? WHERE n = ?", body, n);
		}
	}

	/** Takes stored changes into memory. */
	apply({ calls, step, changes: { opening, turn, message } }: SealedChanges): void {
		for (const { call, n, texts } of calls) {
			this.#calls[n] = call;
			if (texts) this.#texts?.calls.set(call.id, texts);
		}
		if (message) this.#texts?.messages.set(message.n, message.text);
		if (opening) this.#texts?.openings.set(step, opening);
		if (turn) {
			const { turn: at, ...stored } = turn;
			const turns = [...(this.#texts?.turns.get(step) ?? [])];
			turns[at] = stored;
			this.#texts?.turns.set(step, turns);
		}
	}
}
