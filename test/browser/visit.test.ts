// That a visit notices what a customer would: a page with one fault of each kind.
import { createServer } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { listenOnLoopback, useConsole } from "./use-console.ts";
import { DESK } from "./visit.ts";

const { visit } = useConsole();
const server = createServer((request, response) => {
	if (request.url !== "/") return void response.writeHead(404).end();
	response.setHeader("content-type", "text/html");
	response.end(`<!doctype html><html lang="en"><title>Faulty</title><main><h1>Faulty</h1>
<p style="color:#ccc;background:#fff">pale</p><p style="width:2000px">wide</p>
<details><summary>More</summary><input></details>
<img alt="foreign" src="http://elsewhere.invalid/a.png"><img alt="lost" src="/lost.png">
<script>console.error("a complaint"); alert("a dialog"); throw new Error("a bug")</script></main></html>`);
});
let origin = "";

beforeAll(async () => {
	origin = await listenOnLoopback(server);
});
afterAll(() => void server.close());

it.each([
	["a page wider than its window", /^at first the page is \d+ px wider/],
	["text too pale to be read", /color-contrast/],
	["a field without a label, in a disclosure too", /^critical label:/],
	["an address elsewhere", /^image from elsewhere: http:\/\/elsewhere\.invalid\/a\.png/],
	["a part that is not there", /^404 for .*\/lost\.png/],
	["a message in the browser's console", /a complaint/],
	["a dialog", /^a dialog opened: a dialog/],
	["a script that threw", /^a script threw a bug/],
])("a visit notices %s", async (_, sentence) => {
	const visitor = await visit(DESK, {}, origin);
	await visitor.open("/");
	expect(await visitor.findFaults("faulty")).toContainEqual(expect.stringMatching(sentence));
});
