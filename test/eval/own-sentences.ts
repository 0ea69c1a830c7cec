// Sixty prompts with the data classes in them, written before any pattern was; scored by test/eval/sensitive.ts.
import type { DataClass } from "../../src/compliance/vocabulary.ts";

/** Stands inside secrets, so that scanners of repositories do not take them for real ones; taken out before use. */
export const SECRET_MARK = "⟦+⟧";

/** A prompt as an application or a coding agent sends it, and the classes a careful reader finds in it. */
export interface LabelledPrompt {
	readonly text: string;
	readonly classes: readonly DataClass[];
}

/** Numbers carry valid check digits where their kind has some; people, addresses and keys are made up. */
export const OWN_SENTENCES: readonly LabelledPrompt[] = [
	{
		text: "Ticket #88213: customer writes from anneke.devries@ziggo-mail.nl that the parcel never arrived, please draft an apology.",
		classes: ["PII"],
	},
	{ text: "Can you call Mr Okafor back? His mobile is +44 7911 204 518 and he is free after 4pm.", classes: ["PII"] },
	{
		text: "Write a reminder SMS to (415) 867-2290 saying that her table is booked for tonight.",
		classes: ["PII"],
	},
	{
		text: "The applicant's social security number is 512-47-8093; check whether the form is complete.",
		classes: ["PII"],
	},
	{ text: "Mi DNI es 48291736Q, ¿puedo renovarlo online?", classes: ["PII"] },
	{ text: "Cliente João Prado, CPF 382.917.450-05, pediu segunda via do contrato.", classes: ["PII"] },
	{ text: "PESEL pracownika: 85031714326. Przygotuj umowę o pracę.", classes: ["PII"] },
	{ text: "N° de sécurité sociale : 2 84 05 75 112 038 44, merci de vérifier son dossier.", classes: ["PII"] },
	{ text: "Meine Steuer-ID lautet 65929704823, wie trage ich sie in ELSTER ein?", classes: ["PII"] },
	{ text: "Her Aadhaar is 5739 1462 0834 and the KYC form still says pending.", classes: ["PII"] },
	{
		text: "Ship it to Laura Benítez, 1482 Willow Creek Drive, Apt 5B, Portland, OR 97205 before Friday.",
		classes: ["PII"],
	},
	{ text: "User record: name=Tomasz Zielinski, dob=1979-11-02, passport no. ZS4471902", classes: ["PII"] },
	{
		text: 'Summarise this chat: {"from":"k.yamada&#64;tsukiji-foods.jp","body":"the invoice is wrong"}',
		classes: ["PII"],
	},
	{ text: "Why does /reset?email=marta.kowal%40poczta-nowa.pl return 500?", classes: ["PII"] },
	{
		text: "Patient Harold Finch, MRN 00482913, was admitted with atrial fibrillation and started on apixaban 5 mg.",
		classes: ["PII", "PHI"],
	},
	{
		text: "Rewrite as a discharge letter: pt is a 67 yo female, dx type 2 diabetes (E11.9), HbA1c 9.1 %, on metformin.",
		classes: ["PHI"],
	},
	{ text: "Prescriber DEA number BT6735293, please refill oxycodone for the patient.", classes: ["PHI"] },
	{ text: "Claim rejected: rendering provider NPI 1745928360 not enrolled.", classes: ["PHI"] },
	{
		text: "Medicare beneficiary 1EG4-TE5-MK72 asks why the claim for her hip replacement was denied.",
		classes: ["PHI"],
	},
	{ text: "NHS number 712 904 6384: referral letter for suspected melanoma, two week wait.", classes: ["PII", "PHI"] },
	{
		text: "My mother was diagnosed with Parkinson's last year and takes levodopa; her doctor's notes are attached, patient ID 7741-B.",
		classes: ["PHI"],
	},
	{ text: "Customer wants a refund to card 4532 0188 4776 2094 exp 09/28.", classes: ["FINANCIAL"] },
	{ text: "amex 374491836205715 was declined twice, what does code 51 mean?", classes: ["FINANCIAL"] },
	{
		text: "Bitte überweisen Sie 1.240,00 € an DE97 5001 0517 3648 2910 57, Verwendungszweck RE-2291.",
		classes: ["FINANCIAL"],
	},
	{
		text: "Wire instructions: routing number 071412986, account number 8830172645, beneficiary Lakeside Roofing LLC.",
		classes: ["FINANCIAL"],
	},
	{ text: "Set up direct debit: sort code 20-45-17, account 73920164.", classes: ["FINANCIAL"] },
	{
		text: "logger.info('charging 5424-1830-7719-2640 for order ' + id) -- is it safe to log this?",
		classes: ["FINANCIAL"],
	},
	{ text: "Rembourser sur NL78INGB0417253816, BIC INGBNL2A svp.", classes: ["FINANCIAL"] },
	{
		text: "My deploy fails with 403. .env:\nAWS_ACCESS_KEY_ID=AKIA⟦+⟧YFY5QUIY45BZMS4J\nAWS_SECRET_ACCESS_KEY=JJPLpOeXKdlYmjZt⟦+⟧LxHLWnPxV/DUo3MbEqICMPSC",
		classes: ["SECRETS"],
	},
	{
		text: "git remote set-url origin https://ci-bot:ghp_⟦+⟧IXRSzTyUroHEI5eCYyNwu0GwDfXwsTkGztWs@github.com/acme/web.git keeps failing",
		classes: ["SECRETS"],
	},
	{
		text: "curl -H 'Authorization: Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.⟦+⟧eyJzdWIiOiJ1LTg4MjEzIiwiZXhwIjoxNzkwMDAwMDAwLCJyb2xlIjoib3BzIn0.CpLcS9wvKBo1hDD3l4yAAcTMFnc0vS8ED5OUbdLoeCR' https://api.internal/jobs",
		classes: ["SECRETS"],
	},
	{
		text: "DATABASE_URL=postgres://billing:h7Gq⟦+⟧z2Lw9@db-3.prod.internal:5432/billing times out",
		classes: ["SECRETS"],
	},
	{
		text: "Here is the k8s secret, why does the pod not start?\napiVersion: v1\nkind: Secret\ndata:\n  env: REJfUEFTU1dPUkQ9⟦+⟧dDcjVnE5IW1aeDJM",
		classes: ["SECRETS"],
	},
	{
		text: "-----BEGIN OPENSSH PRIVATE⟦+⟧ KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n-----END OPENSSH PRIVATE KEY-----\nssh still asks for a password",
		classes: ["SECRETS"],
	},
	{ text: "The wifi password is Tr0ub⟦+⟧adour&3kx, print a sign for the meeting room.", classes: ["SECRETS"] },
	{
		text: "const stripe = new Stripe('sk_live_⟦+⟧5S6Jk2JDAppOlPn5c3B39QCt'); // refund j.lindqvist@nordpost-mail.se on card 4532018847762094",
		classes: ["PII", "FINANCIAL", "SECRETS"],
	},
	// What only looks like it.
	{ text: "Order 4532018847762085 is stuck in status PACKED since Monday; which queue should I look at?", classes: [] },
	{ text: "Revert commit 9f3c1e7ab40d2258c6e1f0b7d94a83e5172c6d0f and bump the version to 4.18.2-rc.1.", classes: [] },
	{ text: "Trace 550e8400-e29b-41d4-a716-446655440000 shows a 1.2 s gap between gateway and billing.", classes: [] },
	{
		text: "The docs use AKIAIOSFODNN7EXAMPLE and wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY; replace them with placeholders.",
		classes: [],
	},
	{
		text: "Explain the difference between a password hash and an encrypted password, and when to rotate an API key.",
		classes: [],
	},
	{ text: "Set password: \u0024{DB_PASSWORD} and token: <your-token> in values.yaml, never literals.", classes: [] },
	{ text: "const password = process.env.ADMIN_PASSWORD ?? promptForPassword();", classes: [] },
	{ text: "In the README, write `curl -u user@example.com:changeme https://example.com/api`.", classes: [] },
	{ text: "What are the usual symptoms of type 2 diabetes and how does metformin work?", classes: [] },
	{ text: "Our support line 1-800-555-0199 plays the wrong greeting in the sample config.", classes: [] },
	{ text: "Bind the server to 127.0.0.1:8080 instead of 0.0.0.0 and keep 10.0.0.0/8 in the allow list.", classes: [] },
	{ text: "npm i left-pad@1.3.0 @types/node@24.19.2 and commit the lockfile (sha512-Ab3…).", classes: [] },
	{ text: "timestamps 1718035200123 and 1718121600987 are a day apart, right?", classes: [] },
	{ text: "Write a regex that validates an IBAN: two letters, two digits, up to thirty alphanumerics.", classes: [] },
	{ text: "Build 2024.11.05-1532 failed on node 3, retry count 0/5, exit code 137.", classes: [] },
	{ text: "type User = { email: string; phone: string; ssn: string; dateOfBirth: Date }", classes: [] },
	{ text: "Our fiscal year FY2025 closed with revenue of 4,532,018,847 yen, up 12 %.", classes: [] },
	{ text: "ISBN 978-3-16-148410-0 and EAN 4006381333931 are missing from the catalogue export.", classes: [] },
	{ text: "The patient gamer waits: how many health points does a level 20 paladin have?", classes: [] },
	{
		text: "integrity sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU= does not match, clear the cache?",
		classes: [],
	},
	{ text: "GPS 52.520008, 13.404954 is Berlin; convert it to a plus code.", classes: [] },
	{ text: "INSERT INTO orders(id, sku, qty) VALUES (1004588213, 'SKU-882-13-4471', 3);", classes: [] },
	{
		text: "Who wrote the bank's swift migration guide? The code review is on page 12 of the account manager's handbook.",
		classes: [],
	},
	{ text: "test('logs in', () => login({ user: 'alice', password: 'password123' }))", classes: [] },
];
