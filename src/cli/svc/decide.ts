// Asks the person at the terminal about what a run waits for: the action in full, then approve, edit, reject or leave it.
import type { ApprovalDecision, RunPending } from "../../client/tool-calls.ts";
import { renderPlainJson, revealHidden } from "../../text/hidden-characters.ts";
import { describeLookAlike, findLookAlikesIn } from "../../text/look-alikes.ts";
import { LocalError } from "./failures.ts";
import type { CommandSession } from "./session.ts";

/** Lines that a run wrote begin so: none of them can pass for a line of this program. */
const MARGIN = "│ ";

function withMargin(text: string): string[] {
	return text.split("\n").map((line) => `${MARGIN}${line}`);
}

/** A text of others on one line. */
function oneLine(text: string): string {
	return revealHidden(text.replaceAll(/\s+/g, " "));
}

function describeTaint({ tainted_by }: RunPending): string[] {
	return tainted_by.map(({ tool, call_id, values }) => {
		const named = values.map(({ kind, value }) => `${oneLine(kind)} ${JSON.stringify(oneLine(value))}`);
		const only = named.length === 0 ? "" : `; only there stands: ${named.join(", ")}`;
		return `written after reading what others wrote: ${oneLine(tool)} (${call_id})${only}`;
	});
}

/** Words in which letters pass for others: no font shows them. */
function describeLookAlikes({ tool, arguments: given }: RunPending): string[] {
	return findLookAlikesIn([tool, given]).map(
		(found) => `letters that look like others in ${JSON.stringify(oneLine(found.word))}: ${describeLookAlike(found)}`,
	);
}

function describeUnsourced({ unsourced }: RunPending): string[] {
	if (unsourced.length === 0) return [];
	const named = unsourced.map(({ kind, value, tool }) => {
		const behind = tool === null ? "" : `, perhaps from what ${oneLine(tool)} returned`;
		return `${oneLine(kind)} ${JSON.stringify(oneLine(value))}${behind}`;
	});
	return [`in no text that the run was given, so put together by the model: ${named.join("; ")}`];
}

/** What is to be decided, whole: nothing of it is cut or hidden. */
export function describePending(pending: RunPending): string[] {
	const { id, kind, tool, policy, expires_at, action_digest } = pending;
	return [
		`${kind}${tool === null ? "" : ` of ${oneLine(tool)}`}  ${id}  until ${expires_at}`,
		...(policy ? [`${policy.decision}, risk ${policy.risk_score} of 100: ${oneLine(policy.reason)}`] : []),
		...describeTaint(pending),
		...describeLookAlikes(pending),
		...describeUnsourced(pending),
		...withMargin(renderPlainJson(pending.arguments)),
		...(action_digest === null ? [] : [`action ${action_digest}`]),
	];
}

/** Asks one question at a time, also when several calls wait at once. */
export class Questions {
	readonly #session: CommandSession;
	#last: Promise<unknown> = Promise.resolve();

	constructor(session: CommandSession) {
		this.#session = session;
	}

	#inTurn<Value>(ask: () => Promise<Value>): Promise<Value> {
		const next = this.#last.then(ask);
		this.#last = next.catch(() => undefined);
		return next;
	}

	#show(lines: readonly string[]): void {
		for (const line of lines) this.#session.note(line);
	}

	async #ask(question: string, signal: AbortSignal): Promise<string | null> {
		if (signal.aborted) return null;
		return this.#session.terminal.askLine(question, signal);
	}

	/** Arguments as the person's editor leaves them; null when they are to stay. */
	async #edit({ kind, arguments: given }: RunPending, signal: AbortSignal): Promise<Record<string, unknown> | null> {
		// Of a plan, its subtasks alone can be changed.
		let text = `${renderPlainJson(kind === "plan" ? { plan: given?.["plan"] } : given)}\n`;
		for (;;) {
			try {
				text = this.#session.terminal.editText(text, "json");
			} catch (error) {
				if (!(error instanceof LocalError)) throw error;
				this.#session.note(`${error.message}; VISUAL or EDITOR names the editor`, "yellow");
				return null;
			}
			try {
				const edited: unknown = JSON.parse(text);
				if (typeof edited === "object" && edited !== null && !Array.isArray(edited)) return { ...edited };
				this.#session.note("the arguments are one JSON object", "yellow");
			} catch (error) {
				this.#session.note(`this is no JSON: ${Object(error).message}`, "yellow");
			}
			if ((await this.#ask("edit again? [y]es, anything else leaves the arguments as they were: ", signal)) !== "y")
				return null;
		}
	}

	async #decide(pending: RunPending, refusal: string | null, signal: AbortSignal): Promise<ApprovalDecision> {
		this.#session.note("");
		if (refusal !== null) this.#session.note(`not taken: ${refusal}`, "yellow");
		this.#show(describePending(pending));
		for (;;) {
			const answer = await this.#ask("[a]pprove, [e]dit, [r]eject, or leave it to others [l]: ", signal);
			switch (answer?.trim().toLowerCase()) {
				case "a":
				case "approve":
					return true;
				case "e":
				case "edit": {
					const edited = await this.#edit(pending, signal);
					if (edited === null) continue;
					this.#show(withMargin(renderPlainJson(edited)));
					if ((await this.#ask("approve exactly this? [y]es, anything else goes back: ", signal)) === "y")
						return { decision: "edit", arguments: edited };
					continue;
				}
				case "r":
				case "reject": {
					const reason = await this.#ask("why (the model reads it; may be empty): ", signal);
					if (reason === null) return null;
					return { decision: "reject", ...(reason.trim() === "" ? {} : { reason: reason.trim() }) };
				}
				case undefined:
				case "l":
				case "leave":
					return null;
				default:
					this.#session.note("this is none of a, e, r and l; nothing was decided", "yellow");
			}
		}
	}

	/** Has a person decide. Null leaves it to others, also at the end of the input. */
	decide(pending: RunPending, refusal: string | null, signal: AbortSignal): Promise<ApprovalDecision> {
		return this.#inTurn(() => this.#decide(pending, refusal, signal));
	}

	/** Has a person answer a question of the model. Null without an answer. */
	answer(question: string, choices: readonly string[], signal: AbortSignal): Promise<string | null> {
		return this.#inTurn(async () => {
			this.#session.note("");
			this.#show(withMargin(revealHidden(question)));
			for (const [at, choice] of choices.entries()) this.#session.note(`${at + 1}. ${oneLine(choice)}`);
			const typed = (await this.#ask("your answer: ", signal))?.trim();
			if (!typed) return null;
			return choices[Number(typed) - 1] ?? typed;
		});
	}
}
