// Compares texts that a reader has with the hashes in a receipt (docs/proofs.md, "Salted hashes").
import { SALT_FORM, textHash } from "../proof/salted.ts";
import { type Finding, failedFinding, finding } from "./findings.ts";
import { inputForms, outputForms } from "./text-forms.ts";

/** What a reader has of a request, beside its receipt; null for what there is not. */
export interface GivenTexts {
	/** Of the receipt's hashes, from its owner. */
	salt: string | null;
	/** What was asked: a text, or the body of the request. */
	input: string | null;
	/** What was delivered: a text, or the answer. */
	output: string | null;
}

export const NO_TEXTS: GivenTexts = { salt: null, input: null, output: null };

/** The hashes that texts are compared with, as far as they are there. */
export interface TextHashes {
	isSalted: boolean;
	input: unknown;
	output: unknown;
}

const NAMES = ["input", "output"] as const;

function compareText(name: (typeof NAMES)[number], text: string, hashes: TextHashes, salt: string | null): Finding {
	const claimed = hashes[name];
	if (typeof claimed !== "string") return failedFinding(`${name}: not checked: there is no receipt with its hash`);
	if (hashes.isSalted && salt === null)
		return failedFinding(`${name}: not checked, for want of the salt that its hash is over`);
	const hash = textHash(hashes.isSalted ? (salt ?? undefined) : undefined);
	const forms = name === "input" ? inputForms(text) : outputForms(text, hash, hashes.isSalted);
	const holds = forms.some((form) => hash(form) === claimed);
	return finding(holds, `${name}: has the hash ${claimed}`, `${name}: has another hash than ${claimed}`);
}

/** Compares what is given with a receipt's hashes, and says what could not be compared. */
export function textFindings(hashes: TextHashes, given: GivenTexts): Finding[] {
	const { salt } = given;
	if (salt !== null && !SALT_FORM.test(salt)) return [failedFinding("salt: is none: it has 32 lower-case hex digits")];
	const findings = NAMES.flatMap((name) => {
		const text = given[name];
		return text === null ? [] : [compareText(name, text, hashes, salt)];
	});
	const unchecked = NAMES.filter((name) => given[name] === null);
	if (!hashes.isSalted || unchecked.length === 0) return findings;
	const needed = salt === null ? "the salt, which its owner has, and the text itself" : "the text itself";
	return [...findings, { verdict: "note", text: `${unchecked.join(", ")}: not compared; that takes ${needed}` }];
}
