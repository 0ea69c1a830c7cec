// Ids of shares, and the page of one.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pageHeaders, renderSharePage } from "../../../src/routing-config/page.ts";
import { contentDigest, isShareId, newShareId, type Share } from "../../../src/routing-config/share.ts";

const PLACES = {
	json: "https://svc.test/v1/b/x",
	badge: "https://svc.test/v1/brain/badge?share=x",
	page: "https://svc.test/b/x",
};
const SHARE: Share = {
	id: "abcdefghij",
	title: "Cheap",
	brainMd: "max_cost: 0.01",
	config: { model: "auto", routing_mode: null, max_cost: 0.01, blocked: ["openai"], fallback: [] },
	configDigest: "sha256:x",
	errors: [],
	createdAt: "2026-11-21T10:00:00.000Z",
};

describe("a share's id", () => {
	it("is ten base58 characters, each as likely as another", () => {
		const counts = new Map<string, number>();
		let seed = 1;
		const random = (count: number) =>
			Uint8Array.from({ length: count }, () => {
				seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
				return (seed >> 16) & 0xff;
			});
		for (let i = 0; i < 3_000; i++) {
			const id = newShareId(random);
			expect(isShareId(id)).toBe(true);
			for (const digit of id) counts.set(digit, (counts.get(digit) ?? 0) + 1);
		}
		expect(counts.size).toBe(58);
		for (const count of counts.values()) expect(Math.abs(count - 30_000 / 58)).toBeLessThan(120);
	});

	it("takes nothing else for one", () => {
		for (const text of ["", "0bcdefghij", "Obcdefghij", "lbcdefghij", "abcdefghi", "abcdefghijk", "😀bcdefghi"]) {
			expect(isShareId(text)).toBe(false);
		}
	});

	it("belongs to what is shared: another title, text or verdict is another share", () => {
		const others = [
			{ title: null },
			{ brainMd: null },
			{ errors: ["x"] },
			{ config: { ...SHARE.config, max_cost: 1 } },
		];
		const digests = [{}, ...others].map((change) => contentDigest({ ...SHARE, ...change }));
		expect(new Set(digests).size).toBe(5);
	});
});

describe("a share's page", () => {
	it("says what the config does, and lets nothing run", () => {
		const page = renderSharePage(
			{
				...SHARE,
				config: { ...SHARE.config, rules: [{ name: "Code", when: { intent: ["code"] }, use: { tier: "mid" } }] },
			},
			PLACES,
		);
		expect(page).toContain(
			"<strong>Code.</strong> When the prompt is about <code>code</code>: routes within the <code>mid</code> tier.",
		);
		expect(page).toContain('<meta name="robots" content="noindex">');
		expect(page).not.toMatch(/<script|\son\w+=|javascript:/i);
		expect(pageHeaders()["content-security-policy"]).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; /);
	});

	it("escapes whatever a stranger wrote", () => {
		const tags = (html: string) => [...html.matchAll(/<(\/?[a-z0-9]+)/gi)].map(([, name]) => name);
		const plain = tags(renderSharePage({ ...SHARE, errors: ["e"] }, PLACES));
		fc.assert(
			fc.property(
				fc.array(fc.constantFrom("<", ">", '"', "'", "&", "</pre>", "<script>", "a", "\u0000", "\ud800", "]]>"), {
					minLength: 1,
				}),
				(parts) => {
					const hostile = `x${parts.join("")}`;
					const config = { ...SHARE.config, blocked: [hostile] };
					const page = renderSharePage(
						{ ...SHARE, title: hostile, brainMd: hostile, errors: [hostile], config },
						PLACES,
					);
					expect(tags(page)).toEqual(plain);
					expect(page.isWellFormed()).toBe(true);
				},
			),
		);
	});
});
