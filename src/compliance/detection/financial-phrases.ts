// The table of phrases about somebody's money: salaries, debts, cards, accounts.
import type { Phrase } from "./phrase.ts";

const MONEY_CORE = /[$€£¥₹]|usd|eur|gbp|inr|chf|\dk/gi;

/** Salaries, debts, cards and accounts. */
export const FINANCIAL_PHRASES: readonly Phrase[] = [
	{
		kind: "salary_context",
		core: MONEY_CORE,
		words: [
			"salary",
			"salaries",
			"wage",
			"wages",
			"payroll",
			"earns",
			"compensation",
			"bonus",
			"gehalt",
			"salario",
			"salaire",
			"stipendio",
			"net",
			"income",
		],
		window: [24, 96],
		pattern:
			/\b(?:salary|salaries|wages?|payroll|earns|compensation|bonus|gehalt|salario|salaire|stipendio|income)\b[^\n]{0,56}?(?:(?:[$€£¥₹]|usd|eur|gbp|inr|chf) ?\d[\d,.]{2,12}k?|\b\d[\d,.]{3,12} ?(?:[$€£¥₹]|usd|eur|gbp|inr|chf|k\b))/i,
		near: /employee|\bmy\b|\bhis\b|\bher\b|\bhe\b|\bshe\b|\btheir\b|staff|\bmr|\bms|salary of|payroll|candidate|offer/,
		unless: /average|median|minimum wage|salary range/,
	},
	{
		kind: "credit_context",
		words: [
			"credit",
			"fico",
			"schufa",
			"loan",
			"mortgage",
			"overdraft",
			"balance",
			"debt",
			"debts",
			"creditworthiness",
		],
		window: [64, 72],
		pattern:
			/\b(?:credit|fico|schufa)[ -]?(?:score|rating)[^\n\d]{0,10}\d{3}\b|\b(?:loan|mortgage|overdraft|debts?|account balance|bank balance)\b[^\n\d]{0,32}[$€£₹] ?\d[\d,.]{2,12}/i,
		near: /customer|client|employee|applicant|borrower|\bmy\b|tenant|\bmember|account holder/,
		unless: /average|median|typical|what is|minimum|at least|require/,
	},
	{
		kind: "card_cvv",
		words: ["cvv", "cvc", "cvv2", "cvc2", "cid", "security", "cardcode"],
		window: [0, 40],
		pattern: /^(?:cvv2?|cvc2?|cid|security code)(?: is| code|:)?["':=# ]{1,4}\d{3,4}(?![\d.])/i,
	},
	{
		kind: "bank_account",
		words: ["account", "acct", "konto", "kontonummer", "compte", "cuenta", "clabe", "conta"],
		window: [80, 72],
		pattern:
			/\b(?:account|acct|konto(?:nummer)?|compte|cuenta|clabe|conta)\b(?: number| no\.?| num| nr\.?| #)?["':=# ]{1,3}(?:is )?\d{6,18}(?![\d-])/i,
		near: /bank|routing|\baba\b|sort ?code|\biban\b|\bbic\b|swift|wire|direct de(?:bit|posit)|deposit|checking|savings|payee|beneficiary|\bach\b|überweis|transfer|clabe|account number|kontonummer/,
	},
];
