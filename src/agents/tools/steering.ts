// Messages that steer a run: which its next turn is to read, and that it has. resolving.edge.ts takes them. Pure.
import type { RunState } from "../run/run.ts";

/** A message that no turn has read yet, by its number among the run's. */
export interface UnreadMessage {
	/** The client's. */
	id: string;
	n: number;
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
