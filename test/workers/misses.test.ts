// Guessing: unknown keys, unknown receipts and wrong admin tokens are limited by their address; what is right always comes in.
import { ulid } from "ulid";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { generateApiKey } from "../../src/account/api-key.ts";
import { anAddress, call, chat, newKey, type Upstream, useSandbox } from "../support/service.ts";
import { TEST_ADMIN_TOKEN } from "../support/variables.ts";

let upstream: Upstream;
let address: string;
beforeEach(() => {
	upstream = useSandbox();
	address = anAddress();
});
afterEach(() => upstream.restore());

function ask(path: string, authorization?: string, from = address): Promise<Response> {
	const headers = { "cf-connecting-ip": from, ...(authorization === undefined ? {} : { authorization }) };
	return call(path, { headers });
}

function unknownKey(): string {
	return `Bearer ${generateApiKey((count) => crypto.getRandomValues(new Uint8Array(count)))}`;
}

function unknownProof(): string {
	return `/v1/proof/svc-${ulid(Date.now() - 3_600_000)}`;
}

/** Guesses until it is refused for guessing. The limiter counts in periods of ten seconds, one of which may end meanwhile. */
async function guessUntilLimited(guess: () => Promise<Response>, status: number): Promise<Response> {
	for (let guesses = 0; guesses <= 200; guesses++) {
		const response = await guess();
		if (response.status === 429) {
			expect(guesses).toBeGreaterThanOrEqual(100);
			return response;
		}
		expect(response.status).toBe(status);
		await response.text();
	}
	throw new Error("guessing is not limited");
}

describe("unknown keys", () => {
	it("are 429 beyond a hundred in ten seconds from one address, and a good one comes in all the same", async () => {
		// Addresses of one network of 64 bits are one sender's.
		let host = 1;
		const guess = () => ask("/v1/usage", unknownKey(), address.replace(/::1$/, `::${host++}`));
		const limited = await guessUntilLimited(guess, 401);
		expect(limited.headers.get("retry-after")).toBe("10");
		expect(await limited.json()).toMatchObject({
			detail: { error: "rate_limit_exceeded", message: expect.stringContaining("unknown API keys") },
		});
		const fresh = await newKey("pro");
		expect((await ask("/v1/usage", `Bearer ${fresh.key}`)).status).toBe(200);
		expect((await ask("/v1/usage", unknownKey(), anAddress())).status).toBe(401);
	});

	it("are not told from the limit by malformed ones, which are looked up nowhere", async () => {
		for (let guesses = 0; guesses < 210; guesses++)
			expect((await ask("/v1/usage", `Bearer svc_sk_${guesses}`)).status).toBe(401);
	});
});

describe("unknown receipts", () => {
	it("are 429 beyond a hundred in ten seconds from one address, and a real one is shown all the same", async () => {
		const { key } = await newKey("pro");
		const id = (await chat(key, "hi")).headers.get("x-request-id");
		const limited = await guessUntilLimited(() => ask(unknownProof()), 404);
		expect(await limited.json()).toMatchObject({ detail: { error: "rate_limit_exceeded" } });
		expect((await ask(`/v1/proof/${id}`)).status).toBe(200);
		// Guesses of one kind are not held against another.
		expect((await ask("/v1/usage", unknownKey())).status).toBe(401);
	});
});

describe("wrong admin tokens", () => {
	it("are 429 beyond a hundred in ten seconds from one address, and the right one comes in all the same", async () => {
		const limited = await guessUntilLimited(() => ask("/internal/keys", "Bearer wrong-admin-token-0123"), 401);
		expect(await limited.json()).toMatchObject({ detail: { error: "rate_limit_exceeded" } });
		expect((await ask("/internal/keys", `Bearer ${TEST_ADMIN_TOKEN}`)).status).toBe(200);
	});
});
