// API keys as their owners see them: what they may do, what one may give to another, and when a user's last owner key ends. Pure.
import type { KeyRole } from "../http/endpoint.ts";

/** What a key may do. */
export interface KeyOptions {
	name: string | null;
	role: KeyRole;
	/** ISO 8601 in UTC; null for a key without an end. */
	expiresAt: string | null;
	/** Requests a minute; null for the plan's. */
	rpm: number | null;
	/** Requests in 24 hours; null for the plan's. */
	dailyRequests: number | null;
	tags: string[];
}

/** A stored key. Of the key itself, only the last four characters are known. */
export interface ApiKey {
	id: string;
	userId: string;
	last4: string;
	createdAt: string;
	revokedAt: string | null;
	rotatedFrom: string | null;
	/** Counts its changes from 1. */
	version: number;
	options: KeyOptions;
}

/** The most keys that a user has at once, expired and revoked ones aside. */
export const MAX_USER_KEYS = 1_000;

const KEY_ID = /^key_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Whether a text can be the id of a key. */
export function isKeyId(text: string): boolean {
	return KEY_ID.test(text);
}

/** Members that a key cannot make wider than its own, by their names in requests. */
type ScopeMember = "role" | "expires_at" | "rpm" | "daily_requests";

function isHigher(limit: number | null, than: number | null): boolean {
	return than !== null && (limit === null || limit > than);
}

/** Whether a member of options allows more than other options do. */
const WIDER: Readonly<Record<ScopeMember, (options: KeyOptions, than: KeyOptions) => boolean>> = {
	role: ({ role }, than) => role === "owner" && than.role !== "owner",
	expires_at: ({ expiresAt }, than) => than.expiresAt !== null && (expiresAt === null || expiresAt > than.expiresAt),
	rpm: ({ rpm }, than) => isHigher(rpm, than.rpm),
	daily_requests: ({ dailyRequests }, than) => isHigher(dailyRequests, than.dailyRequests),
};

/**
 * The first member that a key may not give, because it is wider than the key's own; null when it may give all.
 * @param before what the changed key has already, which may be kept.
 */
export function findWiderMember(options: KeyOptions, own: KeyOptions, before?: KeyOptions): ScopeMember | null {
	const members = Object.keys(WIDER) as ScopeMember[];
	return (
		members.find((member) => {
			const isWider = WIDER[member];
			return isWider(options, own) && (!before || isWider(options, before));
		}) ?? null
	);
}

/** Options of a new key: what is not named is as the key has it that makes it. */
export function inheritOptions(wanted: Partial<KeyOptions>, own: KeyOptions): KeyOptions {
	return {
		name: wanted.name ?? null,
		role: wanted.role ?? "owner",
		expiresAt: wanted.expiresAt ?? own.expiresAt,
		rpm: wanted.rpm ?? own.rpm,
		dailyRequests: wanted.dailyRequests ?? own.dailyRequests,
		tags: wanted.tags ?? [],
	};
}

/** Options of a key without limits. */
export const UNLIMITED: KeyOptions = {
	name: null,
	role: "owner",
	expiresAt: null,
	rpm: null,
	dailyRequests: null,
	tags: [],
};

/** Compares as later than every time in ISO 8601. */
export const NEVER = "~";

/** When a key ends, and what it is until then. */
export interface KeyLife extends Pick<KeyOptions, "role" | "expiresAt">, Pick<ApiKey, "revokedAt"> {}

export function toKeyLife({ options: { role, expiresAt }, revokedAt }: ApiKey): KeyLife {
	return { role, expiresAt, revokedAt };
}

/** Until when a key is an owner's; an empty text for one that is none. Texts compare as times. */
export function ownerUntil({ role, expiresAt, revokedAt }: KeyLife): string {
	return role === "owner" && revokedAt === null ? (expiresAt ?? NEVER) : "";
}

/** Whether a key works at a time. */
export function isLiveKey({ expiresAt, revokedAt }: KeyLife, now: string): boolean {
	return revokedAt === null && (expiresAt === null || expiresAt > now);
}

/** Whether two keys may do the same. */
export function areSameOptions(a: KeyOptions, b: KeyOptions): boolean {
	return (Object.keys(a) as (keyof KeyOptions)[]).every((name) => JSON.stringify(a[name]) === JSON.stringify(b[name]));
}
