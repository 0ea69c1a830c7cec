// What an isolate keeps back of failed requests that are alike: the first of a minute are recorded at once, the others are counted and sent
// together. So a flood of refusals costs its meter few calls. A process that dies loses what it has counted. Pure; the clock is an argument.
import { BoundedMap } from "../bounded-map.ts";
import { mostAlike, type UnbilledRequest } from "./failed-request.ts";
import { toMinute } from "./rolling-window.ts";

const MAX_USERS = 2_000;
const MAX_LIKENESSES = 1_000;

interface Alike {
	minute: number;
	/** Recorded at once. */
	recorded: number;
	/** The latest one, with how many are kept back. */
	keptBack: UnbilledRequest | null;
}

function likeness({ apiKeyId, endpoint, error }: UnbilledRequest): string {
	return `${apiKeyId} ${endpoint} ${error.code}`;
}

export class FailureLog {
	#byUser = new BoundedMap<string, BoundedMap<string, Alike>>(MAX_USERS);

	/**
	 * Notes a failed request.
	 * @returns what is to be recorded at once: the request, or what was kept back of an earlier minute, too; nothing where it is kept back.
	 */
	note(userId: string, failed: UnbilledRequest): UnbilledRequest[] {
		const ofUser = this.#byUser.get(userId) ?? new BoundedMap<string, Alike>(MAX_LIKENESSES);
		this.#byUser.set(userId, ofUser);
		const key = likeness(failed);
		const minute = toMinute(failed.atMs);
		const known = ofUser.get(key);
		if (!known || known.minute !== minute) {
			ofUser.set(key, { minute, recorded: 1, keptBack: null });
			return [...(known?.keptBack ? [known.keptBack] : []), failed];
		}
		if (known.recorded < mostAlike(failed)) {
			known.recorded++;
			return [failed];
		}
		known.keptBack = { ...failed, count: (known.keptBack?.count ?? 0) + failed.count };
		return [];
	}

	/** Whether anything of a user is kept back. */
	hasKeptBack(userId: string): boolean {
		return this.#all(userId).some(({ keptBack }) => keptBack !== null);
	}

	/** Takes what is kept back of a user. */
	take(userId: string): UnbilledRequest[] {
		return this.#all(userId).flatMap((alike) => {
			const { keptBack } = alike;
			alike.keptBack = null;
			return keptBack ?? [];
		});
	}

	/** Keeps back what could not be recorded. */
	giveBack(userId: string, failed: readonly UnbilledRequest[]): void {
		for (const each of failed) {
			const alike = this.#byUser.get(userId)?.get(likeness(each));
			if (!alike) continue;
			alike.keptBack = { ...each, ...alike.keptBack, count: each.count + (alike.keptBack?.count ?? 0) };
		}
	}

	#all(userId: string): Alike[] {
		return [...(this.#byUser.get(userId)?.values() ?? [])];
	}
}
