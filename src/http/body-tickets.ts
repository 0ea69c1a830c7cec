// Bounds the bodies that are under way in this isolate, before they are read. A body has a ticket from before its first byte until
// its request is counted or answered. Pure.
import { type Failure, fail, ok, type Result } from "../failure.ts";

const MIB = 1_048_576;

/** What bodies under way may take of an isolate, which has 128 MiB. */
export const BODY_LIMITS = {
	/** Of one owner's bodies together. */
	ownerBytes: 32 * MIB,
	/** Bodies of one owner that take a place. */
	ownerBodies: 20,
	/** Of all bodies together. Small ones count, and are not refused for it: two owners must not keep everybody out. */
	isolateBytes: 64 * MIB,
	/** A longer body takes a place at once. */
	smallBytes: 65_536,
	/** A small body takes a place when it is still not read after this. Hundreds that arrive at once take none. */
	placeMs: 1_000,
	/** A body that is silent for this long is refused. What arrives earns more time, up to this again. */
	silenceMs: 5_000,
	/** From then on a body must be as fast. */
	bytesPerSecond: 16_384,
	/** A read body whose request is not counted after this is taken to be gone. */
	uncountedMs: 120_000,
	/** The wait that a refusal asks for. */
	retryAfterMs: 2_000,
} as const;

/** What one owner has under way. */
interface OwnerLoad {
	bytes: number;
	places: number;
	tickets: number;
}

function mib(bytes: number): string {
	return `${bytes / MIB} MiB`;
}

function refuseOwner(limit: string): { ok: false; failure: Failure } {
	const { retryAfterMs } = BODY_LIMITS;
	const message = `too many request bodies under way: ${limit} is the most; try again in ${retryAfterMs / 1000} seconds`;
	return fail({ reason: "rate_limit_exceeded", message, retryAfterMs });
}

/** One body under way. */
export class BodyTicket {
	readonly owner: string;
	readonly #tickets: BodyTickets;
	readonly #startedAtMs: number;
	/** Bytes that it takes of the limits: those declared, or those read if they are more. */
	bytes = 0;
	hasPlace = false;
	/** When the body, or the count of its request, is overdue. */
	dueAtMs: number;
	#readBytes = 0;

	constructor(tickets: BodyTickets, owner: string, nowMs: number) {
		this.#tickets = tickets;
		this.owner = owner;
		this.#startedAtMs = nowMs;
		this.dueAtMs = nowMs + BODY_LIMITS.silenceMs;
	}

	/** When a body that is still silent must be looked at again, ms since the epoch. */
	get nextLookMs(): number {
		return this.hasPlace ? this.dueAtMs : Math.min(this.dueAtMs, this.#startedAtMs + BODY_LIMITS.placeMs);
	}

	/** Notes that `readBytes` of the body have arrived in all. @returns the refusal of a body that is too much now. */
	advance(readBytes: number, nowMs: number): Result<null> {
		const earnedMs = ((readBytes - this.#readBytes) / BODY_LIMITS.bytesPerSecond) * 1000;
		this.#readBytes = readBytes;
		this.dueAtMs = Math.min(nowMs + BODY_LIMITS.silenceMs, Math.max(this.dueAtMs, nowMs) + earnedMs);
		return this.look(nowMs, readBytes);
	}

	/** Takes what the body needs now of the limits. @returns the refusal where that is too much. */
	look(nowMs: number, bytes = this.bytes): Result<null> {
		const isSlow = nowMs >= this.#startedAtMs + BODY_LIMITS.placeMs;
		return this.#tickets.claim(this, bytes, isSlow, nowMs);
	}

	/** The body is read: its place is free, and its bytes are held until the request is counted. */
	finish(nowMs: number): void {
		this.dueAtMs = nowMs + BODY_LIMITS.uncountedMs;
		this.#tickets.freePlace(this);
	}

	/** Gives the ticket back. It may be given back more than once. */
	release(): void {
		this.#tickets.drop(this);
	}
}

/** The tickets of one isolate. */
export class BodyTickets {
	readonly #loads = new Map<string, OwnerLoad>();
	readonly #open = new Set<BodyTicket>();
	#bytes = 0;

	/** Bytes of all bodies under way. */
	get bytes(): number {
		return this.#bytes;
	}

	/**
	 * A ticket for a body.
	 * @param owner the user or the address whose body it is.
	 * @param declaredBytes its Content-Length; 0 where it has none. Then it takes what is read of it.
	 * @returns 429 where the owner, 503 where the isolate has too much under way.
	 */
	take(owner: string, declaredBytes: number, nowMs: number): Result<BodyTicket> {
		const ticket = new BodyTicket(this, owner, nowMs);
		const load = this.#loads.get(owner) ?? { bytes: 0, places: 0, tickets: 0 };
		load.tickets++;
		this.#loads.set(owner, load);
		this.#open.add(ticket);
		const claimed = ticket.look(nowMs, declaredBytes);
		if (claimed.ok) return ok(ticket);
		this.drop(ticket);
		return claimed;
	}

	/** Lets a ticket take as many bytes, if they are more than it has, and a place, if the body is slow or not small. */
	claim(ticket: BodyTicket, bytes: number, isSlow: boolean, nowMs: number): Result<null> {
		const load = this.#loads.get(ticket.owner);
		// The ticket was taken for gone, and its place given to others.
		if (!load || !this.#open.has(ticket)) return refuseOwner(mib(BODY_LIMITS.ownerBytes));
		const addedBytes = Math.max(0, bytes - ticket.bytes);
		const isSmall = ticket.bytes + addedBytes <= BODY_LIMITS.smallBytes;
		const needsPlace = !ticket.hasPlace && (isSlow || !isSmall);
		const refusal = () => {
			if (load.bytes + addedBytes > BODY_LIMITS.ownerBytes) return refuseOwner(mib(BODY_LIMITS.ownerBytes));
			if (needsPlace && load.places >= BODY_LIMITS.ownerBodies) return refuseOwner(`${BODY_LIMITS.ownerBodies}`);
			if (isSmall || this.#bytes + addedBytes <= BODY_LIMITS.isolateBytes) return null;
			return fail({ reason: "overloaded", retryAfterMs: BODY_LIMITS.retryAfterMs });
		};
		let refused = refusal();
		if (refused) {
			this.#dropOverdue(nowMs);
			refused = refusal();
		}
		if (refused) return refused;
		ticket.bytes += addedBytes;
		load.bytes += addedBytes;
		this.#bytes += addedBytes;
		if (needsPlace) load.places++;
		ticket.hasPlace ||= needsPlace;
		return ok(null);
	}

	freePlace(ticket: BodyTicket): void {
		const load = this.#loads.get(ticket.owner);
		if (!load || !ticket.hasPlace || !this.#open.has(ticket)) return;
		load.places--;
		ticket.hasPlace = false;
	}

	drop(ticket: BodyTicket): void {
		this.freePlace(ticket);
		const load = this.#loads.get(ticket.owner);
		if (!load || !this.#open.delete(ticket)) return;
		this.#bytes -= ticket.bytes;
		load.bytes -= ticket.bytes;
		load.tickets--;
		if (load.tickets === 0) this.#loads.delete(ticket.owner);
	}

	/** Drops the tickets of requests that ended without giving them back, as a Worker's may when its client is gone. */
	#dropOverdue(nowMs: number): void {
		for (const ticket of this.#open) if (nowMs > ticket.dueAtMs + BODY_LIMITS.silenceMs) this.drop(ticket);
	}
}
