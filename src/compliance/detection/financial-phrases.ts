// The table of phrases about somebody's money: salaries, debts, cards, accounts.
import words from "./lists/money-words.json" with { type: "json" };
import type { Phrase } from "./phrase.ts";
import { verbose } from "./verbose.ts";

const CURRENCY = "[$€£¥₹]|usd|eur(?:os?)?|gbp|inr|chf|cad|aud|pln|zł|sek|nok|dkk|brl|r\\$|dollars?|pounds?|francs?|kr";
const MONEY_CORE = /[$€£¥₹]|usd|eur|gbp|inr|chf|cad|aud|pln|zł|sek|nok|dkk|brl|dollar|pound|franc|\dk|\d kr/gi;
/** A sum with its currency before or after it, or in thousands. */
const MONEY_SUM = `(?:(?:${CURRENCY}) ?\\d[\\d,.]{1,12}(?: ?(?:k|m|million|thousand)\\b)?|\\b\\d[\\d,.]{1,12} ?k? ?(?:${CURRENCY})(?![a-z])|\\b\\d{2,3} ?k\\b)`;

const PAY = words.payPatterns.join("|");
/** English verbs of earning. Exercises use them, too, of pay by the hour or the piece: so a period or a large sum is needed. */
const EARNS = "earns?|earned|earning|earnings|makes|paid|pays? (?:me|him|her)|takes? home|make";
const PAY_PERIOD = verbose`
	\b(?:a|per|each|every) (?:year|month|annum|fortnight)\b
	|/ ?(?:yr|year|mo|month)\b
	|\bannual
	|\byearly\b
	|\bmonthly\b
	|\bp\.?a\b
	|\b(?:net|gross)\b
	|\b(?:before|after) tax
	|\bin (?:january|february|march|april|may|june|july|august|september|october|november|december|20\d\d)\b
	|\blast (?:year|month)\b
	|\bbase\b
`;
const LARGE_SUM = `(?:${CURRENCY}) ?\\d{2,3}[.,]?\\d{3}(?!\\d|[.,]\\d{3})|\\b\\d{2,3}[.,]?\\d{3} ?(?:${CURRENCY})(?![a-z])|\\d ?k\\b`;
/** The earner: a person by their role, or the subject of the verb. */
const EARNER = new RegExp(
	verbose`
		employee
		|\bstaff\b
		|candidate
		|applicant
		|payroll
		|salary
		|new hire
		|\bpays? (?:me|him|her)\b
		|\bmy\b
		|\bour \w{3,12} (?:earn|make|is paid|was paid)
		|(?<![\w'’])(?:i|he|she)(?:['’](?:s|m|d|ve))? (?:[a-z]{2,12} ){0,3}(?:${EARNS})\b
		|(?:\bhis|\bher|\btheir) (?:[a-z]{2,12} ){0,2}(?:${EARNS})\b
		|\bm(?:r|rs|s)\.? [a-z'’-]{2,20} (?:[a-z]{2,12} ){0,2}(?:${EARNS})\b
	`,
);
const KNOWN_EARNER = new RegExp(verbose`
	(?:
		(?<![\w'’])(?:
			i|employee(?: no\.?| number)? #?\d{1,8}|staff(?: member)? #?\d{1,8}|(?:my|our) (?:[\w-]{2,12} ){0,2}[\w-]{2,16}
			|m(?:r|rs|s)\.? [a-z'’-]{2,20}
		)
	)(?:['’](?:s|m|d|ve|re))? (?:(?:now|only|still|currently|have|has) ){0,2}(?:earns?\b|earned\b|(?:
		is|was|am|are|get|gets|got|being|been
	) (?:now |only |still |currently )?paid\b)
`);
const DEBT = words.debtPatterns.join("|");

/** The person whose money it is. */
const MONEY_OWNER = new RegExp(verbose`
	(?:compensation|salary|\bpay|bonus|pension|wages?) (?:for|of) [a-z]\. [a-z]{3,20}
	|employee
	|\bi\b
	|\bi['’]
	|\bmy\b
	|\bhis\b
	|\bher\b
	|\bhe\b
	|\bshe\b
	|\btheir\b
	|staff
	|\bm(?:r|rs|s)\b
	|salary of
	|payroll
	|payslip
	|candidate
	|applicant
	|customer
	|client
	|borrower
	|tenant
	|\bmember
	|account holder
	|\bfiler
	|offer
	|\bfrau\b
	|\bherrn?\b
	|mitarbeiter
	|kund(?:e|in)\b
	|\bich\b
	|\bmein
	|\bsie (?:verdient|bekommt)
	|\ber (?:verdient|bekommt)
	|\bmi\b
	|\bgan[oa]\b
	|\bmon\b
	|\bil (?:gagne|touche)
	|\belle (?:gagne|touche)
	|\bmio\b
	|\bmeu\b
	|\bminha\b
	|\bmijn\b
	|\bhij\b
	|\bzij\b
	|empleado
	|empleada
	|employée?
	|dipendente
	|funcionári
	|werknemer
	|pracownik
`);
const GENERAL_MONEY_TALK = new RegExp(verbose`
	average
	|\bmedian\b
	|minimum wage
	|salary range
	|typical
	|\bwhat (?:is|are)\b
	|how (?:much|do|does|is|can)
	|at least
	|\brequire
	|durchschnitt
	|promedio
	|moyen
	|\bbudget
	|revenue
	|quarter
	|invoice
	|company
	|example
	|calculate
	|formula
	|order total
	|price
	|\bfor (?:this|it|an?) |too much
	|\bbillion\b
	|shareholder
	|\beps\b
	|\bdiluted\b
`);

/** Salaries, debts, cards and accounts. */
export const FINANCIAL_PHRASES: readonly Phrase[] = [
	{
		kind: "salary_context",
		core: MONEY_CORE,
		// Cut at letters beyond ASCII: nómina, salário.
		words: words.pay,
		window: [64, 96],
		pattern: new RegExp(`(?:${PAY})(?!\\p{L})[^\\n]{0,56}?${MONEY_SUM}`, "iuy"),
		near: MONEY_OWNER,
		unless: GENERAL_MONEY_TALK,
	},
	{
		kind: "salary_context",
		core: MONEY_CORE,
		words: words.earning,
		window: [64, 96],
		pattern: new RegExp(
			`(?:${EARNS})(?!\\p{L})(?:[^\\n.!?]|\\.(?! )){0,40}?(?:(?:${LARGE_SUM})|${MONEY_SUM}(?:[^\\n.!?]|\\.(?! )){0,24}?(?:${PAY_PERIOD})|(?:${PAY_PERIOD})[^\\n.!?]{0,24}?${MONEY_SUM})`,
			"iuy",
		),
		near: EARNER,
		unless: GENERAL_MONEY_TALK,
	},
	// For the writer, their family and their staff, pay by the hour or the week counts, too.
	{
		kind: "salary_context",
		core: MONEY_CORE,
		words: ["earn", "earns", "earned", "paid"],
		window: [64, 96],
		pattern: new RegExp(`(?:earns?|earned|paid)(?!\\p{L})(?:[^\\n.!?]|\\.(?! )){0,24}?${MONEY_SUM}`, "iuy"),
		near: KNOWN_EARNER,
		unless: GENERAL_MONEY_TALK,
	},
	{
		kind: "salary_context",
		words: words.payslip,
		window: [16, 88],
		pattern:
			/(?:payslip|lohnabrechnung|gehaltsabrechnung|nomina|bulletin de paie|busta paga|holerite|loonstrook)[^\n]{0,64}\b\d{1,3}[.,]?\d{3}(?:[.,]\d{2})?(?!\d)/i,
		unless: GENERAL_MONEY_TALK,
	},
	{
		kind: "credit_context",
		words: ["credit", "fico", "schufa", "creditworthiness"],
		window: [64, 72],
		pattern: /\b(?:credit|fico|schufa)[ -]?(?:score|rating)[^\n\d]{0,28}\d{2,3}(?:[.,]\d)?\b/i,
		near: MONEY_OWNER,
		unless: GENERAL_MONEY_TALK,
	},
	{
		kind: "credit_context",
		core: MONEY_CORE,
		words: words.debt,
		window: [64, 72],
		pattern: new RegExp(`(?:${DEBT})(?!\\p{L})[^\\n]{0,40}?${MONEY_SUM}`, "iuy"),
		near: MONEY_OWNER,
		unless: GENERAL_MONEY_TALK,
	},
	// The sum precedes the word: "has $41,000 in savings".
	{
		kind: "credit_context",
		core: MONEY_CORE,
		words: ["savings", "debt", "debts", "loans", "arrears"],
		window: [64, 24],
		pattern: new RegExp(
			`(?<=${MONEY_SUM} (?:in|of) (?:[a-z]{3,10} ){0,2})(?:savings|debts?|loans|arrears)(?!\\p{L})`,
			"iuy",
		),
		near: new RegExp(verbose`
			(?<![\w'’])(?:
				i|he|she|applicant|borrower|tenant|customer|client|m(?:r|rs|s)\.? [a-z'’-]{2,20}
				|my (?:[a-z-]{2,12} ){0,2}[a-z]{2,12}
			)(?:['’](?:ve|s))? (?:still |now |currently |only ){0,1}(?:has|have|had|owes?|got)\b
		`),
		unless: GENERAL_MONEY_TALK,
	},
	{
		kind: "card_cvv",
		words: ["pin", "geheimzahl"],
		window: [32, 48],
		pattern: /\b(?:pin|geheimzahl)\b[^\n\d]{0,32}\b\d{4}(?!\d|[.,]\d)/i,
		near: /\bcard\b|debit|\batm\b|karte|tarjeta|\bcarte\b|\bcarta\b|cartão|bankpas|bancomat/,
		unless: /pin ?code (?:is )?(?:required|length)|sim card|pinout|gpio/,
	},
	{
		kind: "card_cvv",
		words: ["cvv", "cvc", "cvv2", "cvc2", "cid", "security", "cardcode"],
		window: [0, 40],
		pattern: /^(?:cvv2?|cvc2?|cid|security code)(?: is| code|:)?["':=# ]{1,4}\d{3,4}(?![\d.])/i,
	},
	// Letters alone are a code only after its name.
	{
		kind: "swift_bic",
		words: ["swift", "bic"],
		window: [0, 40],
		pattern:
			/^(?:SWIFT|Swift|swift|BIC|Bic|bic)(?:[ /-]{1,3}(?:BIC|SWIFT|[Cc]ode|CODE)){0,2}(?: is| ist|:|=){1,2}["' ]{0,3}[A-Z]{4}[A-Z]{2}[A-Z\d]{2}(?:[A-Z\d]{3})?(?![A-Za-z\d])/,
	},
	{
		kind: "bank_account",
		words: ["account", "acct", "konto", "kontonummer", "compte", "cuenta", "clabe", "conta"],
		window: [80, 72],
		pattern:
			/\b(?:account|acct|konto(?:nummer)?|compte|cuenta|clabe|conta)\b(?: number| no\.?| num| nr\.?| #)?["':=# ]{1,3}(?:is )?\d{6,18}(?![\d-])/i,
		near: new RegExp(verbose`
			bank
			|routing
			|\baba\b
			|sort ?code
			|\biban\b
			|\bbic\b
			|swift
			|wire
			|direct de(?:bit|posit)
			|deposit
			|checking
			|savings
			|payee
			|beneficiary
			|\bach\b
			|überweis
			|transfer
			|clabe
			|account number
			|kontonummer
		`),
	},
];
