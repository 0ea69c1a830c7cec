// The parts of the detector of sensitive data that can be left out: `npm run eval:sensitive -- --ablate` tells which rows each
// decides.
import { resolve } from "node:path";
import { FINDS, type Part, type Room } from "./ablation/parts.ts";

const COMPLIANCE = "compliance";
const DETECTION = `${COMPLIANCE}/detection`;

/** What stands in for readers and patterns. */
const READS = {
	noEnd: "() => -1",
	/** A reader that reads on and reports nothing. */
	nothing: "() => () => {}",
	nothingInSteps: "function* () { return null; }",
	noMatch: "/(?!)/",
} as const;

interface PartDetails {
	/** Where the exports stand, if not in a module of the part's name. */
	readonly module?: string;
	/** Modules and lists that only it needs. */
	readonly alone?: readonly string[];
	readonly within?: string;
	readonly kept?: string;
}

/** A part that is one module of detection, with what only it needs, or some of the module's exports. */
function toPart(name: string, exports: Readonly<Record<string, string>>, details: PartDetails = {}): Part {
	const { module = name, alone = [], ...rest } = details;
	const file = `${DETECTION}/${module}.ts`;
	return {
		name,
		files: [...(module === name ? [file] : []), ...alone.map((each) => `${DETECTION}/${each}`)],
		without: { [file]: exports },
		...rest,
	};
}

/** A pattern of what a sentence says about somebody's health. */
function toSign(name: string, pattern: string): Part {
	return toPart(name, { [pattern]: READS.noMatch }, { module: "clinical-signs", within: "clinical-evidence" });
}

const PARTS: readonly Part[] = [
	toPart("genre", { createPublicKnowledgeRule: "() => () => false" }),
	toPart("documentation", { isPresentedExample: FINDS.no }, { alone: ["lists/documentation-values.json"] }),
	toPart("phrases", { PHRASES: FINDS.noList }, { alone: ["phrase-finder.ts"] }),
	toPart("records", { createRecordReader: READS.nothing }),
	toPart("not-names", { isFullName: "() => true" }, { module: "names", alone: ["lists/not-names.json"] }),
	toPart("names", { matchName: FINDS.none }, { module: "people", alone: ["lists/not-surnames.json"] }),
	toPart(
		"clinical-evidence",
		{ createClinicalReader: READS.nothing },
		{
			alone: [
				...["clinical-signs.ts", "health-subjects.ts", "sentence-subject.ts"],
				...["lists/clinical-endings.json", "lists/clinical-ending-exceptions.json", "lists/clinical-words.json"],
			],
		},
	),
	toSign("clinic", "CLINIC"),
	toSign("dose", "DOSE"),
	toSign("patient-only", "PATIENT_ONLY"),
	toSign("general-statement", "GENERAL_STATEMENT"),
	toSign("work-on-topic", "WORK_ON_TOPIC"),
	toSign("not-a-condition", "NOT_A_CONDITION"),
	toSign("about-preposition", "ABOUT_PREPOSITION"),
	toSign("animals", "ANIMALS"),
	toSign("people-by-role", "PEOPLE_BY_ROLE"),
	toPart(
		"not-about-somebody",
		{ NOT_ABOUT_SOMEBODY: READS.noMatch },
		{ module: "health-subjects", within: "clinical-evidence" },
	),
	toPart(
		"labelled-values",
		{ createLabelReader: READS.nothing },
		{ alone: ["labelled-shapes.ts", "labels.ts", "lists/labels.json"] },
	),
	toPart("seed-phrases", { SeedFinder: "class { searchAround() {} searchWhole() {} }" }),
	toPart("addresses", { findAddress: FINDS.none }),
	toPart("national-numbers", { NATIONAL_NUMBERS: FINDS.noList }),
	toPart(
		"world-numbers",
		{ WORLD_NUMBERS: FINDS.noList },
		{
			kept: "Ten countries' numbers stand alone in forms of theirs, which no set has rows of; their shapes and check digits take nothing else for one.",
		},
	),
	toPart("personal-identifiers", { PERSONAL_IDENTIFIERS: FINDS.noList }),
	toPart("health-identifiers", { HEALTH_IDENTIFIERS: FINDS.noList }),
	toPart("financial-identifiers", { FINANCIAL_IDENTIFIERS: FINDS.noList }),
	toPart("ibans", { findIbanEnd: READS.noEnd }, { module: "identify", alone: ["lists/iban-lengths.json"] }),
	toPart("mailboxes", { createMailboxReader: READS.nothing }, { module: "people" }),
	toPart(
		"telephones",
		{ findInternationalPhoneEnd: READS.noEnd },
		{ module: "people", alone: ["lists/phone-number-lengths.json"] },
	),
	toPart("ipv4", { findPublicIpv4End: READS.noEnd }, { module: "people" }),
	toPart("ipv6", { findIpv6End: READS.noEnd }, { module: "people" }),
	toPart("mac-addresses", { findMacEnd: READS.noEnd }, { module: "people" }),
	toPart("secret-shapes", { KEY_SHAPES: FINDS.noList }, { alone: ["lists/hexadecimal-key-prefixes.json"] }),
	toPart("secret-phrases", { secretPhrasesAt: FINDS.none }),
	toPart("assignments", { createAssignmentReader: READS.nothing }, { module: "secrets" }),
	toPart("random-tokens", { findPrefixedTokenEnd: READS.noEnd }, { alone: ["lists/identifier-prefixes.json"] }),
	toPart("base64-groups", { toBase64GroupView: READS.nothingInSteps }),
	toPart("hex-view", { toHexView: READS.nothingInSteps }),
	toPart("mark-view", { toUnmarkedView: FINDS.none }),
	toPart("layout-views", {
		toRejoinedView: FINDS.none,
		toEvenView: FINDS.none,
		toSpelledView: FINDS.none,
		toMailboxView: FINDS.none,
	}),
	toPart("rejoined-words", { toRejoinedView: FINDS.none }, { module: "layout-views", within: "layout-views" }),
	toPart("evened-numbers", { toEvenView: FINDS.none }, { module: "layout-views", within: "layout-views" }),
	toPart("spelled-digits", { toSpelledView: FINDS.none }, { module: "layout-views", within: "layout-views" }),
	toPart("spaced-mailboxes", { toMailboxView: FINDS.none }, { module: "layout-views", within: "layout-views" }),
	toPart("prompts", {
		statementsFor: FINDS.nothing,
		measureStatement: FINDS.none,
		explanationStatement: FINDS.none,
		findBackReference: FINDS.none,
	}),
	{
		name: "readings",
		files: [`${COMPLIANCE}/readings.ts`],
		without: { [`${COMPLIANCE}/readings.ts`]: { conversationReadings: "function* () {}" } },
	},
	{
		name: "statements",
		files: [
			...["features", "infer", "model", "score", "topics", "units"].map(
				(name) => `${COMPLIANCE}/statements/${name}.ts`,
			),
			`${COMPLIANCE}/statements/weights.json`,
		],
		without: {
			[`${COMPLIANCE}/statements/infer.ts`]: {
				inferStatements: "function* () { return { classes: [], kinds: {}, findings: [] }; }",
			},
		},
	},
];

export const SENSITIVE_ROOM: Room = {
	root: resolve(import.meta.dirname, "../../src"),
	folders: [DETECTION, `${COMPLIANCE}/statements`],
	parts: PARTS,
	foundation: [
		...[
			"ascii-words",
			"checksums",
			"clinical-terms",
			"decoded-run",
			"finding-sink",
			"folding",
			"identifier",
			"identify",
		],
		...["kinds", "names", "people", "placeholders", "secrets", "stretches", "text-scan", "verbose"],
		...["view-builder", "views"],
	].map((name) => `${DETECTION}/${name}.ts`),
};
