// Checks the receipt of a page in the browser: its text is fetched, hashed, and its signature verified with the published keys.
import * as z from "zod";
import { allHold, type Finding, printableText } from "../../verifier/findings.ts";
import { readPublicKeys } from "../../verifier/keys.ts";
import { checkReceiptSeal } from "../../verifier/receipt.ts";

// The page's security policy forbids code generated from text, which zod would use for speed.
z.config({ jitless: true });

async function readText(path: string): Promise<string> {
	const response = await fetch(path);
	if (!response.ok) throw new Error(`${path} answered ${response.status}`);
	return response.text();
}

async function check(requestId: string): Promise<Finding[]> {
	const [proof, keys] = await Promise.all([
		readText(`/v1/proof/${encodeURIComponent(requestId)}`),
		readText("/v1/proof/pubkey"),
	]);
	const publicKeys = readPublicKeys(keys);
	if (!publicKeys) throw new Error("the published keys could not be read");
	const checked = await checkReceiptSeal(JSON.parse(proof), publicKeys);
	if (!checked) throw new Error("the service's answer is no receipt");
	return checked.findings;
}

function show(place: HTMLElement, text: string, kind: "good" | "bad" | null, findings: readonly Finding[]): void {
	const [said, list] = [place.querySelector("p"), place.querySelector("ul")];
	if (said) said.textContent = text;
	if (kind) place.classList.add(kind);
	list?.replaceChildren(
		...findings.map((finding) => {
			const item = document.createElement("li");
			item.textContent = printableText(finding);
			return item;
		}),
	);
	place.hidden = false;
}

async function checkAt(place: HTMLElement): Promise<void> {
	try {
		const findings = await check(place.dataset["check"] ?? "");
		const holds = allHold(findings);
		show(
			place,
			holds ? "Checked in this browser: hash and signature hold" : "Checked in this browser: it does not hold",
			holds ? "good" : "bad",
			findings,
		);
	} catch (error) {
		show(place, `Not checked in this browser: ${error instanceof Error ? error.message : String(error)}`, null, []);
	}
}

for (const place of document.querySelectorAll<HTMLElement>("[data-check]")) void checkAt(place);
