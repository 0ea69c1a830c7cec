// The parts of the detector of sensitive data that can be left out: `npm run eval:sensitive -- --ablate` tells which rows each
// decides.
import { resolve } from "node:path";
import type { Part, Room } from "./ablation/parts.ts";

const DETECTION = "compliance/detection";

/** What stands in for an export of the detector. */
const FINDS = {
	noList: "[]",
	no: "() => false",
	none: "() => null",
	noEnd: "() => -1",
	/** A reader that reads on and reports nothing. */
	noReader: "() => () => {}",
	noView: "() => null",
	noViewInSteps: "function* () { return null; }",
	noMatch: "/(?!)/",
} as const;

interface PartDetails {
	/** Where the exports stand, if not in a module of the part's name. */
	readonly module?: string;
	/** Modules and lists that only it needs. */
	readonly alone?: readonly string[];
	readonly kept?: string;
}

/** A part that is one module of detection, with what only it needs. */
function toPart(name: string, exports: Readonly<Record<string, string>>, details: PartDetails = {}): Part {
	const { module = name, alone = [], kept } = details;
	const file = `${DETECTION}/${module}.ts`;
	return {
		name,
		files: [...(module === name ? [file] : []), ...alone.map((each) => `${DETECTION}/${each}`)],
		without: { [file]: exports },
		...(kept === undefined ? {} : { kept }),
	};
}

const PARTS: readonly Part[] = [
	toPart("genre", { createPublicKnowledgeRule: "() => () => false" }),
	toPart("documentation", { isPresentedExample: FINDS.no }, { alone: ["lists/documentation-values.json"] }),
	toPart("health-phrases", { HEALTH_PHRASES: FINDS.noList }, { alone: ["lists/health-words.json"] }),
	toPart("financial-phrases", { FINANCIAL_PHRASES: FINDS.noList }, { alone: ["lists/money-words.json"] }),
	toPart("personal-phrases", { PERSONAL_PHRASES: FINDS.noList }, { alone: ["lists/personal-words.json"] }),
	toPart("health-statements", { createHealthStatementReader: FINDS.noReader }),
	toPart("records", { createRecordReader: FINDS.noReader }),
	toPart("given-names", { givenNames: "new Set()" }, { module: "names", alone: ["lists/given-names.json"] }),
	toPart("not-names", { notNames: "new Set()" }, { module: "names", alone: ["lists/not-names.json"] }),
	toPart("clinical-evidence", { createClinicalReader: FINDS.noReader }),
	toPart("clinical-signs", { CLINICAL_SIGNS: FINDS.noList }),
	toPart(
		"labelled-values",
		{ createLabelReader: FINDS.noReader },
		{ alone: ["labelled-shapes.ts", "labels.ts", "lists/labels.json"] },
	),
	toPart("seed-phrases", { SeedFinder: "class { searchAround() {} searchWhole() {} }" }),
	toPart("addresses", { findAddress: FINDS.none }),
	toPart("national-numbers", { NATIONAL_NUMBERS: FINDS.noList }),
	toPart("world-numbers", { WORLD_NUMBERS: FINDS.noList }),
	toPart("personal-identifiers", { PERSONAL_IDENTIFIERS: FINDS.noList }),
	toPart("health-identifiers", { HEALTH_IDENTIFIERS: FINDS.noList }),
	toPart("financial-identifiers", { FINANCIAL_IDENTIFIERS: FINDS.noList }),
	toPart("iban", { findIbanEnd: FINDS.noEnd }, { alone: ["lists/iban-lengths.json"] }),
	toPart("mailboxes", { createMailboxReader: FINDS.noReader }, { module: "people" }),
];

export const SENSITIVE_ROOM: Room = {
	root: resolve(import.meta.dirname, "../../src"),
	folders: [DETECTION],
	parts: PARTS,
	foundation: [],
};
