// Sign-in and sign-out in the browser: what a session survives, what ends it, and what other sites can do to it.
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { generateApiKey } from "../../src/account/api-key.ts";
import { listenOnLoopback, useConsole } from "./use-console.ts";
import { DESK, VIEWS, type Visit } from "./visit.ts";

const { service, visit } = useConsole();

const closers: (() => void)[] = [];
afterEach(() => {
	for (const close of closers.splice(0)) close();
});

/** A site on another port: another origin, but the same site, to which even strict cookies are sent. */
async function startNeighbour(html: string): Promise<string> {
	const server = createServer((_, response) => response.setHeader("content-type", "text/html").end(html));
	closers.push(() => server.close());
	return listenOnLoopback(server);
}

function mainText({ page }: Visit): Promise<string> {
	return page.getByRole("main").innerText();
}

async function signedIn(): Promise<{ visitor: Visit; key: string; keyId: string }> {
	const { key, key_id: keyId } = await service().newKey("corporate");
	const visitor = await visit();
	await visitor.signIn(key);
	return { visitor, key, keyId };
}

describe.each(VIEWS)("at $width pixels, $colorScheme,", (view) => {
	it("a browser without a session is shown the sign-in page", async () => {
		const visitor = await visit(view);
		expect(await visitor.open("/console")).toBe(200);
		expect(visitor.path()).toBe("/console/sign-in?next=%2Fconsole");
		expect(await visitor.findFaults("sign-in")).toEqual([]);
	});

	it("a key that nobody has is refused in words, beside the field, and begins no session", async () => {
		const visitor = await visit(view);
		const wrong = generateApiKey(randomBytes);
		await visitor.open("/console");
		await visitor.enterKey(wrong);
		expect(visitor.path()).toBe("/console/sign-in");
		const field = visitor.page.getByLabel("API key");
		expect(await field.getAttribute("aria-invalid")).toBe("true");
		const described = (await field.getAttribute("aria-describedby")) ?? "";
		expect(described).toContain("sign-in-error");
		expect(await visitor.page.locator("#sign-in-error").innerText()).toMatch(/\bkey\b.*\b(?:unknown|invalid|not)\b/i);
		expect(await visitor.page.content()).not.toContain(wrong);
		expect(await visitor.page.context().cookies()).toEqual([]);
		expect(await visitor.findFaults("wrong-key")).toEqual([]);
	});

	it("a page that is not there says so", async () => {
		const visitor = await visit(view);
		expect(await visitor.open("/console/nowhere")).toBe(404);
		expect(await visitor.findFaults("not-found")).toEqual([]);
	});
});

describe("a session", () => {
	it("begins where the browser wanted to go", async () => {
		const { key } = await service().newKey("corporate");
		const visitor = await visit();
		await visitor.open("/console?from=mail&to=me");
		await visitor.enterKey(key);
		expect(visitor.path()).toBe("/console?from=mail&to=me");
	});

	it.each(["//elsewhere.example/", "https://elsewhere.example/", "javascript:alert(1)", '"><script>alert(1)</script>'])(
		"leads to no place but the console: %s",
		async (next) => {
			const { key } = await service().newKey("corporate");
			const visitor = await visit();
			await visitor.open(`/console/sign-in?next=${encodeURIComponent(next)}`);
			await visitor.enterKey(key);
			expect(visitor.path()).toBe("/console");
			expect(visitor.takeComplaints()).toEqual([]);
		},
	);

	it("does not begin with a mistyped key, and begins with the right one after it", async () => {
		const { key } = await service().newKey("corporate");
		const visitor = await visit();
		await visitor.open("/console");
		await visitor.enterKey(key.slice(0, -1));
		expect(await visitor.page.locator("#sign-in-error").innerText()).toContain("malformed");
		await visitor.enterKey(`  ${key} `);
		expect(visitor.path()).toBe("/console");
	});

	it("keeps the key from scripts, from the address and from the page", async () => {
		const { visitor, key } = await signedIn();
		const cookies = await visitor.page.context().cookies();
		expect(cookies).toHaveLength(1);
		expect(cookies[0]).toMatchObject({
			name: "svc_console",
			path: "/",
			httpOnly: true,
			sameSite: "Strict",
			secure: false,
		});
		expect(cookies[0]?.value).not.toContain(key.slice(-12));
		expect(await visitor.page.evaluate("document.cookie + localStorage.length + sessionStorage.length")).toBe("00");
		expect(visitor.path()).toBe("/console");
		expect(await visitor.page.content()).not.toContain(key);
	});

	it("ends in the browser with sign-out, also for who goes back", async () => {
		const { visitor } = await signedIn();
		await visitor.page.getByRole("button", { name: "Sign out" }).click();
		await visitor.page.getByLabel("API key").waitFor();
		expect(await visitor.page.context().cookies()).toEqual([]);
		await visitor.page.goBack();
		await visitor.page.getByLabel("API key").waitFor();
		expect(visitor.path()).toContain("/console/sign-in");
	});

	it("ends at once when its key is revoked, and says so", async () => {
		const { visitor, keyId } = await signedIn();
		await service().revokeKey(keyId);
		expect(await visitor.open("/console")).toBe(401);
		expect(await mainText(visitor)).toMatch(/revoked|no longer|not valid|invalid/i);
		expect(await visitor.page.context().cookies()).toEqual([]);
		expect(await visitor.findFaults("revoked")).toEqual([]);
	});

	it("ends at once when its key is rotated; the new key begins another", async () => {
		const { visitor, key, keyId } = await signedIn();
		const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
		const rotated = await fetch(`${service().url}/v1/keys/${keyId}/rotate`, { method: "POST", headers, body: "{}" });
		expect(rotated.status).toBe(200);
		expect(await visitor.open("/console")).toBe(401);
		await visitor.enterKey(String(Object(await rotated.json()).key));
		await visitor.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
	});
});

describe("other sites", () => {
	it("cannot send a form in the user's name", async () => {
		const { visitor } = await signedIn();
		const action = `${service().url}/console/sign-out`;
		const neighbour = await startNeighbour(
			`<form method="post" action="${action}"><button>Win a prize</button></form>`,
		);
		await visitor.page.goto(neighbour);
		const answer = visitor.page.waitForResponse(action);
		await visitor.page.getByRole("button").click();
		expect((await answer).status()).toBe(403);
		await visitor.open("/console");
		expect(visitor.path()).toBe("/console");
		expect(await visitor.page.getByRole("heading", { level: 1 }).innerText()).toBe("Overview");
	});

	it("cannot frame a page", async () => {
		const visitor = await visit();
		await visitor.page.goto(await startNeighbour(`<iframe src="${service().url}/console/sign-in"></iframe>`));
		expect(visitor.takeComplaints().join("\n")).toMatch(/frame-ancestors/);
		expect(await visitor.page.frameLocator("iframe").getByLabel("API key").count()).toBe(0);
	});

	it("cannot read a page", async () => {
		const { visitor } = await signedIn();
		await visitor.page.goto(await startNeighbour("<p>A neighbour</p>"));
		for (const credentials of ["include", "omit"]) {
			const read = `fetch("${service().url}/console/sign-in", { credentials: "${credentials}" }).then(() => "read", () => "refused")`;
			expect(await visitor.page.evaluate(read)).toBe("refused");
		}
	});
});

describe("the policy of content", () => {
	it("runs no script that was written into a page", async () => {
		const { visitor } = await signedIn();
		const inject = `document.querySelector("main").insertAdjacentHTML("beforeend", '<img src="data:," onerror="window.ran = 1">');
			const script = document.createElement("script"); script.textContent = "window.ran = 1"; document.body.append(script);`;
		await visitor.page.evaluate(`{ ${inject} }`);
		await expect.poll(() => visitor.takeComplaints().join("\n")).toMatch(/Content Security Policy/);
		expect(await visitor.page.evaluate("window.ran === undefined")).toBe(true);
	});
});

describe("without a mouse or a script", () => {
	it("the keyboard alone signs in, skips the navigation and signs out", async () => {
		const { key } = await service().newKey("corporate");
		const visitor = await visit();
		const { page } = visitor;
		await visitor.open("/console");
		await page.keyboard.press("Tab");
		await page.keyboard.type(key);
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
		await page.keyboard.press("Tab");
		expect(await page.evaluate("document.activeElement.textContent.trim()")).toBe("Skip to content");
		await page.keyboard.press("Enter");
		expect(await page.evaluate("document.activeElement.id")).toBe("main");
		await page.getByRole("button", { name: "Sign out" }).focus();
		await page.keyboard.press("Enter");
		await page.getByLabel("API key").waitFor();
	});

	it("every form works", async () => {
		const { key } = await service().newKey("corporate");
		const visitor = await visit(DESK, { javaScriptEnabled: false });
		await visitor.signIn(key);
		await visitor.page.getByRole("button", { name: "Sign out" }).click();
		await visitor.page.getByLabel("API key").waitFor();
		expect(visitor.path()).toBe("/console/sign-in");
	});
});
