// Limits and revocation under real concurrency: exact numbers, over HTTP, against the running service.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chat, startTestService, type TestService, wrappedError } from "./support.ts";

let service: TestService | undefined;

beforeAll(async () => {
	service = await startTestService();
});
afterAll(() => service?.stop());

function running(): TestService {
	if (!service) throw new Error("the service did not start");
	return service;
}

interface Reply {
	status: number;
	headers: Headers;
	body: unknown;
}

async function ask(key: string, content = "Say hello"): Promise<Reply> {
	const response = await chat(running().url, key, content);
	return { status: response.status, headers: response.headers, body: await response.json() };
}

function askTimes(times: number, key: string): Promise<Reply[]> {
	return Promise.all(Array.from({ length: times }, () => ask(key)));
}

function statuses(replies: readonly Reply[]): number[] {
	return replies.map(({ status }) => status);
}

describe("the limit per minute", () => {
	it("lets exactly 100 of 200 parallel requests through on the personal plan", async () => {
		const { key } = await running().newKey("personal");
		const answersBefore = running().upstreamAnswers();
		const replies = await askTimes(200, key);
		const refused = replies.filter(({ status }) => status === 429);
		expect(replies.filter(({ status }) => status === 200)).toHaveLength(100);
		expect(refused).toHaveLength(100);
		expect(running().upstreamAnswers() - answersBefore).toBe(100);
		for (const { headers, body } of refused) {
			const { detail } = wrappedError.parse(body);
			expect(detail.error).toBe("rate_limit_exceeded");
			expect(detail.message).toContain("100 requests per minute");
			const waitSeconds = Number(headers.get("retry-after"));
			expect(Number.isInteger(waitSeconds) && waitSeconds >= 1 && waitSeconds <= 60).toBe(true);
			expect(headers.get("x-ratelimit-limit-requests")).toBe("100");
			expect(headers.get("x-ratelimit-remaining-requests")).toBe("0");
		}
	});

	it("is shared by two keys of the same user", async () => {
		const one = await running().newKey("free", "shares-a-limit");
		const other = await running().newKey("free", "shares-a-limit");
		expect(other.user_id).toBe(one.user_id);
		const replies = (await Promise.all([askTimes(8, one.key), askTimes(8, other.key)])).flat();
		expect(statuses(replies).filter((status) => status === 200)).toHaveLength(10);
		expect(statuses(replies).filter((status) => status === 429)).toHaveLength(6);
		expect(statuses([await ask(one.key), await ask(other.key)])).toEqual([429, 429]);
	});

	it("is not shared by two users", async () => {
		const one = await running().newKey("free");
		const other = await running().newKey("free");
		expect(other.user_id).not.toBe(one.user_id);
		const [ofOne, ofOther] = await Promise.all([askTimes(12, one.key), askTimes(10, other.key)]);
		expect(statuses(ofOne).filter((status) => status === 200)).toHaveLength(10);
		expect(statuses(ofOther)).toEqual(Array(10).fill(200));
	});
});

describe("a revoked key", () => {
	it("is refused by the very next request", async () => {
		const { key, key_id } = await running().newKey("pro");
		expect((await ask(key)).status).toBe(200);
		await running().revokeKey(key_id);
		const { status, headers, body } = await ask(key);
		expect(status).toBe(401);
		expect(headers.get("www-authenticate")).toBe("Bearer");
		expect(wrappedError.parse(body).detail.error).toBe("invalid_api_key");
	});

	it("leaves the user's other keys working", async () => {
		const revoked = await running().newKey("pro", "has-two-keys");
		const kept = await running().newKey("pro", "has-two-keys");
		expect(statuses([await ask(revoked.key), await ask(kept.key)])).toEqual([200, 200]);
		await running().revokeKey(revoked.key_id);
		expect(statuses([await ask(revoked.key), await ask(kept.key)])).toEqual([401, 200]);
	});

	it("lets no request succeed that started after the revocation returned, in the middle of a burst", async () => {
		const LANES = 20;
		const LATE_PER_LANE = 3;
		const { key, key_id } = await running().newKey("corporate");
		let revoked = false;
		let answeredBefore = 0;
		const late: number[] = [];
		/** One request after the other, until some have started after the revocation. */
		const lane = async () => {
			for (let lateOnes = 0; lateOnes < LATE_PER_LANE; ) {
				const startedLate = revoked;
				const { status } = await ask(key, "Say hello [[slow 20]]");
				if (startedLate) {
					late.push(status);
					lateOnes++;
				} else if (status === 200) answeredBefore++;
			}
		};
		const revocation = async () => {
			while (answeredBefore < 2 * LANES) await new Promise((resolve) => setTimeout(resolve, 5));
			await running().revokeKey(key_id);
			revoked = true;
		};
		await Promise.all([revocation(), ...Array.from({ length: LANES }, lane)]);
		expect(answeredBefore).toBeGreaterThanOrEqual(2 * LANES);
		expect(late).toEqual(Array(LANES * LATE_PER_LANE).fill(401));
	});
});
