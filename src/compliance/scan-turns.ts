// Whose turn it is to scan: users in rotation, and the scans of one user in order of arrival. Pure.

export class ScanTurns {
	/** The first user in the map has the turn. */
	readonly #scansByUser = new Map<string, Set<symbol>>();
	#passed = 0;

	/** Adds a scan of a user, if it is not in the queue. */
	join(user: string, scan: symbol): void {
		const scans = this.#scansByUser.get(user);
		if (scans === undefined) this.#scansByUser.set(user, new Set([scan]));
		else scans.add(scan);
	}

	leave(user: string, scan: symbol): void {
		const scans = this.#scansByUser.get(user);
		scans?.delete(scan);
		if (scans?.size === 0) this.#scansByUser.delete(user);
	}

	/** The scan that has the turn; null in an empty queue. */
	get current(): symbol | null {
		const [scans] = this.#scansByUser.values();
		const [scan] = scans ?? [];
		return scan ?? null;
	}

	/** How many turns have ended. */
	get passed(): number {
		return this.#passed;
	}

	/** Ends the turn: the next user has it. */
	pass(): void {
		this.#passed++;
		const [first] = this.#scansByUser;
		if (first === undefined) return;
		this.#scansByUser.delete(first[0]);
		this.#scansByUser.set(first[0], first[1]);
	}

	/** Ends the turn of a scan that does not come, and takes it out of the queue. It joins again when it comes. */
	dropCurrent(): void {
		const [first] = this.#scansByUser;
		const scan = this.current;
		this.pass();
		if (first !== undefined && scan !== null) this.leave(first[0], scan);
	}
}
