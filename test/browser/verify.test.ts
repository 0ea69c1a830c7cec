// The page that verifies: texts and their salt beside a receipt, in each view.
import { beforeAll, describe, expect, it } from "vitest";
import { chat } from "../clients/support.ts";
import { useConsole } from "./use-console.ts";
import { VIEWS } from "./visit.ts";

const { service, visit } = useConsole();

let receipt = "";
let keys = "";
let answer = "";
let salt = "";
beforeAll(async () => {
	const { key } = await service().newKey("corporate");
	answer = await (await chat(service().url, key, "Is it so?")).text();
	const { id, svc } = JSON.parse(answer) as { id: string; svc: { proof: { salt: string } } };
	salt = svc.proof.salt;
	const read = async (path: string) => (await fetch(`${service().url}${path}`)).text();
	[receipt, keys] = [await read(`/v1/proof/${id}`), await read("/v1/proof/pubkey")];
});

describe.each(VIEWS)("at $width pixels, $colorScheme,", (view) => {
	async function check(texts: Record<string, string>) {
		const visitor = await visit(view);
		expect(await visitor.open("/verify")).toBe(200);
		const { page } = visitor;
		await page.locator("#proof").fill(receipt);
		await page.locator("#pubkey").fill(keys);
		for (const details of await page.locator("summary").all()) await details.click();
		for (const [id, text] of Object.entries(texts)) await page.locator(`#${id}`).fill(text);
		await page.getByRole("button", { name: "Verify" }).click();
		await page.getByRole("heading", { name: /hold/ }).waitFor();
		expect(await visitor.findFaults("verify")).toEqual([]);
		const findings = await page.locator("#findings li").allInnerTexts();
		const verdict = await page.locator("#verdict").innerText();
		return { verdict, ofTexts: findings.filter((text) => /(?:input|output|salt)\b/.test(text)) };
	}

	it("texts are compared with the salt, and what cannot be compared without it is named", async () => {
		const input = JSON.stringify([{ role: "user", content: "Is it so?" }]);
		expect(await check({ salt: ` ${salt} `, input, output: answer })).toEqual({
			verdict: "All of it holds",
			ofTexts: [expect.stringContaining("input: has the hash"), expect.stringContaining("output: has the hash")],
		});
		expect(await check({ salt, input: "Is it not?" })).toEqual({
			verdict: "It does not hold",
			ofTexts: [expect.stringContaining("another hash"), expect.stringContaining("output: not compared")],
		});
		expect(await check({ output: answer })).toMatchObject({ verdict: "It does not hold" });
		expect(await check({})).toEqual({
			verdict: "All of it holds",
			ofTexts: [expect.stringContaining("not compared; that takes the salt, which its owner has")],
		});
	});
});
