// What a question, a column or a key asks for, and the statement that its answer makes. "Monthly income?" and "3,280" say
// "my salary is 3,280". Statements are read as other texts are.
import { verbose } from "./verbose.ts";

interface Prompt {
	/** Matched against a lower-cased question. */
	readonly asks: RegExp;
	/** Precedes the answer. */
	readonly says: string;
}

/** Words for whose data a question asks. */
const YOURS = "(?:your|you|his|her|their|the (?:patient|child|tenant|client|customer|applicant|insured)(?:['’]s)?)";

const PROMPTS: readonly Prompt[] = [
	{
		asks: new RegExp(verbose`
			(?:full|first|last|legal|child['’]s|patient['’]s|customer|patient|client|tenant|employee|applicant|your) name\b
			|\bname and\b
			|^(?:sur)?name\W{0,3}$
			|\bname (?:of|for) the (?:patient|tenant|client|customer|applicant|child|insured|employee|guest)
			|^(?:patient|pt|employee|customer|nombre|nom|nome|cognome|naam|nachname|vorname|fio|holder)$
		`),
		says: "Full name: ",
	},
	{
		asks: /social security|\bssn\b/,
		says: "my social security number (SSN) is ",
	},
	{
		asks: /date of birth|birth ?da(?:te|y)|\bdob\b|\bborn\b|geburtsdatum|naissance|nacimiento|nascita|nascimento/,
		says: "my date of birth is ",
	},
	{
		asks: /\b(?:tele)?phone\b|\bmobile\b|\bcell\b|number (?:can|to) (?:i |we )?(?:reach|call)|^tel(?:efono|éfono|efon)?$|^handy$|^móvil$/,
		says: "my phone number is ",
	},
	{
		asks: new RegExp(`${YOURS}[^?]{0,24} address|^(?:home |postal |street )?address\\W{0,3}$`),
		says: "I live at this address: ",
	},
	{ asks: /registration|licen[cs]e plate|number plate|\bplate\b/, says: "my car, registration plate " },
	{ asks: /driv\w{2,5} licen[cs]e/, says: "my driver's license number is " },
	{ asks: /passport/, says: "my passport number is " },
	{ asks: /\bnhs\b/, says: "my NHS number is " },
	{ asks: /medical record|\bmrn\b|patient (?:id|number)/, says: "MRN: " },
	{
		asks: /insurance (?:id|number|no)|member(?:ship)? (?:id|number)|policy number/,
		says: "my health insurance member ID: ",
	},
	{
		asks: new RegExp(verbose`
			\b(?:income|salary|wages?|take[- ]home|earn(?:ings)?|gross|payslip|net pay)\b
			|gehalt|salaire|salario|sueldo|stipendio|salário|maaş
		`),
		says: "my salary is $",
	},
	{
		asks: /\b(?:debts?|owe|loans?|mortgage|arrears|overdraft|savings|(?:account )?balance)\b|schulden|deuda|dettes?|borç/,
		says: "I have debts of $",
	},
	{ asks: /account (?:number|no)|which account|bank account/, says: "my bank account number is " },
	{ asks: /card (?:number|no)|number (?:on|of) (?:your|the) card|which card/, says: "my card number is " },
	{ asks: /\b(?:cvv|cvc)2?\b|security code/, says: "my card's cvv: " },
	{
		asks: /(?:(?:door|keypad|alarm|gate|safe|lock|garage|building|entry)[^?]{0,40}\bcode\b|\bcode\b[^?]{0,40}(?:door|keypad|alarm|gate|safe|lock|garage|building))/,
		says: "door code: ",
	},
	{ asks: /\bpass(?:word|phrase|code)\b|^(?:pass|pwd|pw)$/, says: "password: " },
	{ asks: /\bpin\b/, says: "the PIN of my card is " },
	{ asks: /\b(?:pills?|medications?|medicines?|meds|prescriptions?|rx)\b/, says: "I take " },
	{ asks: /\ballerg/, says: "I am allergic to " },
	{
		asks: new RegExp(
			`\\b(?:diagnos[ie]s|dx|conditions?|illness(?:es)?|symptoms?|complaints?|medical history)\\b|why are ${YOURS} on`,
		),
		says: "I have been diagnosed with ",
	},
];

/** The statements that an answer makes, without the answer. */
export function statementsFor(question: string): string[] {
	const lower = question.toLowerCase();
	return PROMPTS.filter(({ asks }) => asks.test(lower)).map(({ says }) => says);
}

const MEASURED =
	/\bwhat(?:['’]s| is| was| were| are)? (?:your|the|his|her|their) (?:last |latest )?([a-z][\w -]{1,32})\W{0,3}$/i;

/** "What was your ferritin?" as "my ferritin is "; null for another question. */
export function measureStatement(question: string): string | null {
	const measure = MEASURED.exec(question)?.[1];
	return measure === undefined ? null : `my ${measure.toLowerCase()} is `;
}

/** A later message that says what an earlier value was. */
const PASSWORD_EXPLANATION =
	/(?:that|it)(?:['’]s| is| was) (?:what i (?:type|use|enter)|(?:also )?my (?:[\w-]{2,16} ){0,2}(?:password|passcode|passphrase|pin))/;

/** The statement that a later message makes of an earlier value; null for none. */
export function explanationStatement(later: string): string | null {
	return PASSWORD_EXPLANATION.test(later.toLowerCase()) ? "password: " : null;
}

/** Points back at what the question before was about. */
const BACK_REFERENCE = new RegExp(
	verbose`
		(?<=\b(?:has|have|had|got|getting|with|take|takes|taking|took) )(?:it|that|this|the same|one)\b
		|(?<=\b(?:hat|habe|hatte|nimmt|nehme) (?:ich |er |sie )?)(?:das|es|dasselbe)\b
		|(?<=\b(?:tiene|tengo|tenía|tem|tenho|ha|ho) )(?:eso|esto|lo mismo|isso|questo)\b
	`,
	"i",
);

/** The span of words that point back at a topic; null if there are none. */
export function findBackReference(text: string): readonly [start: number, end: number] | null {
	const match = BACK_REFERENCE.exec(text);
	return match && [match.index, match.index + match[0].length];
}
