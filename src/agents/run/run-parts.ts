// The parts of a run's object that its actions, its end and its requests share. Pure.
import type { OwnerOutbox } from "../../audit/owner-outbox.edge.ts";
import type { RunWaiting } from "../tools/waiting.edge.ts";
import type { RunMoney } from "./money.edge.ts";
import type { RunOutbox, RunOutboxRow } from "./outbox.edge.ts";
import type { RunWaiters } from "./waiters.edge.ts";

export interface RunParts {
	money: RunMoney;
	waiting: RunWaiting;
	waiters: RunWaiters;
	runOutbox: RunOutbox;
	ownerOutbox: OwnerOutbox<RunOutboxRow>;
	/** What is to be done could not be done now: the object's alarm comes again later. */
	retryLater(): void;
}
