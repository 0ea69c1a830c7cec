// Whose turn it is to compute: users in rotation, and the computations of one user in order of arrival. Pure.

export class TurnRotation {
	/** The first user in the map has the turn. */
	readonly #waitingByUser = new Map<string, Set<symbol>>();
	#passed = 0;

	/** Adds a computation of a user, if it is not in the queue. */
	join(user: string, computation: symbol): void {
		const waiting = this.#waitingByUser.get(user);
		if (waiting === undefined) this.#waitingByUser.set(user, new Set([computation]));
		else waiting.add(computation);
	}

	leave(user: string, computation: symbol): void {
		const waiting = this.#waitingByUser.get(user);
		waiting?.delete(computation);
		if (waiting?.size === 0) this.#waitingByUser.delete(user);
	}

	/** The computation that has the turn; null in an empty queue. */
	get current(): symbol | null {
		const [waiting] = this.#waitingByUser.values();
		const [computation] = waiting ?? [];
		return computation ?? null;
	}

	/** How many turns have ended. */
	get passed(): number {
		return this.#passed;
	}

	/** Ends the turn: the next user has it. */
	pass(): void {
		this.#passed++;
		const [first] = this.#waitingByUser;
		if (first === undefined) return;
		this.#waitingByUser.delete(first[0]);
		this.#waitingByUser.set(first[0], first[1]);
	}

	/** Ends the turn of a computation that does not come, and takes it out of the queue. It joins again when it comes. */
	dropCurrent(): void {
		const [first] = this.#waitingByUser;
		const computation = this.current;
		this.pass();
		if (first !== undefined && computation !== null) this.leave(first[0], computation);
	}
}
