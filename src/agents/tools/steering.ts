// Messages that steer a run: how its state keeps them, which its next turn is to read, and that it has. check-batch.ts takes them. Pure.
import { textHash } from "../../proof/salted.ts";
import type { RunSpec, RunState } from "../run/run.ts";
import type { SteeringMessage } from "./resolution.ts";
import type { SteeringPlace } from "./wait-state.ts";

/** A message that no turn has read yet, by its number among the run's. */
export interface UnreadMessage {
	/** The client's. */
	id: string;
	n: number;
}

/** A message that has just come, as the run's state keeps it. @param salt of the run. */
export function toSteeringPlace({ id, text }: SteeringMessage, salt: RunSpec["salt"]): SteeringPlace {
	return { id, hash: textHash(salt)(text), isRead: false };
}

/** In the order of their arrival. */
export function unreadMessages({ wait }: Pick<RunState, "wait">): UnreadMessage[] {
	return (wait?.messages ?? []).flatMap(({ id, isRead }, n) => (isRead ? [] : [{ id, n }]));
}

/** The state once a turn has read messages. To be stored with the turn. */
export function withRead(state: RunState, read: readonly UnreadMessage[]): RunState {
	const { wait } = state;
	if (!wait || read.length === 0) return state;
	const messages = wait.messages.map((message, n) =>
		read.some((each) => each.n === n) ? { ...message, isRead: true } : message,
	);
	return { ...state, wait: { ...wait, messages } };
}
