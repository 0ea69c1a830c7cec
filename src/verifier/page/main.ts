// The script of the page that verifies in the browser. It runs the checks of `npm run verify` on what the user pastes,
// and makes no request.
import * as z from "zod";
import { createVerifier } from "../../proof/signing.ts";
import { decodeText } from "../document.ts";
import { allHold, type Finding, failedFinding, printableText } from "../findings.ts";
import { type PublicKeys, readPublicKeys } from "../keys.ts";
import { guessKind, PROOF_KINDS, parseKind } from "../kinds.ts";

// The page's security policy forbids code generated from text, which zod would use for speed.
z.config({ jitless: true });

/** RFC 8032, section 7.1, test 1. Shows whether this browser verifies Ed25519. */
const TEST_SIGNATURE = {
	publicKey: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
	signature:
		"e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
};

function fromHex(hex: string): Uint8Array {
	return Uint8Array.from(hex.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
}

async function canVerify(): Promise<boolean> {
	try {
		return await createVerifier(fromHex(TEST_SIGNATURE.publicKey)).verifyBytes(
			new Uint8Array(),
			fromHex(TEST_SIGNATURE.signature),
		);
	} catch {
		return false;
	}
}

function element<T extends HTMLElement>(id: string, type: new () => T): T {
	const found = document.getElementById(id);
	if (!(found instanceof type)) throw new Error(`the page has no ${id}`);
	return found;
}

const proofInput = element("proof", HTMLTextAreaElement);
const pubkeyInput = element("pubkey", HTMLTextAreaElement);
const checkpointInput = element("checkpoint", HTMLTextAreaElement);
const saltInput = element("salt", HTMLInputElement);
const inputInput = element("input", HTMLTextAreaElement);
const outputInput = element("output", HTMLTextAreaElement);
const kindSelect = element("kind", HTMLSelectElement);
const resultSection = element("result", HTMLElement);
const verdictHeading = element("verdict", HTMLHeadingElement);

const VERDICT_LABELS: Readonly<Record<Finding["verdict"], [text: string, style: string]>> = {
	ok: ["holds", "good"],
	FAIL: ["fails", "bad"],
	note: ["note", "soft"],
};

function toListItem(finding: Finding): HTMLLIElement {
	const [word, style] = VERDICT_LABELS[finding.verdict];
	const label = document.createElement("strong");
	label.className = style;
	label.textContent = word;
	const item = document.createElement("li");
	const text = document.createElement("span");
	text.textContent = printableText(finding);
	item.append(label, text);
	return item;
}

function showVerdict(text: string, style: string, findings: readonly Finding[]): void {
	verdictHeading.textContent = text;
	verdictHeading.className = style;
	element("findings", HTMLUListElement).replaceChildren(...findings.map(toListItem));
	resultSection.hidden = false;
}

function showFindings(findings: readonly Finding[]): void {
	const holds = allHold(findings);
	showVerdict(holds ? "All of it holds" : "It does not hold", holds ? "good" : "bad", findings);
	verdictHeading.focus();
}

/** Number of the latest input. A verdict is shown only for the input that it was made for. */
let turn = 0;

/** Hides the verdict, and outdates any check in progress, because the input has changed. */
function discardVerdict(): number {
	resultSection.hidden = true;
	turn += 1;
	return turn;
}

function readKeys(): PublicKeys | null {
	return pubkeyInput.value.trim() === "" ? [] : readPublicKeys(pubkeyInput.value.trim());
}

/** What a field holds; null when it is empty. */
function given({ value }: HTMLInputElement | HTMLTextAreaElement): string | null {
	return value === "" ? null : value;
}

async function checkInput(): Promise<Finding[]> {
	if (!(await canVerify()))
		return [failedFinding("this browser verifies no Ed25519 signatures here; a newer one does, and npm run verify")];
	const keys = readKeys();
	if (!keys)
		return [failedFinding("the public key is no Ed25519 key as base64, PEM or an answer of GET /v1/proof/pubkey")];
	const name = parseKind(kindSelect.value) ?? guessKind(proofInput.value);
	if (!name)
		return [
			failedFinding(
				"this is no receipt, run, trajectory, step, chain, checkpoint or tree proof; if it is meant as one, choose its kind",
			),
		];
	const against = checkpointInput.value.trim() === "" ? null : checkpointInput.value;
	if (against !== null && PROOF_KINDS[name].takes !== "checkpoint")
		return [failedFinding(`a checkpoint is compared with a chain or a tree proof, not with a ${name}`)];
	const texts = { salt: given(saltInput)?.trim() ?? null, input: given(inputInput), output: given(outputInput) };
	if (Object.values(texts).some((text) => text !== null) && PROOF_KINDS[name].takes !== "texts")
		return [failedFinding(`a salt and texts are compared with a receipt, a run or a trajectory, not with a ${name}`)];
	return PROOF_KINDS[name].check(proofInput.value, { keys, checkpoint: against, texts });
}

for (const name of Object.keys(PROOF_KINDS)) kindSelect.append(new Option(name, name));

element("file", HTMLInputElement).addEventListener("change", async ({ target }) => {
	const file = target instanceof HTMLInputElement ? target.files?.[0] : undefined;
	if (!file) return;
	const text = decodeText(new Uint8Array(await file.arrayBuffer()));
	discardVerdict();
	proofInput.value = text ?? "";
	if (text === null) showFindings([failedFinding("the file is no text, neither UTF-8 nor UTF-16")]);
});

const form = element("form", HTMLFormElement);
form.addEventListener("input", discardVerdict);
form.addEventListener("submit", async (event) => {
	event.preventDefault();
	const own = discardVerdict();
	showVerdict("Checking …", "soft", []);
	// A long chain takes seconds, so the page shows the message first.
	await new Promise((resolve) => setTimeout(resolve));
	const findings = await checkInput().catch((error: unknown) => [
		failedFinding(error instanceof Error ? error.message : String(error)),
	]);
	if (own === turn) showFindings(findings);
});
