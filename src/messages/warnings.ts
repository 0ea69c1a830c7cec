// The warnings of this entrance: each says one thing once, and there is a bounded number of them. Pure.
import type { Warning } from "../providers/model-call.ts";

/** More than any client causes. */
const MAX_MESSAGES_WARNINGS = 50;
const MAX_PARAM_CHARS = 100;

/** Collects what the entrance has to say of a body. */
export class EntranceWarnings {
	#byMessage = new Map<string, Warning>();
	#others = 0;

	/**
	 * Adds a warning. What has been said already is not repeated for another place.
	 * @param param path of the client's own field, such as `tools[3]`.
	 */
	add(code: Warning["code"], param: string, message: string): void {
		if (this.#byMessage.has(message)) return;
		if (this.#byMessage.size === MAX_MESSAGES_WARNINGS) this.#others++;
		else this.#byMessage.set(message, { code, param: param.slice(0, MAX_PARAM_CHARS), message });
	}

	/** All of them, in the order of the body; the last one counts those that are too many. */
	toList(): Warning[] {
		const list = [...this.#byMessage.values()];
		if (this.#others === 0) return list;
		const message = `${this.#others} more members were changed or left out`;
		return [...list, { code: "parameter_dropped", param: "messages", message }];
	}
}
