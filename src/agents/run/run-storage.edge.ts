// What a run's object stores: its run, or what its name stands for without one: which run an idempotency key names, or that the run was
// abandoned before it started. Its tables are made with the first of these: an object that is only asked has none. Synchronous.
import { hasTables, migrate } from "../../durable/migrations.edge.ts";
import { deleteClaim, findClaim, isAbandoned, type RunClaim, storeAbandoned, storeClaim } from "./claims.edge.ts";
import { initialRunState, type RunSpec } from "./run.ts";
import { StoredRun } from "./stored-run.edge.ts";
import { AGENT_RUN_TABLES } from "./tables.edge.ts";

export class RunStorage {
	#storage: DurableObjectStorage;
	#hasTables: boolean;
	#run: StoredRun | null = null;

	constructor(storage: DurableObjectStorage) {
		this.#storage = storage;
		this.#hasTables = hasTables(storage);
		if (!this.#hasTables) return;
		migrate(storage, AGENT_RUN_TABLES);
		this.#run = StoredRun.load(storage);
	}

	get hasTables(): boolean {
		return this.#hasTables;
	}

	get run(): StoredRun | null {
		return this.#run;
	}

	/** The run of this user; null when there is none. */
	runForUser(userId: string): StoredRun | null {
		return this.#run?.spec.userId === userId ? this.#run : null;
	}

	#write<T>(write: () => T): T {
		const written = this.#storage.transactionSync(() => {
			if (!this.#hasTables) migrate(this.#storage, AGENT_RUN_TABLES);
			return write();
		});
		this.#hasTables = true;
		return written;
	}

	/** Stores a run that begins. */
	create(spec: RunSpec): StoredRun {
		const run = this.#write(() => StoredRun.create(this.#storage, spec, initialRunState(spec)));
		this.#run = run;
		return run;
	}

	/** Deletes the run. It does not begin again. */
	delete(run: StoredRun): void {
		this.#write(() => {
			run.delete();
			storeAbandoned(this.#storage.sql);
		});
		this.#run = null;
	}

	/** Whether there is no run, and there never will be. */
	get isAbandoned(): boolean {
		return this.#hasTables && isAbandoned(this.#storage.sql);
	}

	/** Lets no run begin here. Idempotent. */
	abandon(): void {
		if (!this.isAbandoned) this.#write(() => storeAbandoned(this.#storage.sql));
	}

	/** Returns the run that this key names. A free key is given to `runId`; without a `runId` the answer is null. */
	claim(bodyHash: string, runId: string | null): RunClaim | null {
		const { sql } = this.#storage;
		const known = this.#hasTables ? findClaim(sql, bodyHash) : null;
		if (known || runId === null) return known;
		this.#write(() => storeClaim(sql, bodyHash, runId));
		return { runId, isSameBody: true };
	}

	/** Frees the key of a run that was abandoned. */
	releaseClaim(runId: string): void {
		if (this.#hasTables) deleteClaim(this.#storage.sql, runId);
	}
}
