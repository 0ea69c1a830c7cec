// Reads requests that a user's meter has moved into archives: the meter says which archives to ask, and is asked first.
import { callObject } from "../durable/call-object.edge.ts";
import { StorageUnavailableError } from "../failure.ts";
import type { PagePart } from "../http/list-page.ts";
import { archiveName } from "./archive-plan.ts";
import type { FeedbackVerdict, GivenFeedback, MeterFeedbackVerdict } from "./meter-calls.ts";
import type { RequestArchive } from "./request-archive.object.ts";
import { requestNumber } from "./request-number.ts";
import type {
	ArchivedRequest,
	ListedRequest,
	MeterPage,
	RatedRequest,
	RequestPagePart,
	RequestPageQuery,
	RequestRangeQuery,
} from "./request-page.ts";
import { mergePages } from "./request-pages.ts";
import { addSessionRequests, type HeldSessionRequests, type SessionRequests } from "./session-page.ts";

type ArchiveStub = DurableObjectStub<RequestArchive>;

function isArchived(found: unknown): found is ArchivedRequest {
	return typeof found === "object" && found !== null && "archives" in found;
}

/** The archives of one user. */
export class ArchivedRequests {
	#namespace: DurableObjectNamespace<RequestArchive> | null;
	#userId: string;

	/** @param namespace null where no archive is to be asked. */
	constructor(namespace: DurableObjectNamespace<RequestArchive> | null, userId: string) {
		this.#namespace = namespace;
		this.#userId = userId;
	}

	#ask<T>(nth: number, call: (stub: ArchiveStub) => Promise<T>): Promise<T> {
		if (!this.#namespace) throw new StorageUnavailableError("archives are not asked here");
		return callObject(this.#namespace, archiveName(this.#userId, nth), call);
	}

	/** What the meter has found, or one of the archives that it names; null for nothing. */
	async findIn<Found>(
		found: Found | ArchivedRequest | null,
		call: (stub: ArchiveStub) => Promise<Found | null>,
	): Promise<Found | null> {
		if (!isArchived(found)) return found;
		for (const nth of found.archives) {
			const answer = await this.#ask(nth, call);
			if (answer !== null) return answer;
		}
		return null;
	}

	/** Stores feedback in the archive that has its request, if the meter names some. */
	async giveFeedback(verdict: MeterFeedbackVerdict, given: GivenFeedback): Promise<FeedbackVerdict> {
		if (!isArchived(verdict)) return verdict;
		for (const nth of verdict.archives) {
			const archived = await this.#ask(nth, async (stub) => (await stub.giveFeedback(given)) as FeedbackVerdict);
			if (archived.outcome !== "no_request") return archived;
		}
		return { outcome: "no_request" };
	}

	/** The requests of a page: the meter's, and those of the archives that it names. */
	async page(
		{ archives, range, keptSince, ...own }: MeterPage,
		{ filter, limit }: Pick<RequestPageQuery, "filter" | "limit">,
	): Promise<RequestPagePart> {
		if (range === null || archives.length === 0) return { ...own, keptSince };
		const query: RequestRangeQuery = { range, filter, limit };
		const entries: ListedRequest[] = [];
		let readTo: PagePart<ListedRequest>["readTo"] = null;
		for (const nth of archives) {
			const part = await this.#ask(nth, async (stub) => await stub.requestPage(query));
			entries.push(...part.entries);
			({ readTo } = part);
			// All that the next one has is older.
			if (readTo !== null) break;
		}
		return { ...mergePages(own, { entries, readTo }), keptSince };
	}

	/** What the requests of sessions come to: the meter's and those of archives. */
	async sessionRequests(
		{ sums, archives, archived }: HeldSessionRequests,
		sessionIds: readonly string[],
		apiKeyIds: readonly string[] | null,
	): Promise<SessionRequests[]> {
		const parts = [...sums];
		for (const nth of archives)
			parts.push(
				...(await this.#ask(nth, async (stub) => await stub.sessionRequests(sessionIds, apiKeyIds, archived))),
			);
		return addSessionRequests(parts);
	}

	/** Requests behind one, oldest first: the meter's and those of archives, which are named newest first. */
	async decisions(
		{ rated, archives }: { rated: readonly RatedRequest[]; archives: readonly number[] },
		after: string,
		limit: number,
	): Promise<RatedRequest[]> {
		const archived: RatedRequest[] = [];
		for (const nth of archives.toReversed()) {
			if (archived.length >= limit) break;
			archived.push(...(await this.#ask(nth, async (stub) => await stub.decisions(after, limit))));
		}
		const byId = new Map([...archived, ...rated].map((each) => [each.request.request_id, each]));
		const inOrder = [...byId].toSorted(([a], [b]) => requestNumber(a) - requestNumber(b) || (a < b ? -1 : 1));
		return inOrder.slice(0, limit).map(([, each]) => each);
	}
}
