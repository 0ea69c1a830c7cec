import { describe, expect, it } from "vitest";
import { plainConversation } from "../../../../src/compliance/conversation.ts";
import { detect } from "../../../../src/compliance/detect.ts";

const classesOf = (text: string) => detect(plainConversation(text)).classes;

describe("an example of documentation", () => {
	it.each([
		"The test asserts that maskMail('jane.roe@example.org') hides the name.",
		"expect(isCard('4111 1111 1111 1111')).toBe(true)",
		"Why does Luhn accept 4242 4242 4242 4242?",
		"Die Muster-IBAN DE89 3704 0044 0532 0130 00 steht in der Doku.",
		"Il codice fiscale di esempio è RSSMRA80A01H501U.",
		"What does ICD-10 code K35.80 stand for?",
		"const phone = '202-555-0147'; // placeholder",
	])("counts for nothing where the text presents it or asks about it: %j", (text) => {
		expect(classesOf(text)).toEqual([]);
	});

	it.each([
		["4111 1111 1111 1111", "FINANCIAL"],
		["Card 4111 1111 1111 1111", "FINANCIAL"],
		["My card 4111 1111 1111 1111 was declined in the test shop", "FINANCIAL"],
		["DE89 3704 0044 0532 0130 00", "FINANCIAL"],
		["The patient's code is K35.80, what does it mean?", "PHI"],
		["Our customer's mail is jane.roe@example.org, is the format right?", "PII"],
	])("counts alone and as somebody's: %j", (text, dataClass) => {
		expect(classesOf(text)).toContain(dataClass);
	});

	it.each([
		"def test_login(client):\n    res = client.post('/login', json={'user': 'tess', 'password': 'Blau7Wal!'})\n    assert res.status_code == 200",
		"@pytest.fixture\ndef patient():\n    return Patient(name='John Smith', dob='1980-01-02', mrn='12345678')",
		"A 54-year-old man presents with crushing chest pain. ECG shows ST elevation in V2. Which is the most likely diagnosis?\nA) Pericarditis\nB) STEMI\nC) Pulmonary embolism",
	])("takes in the fixture of a test and the case of an exam: %j", (text) => {
		expect(classesOf(text)).toEqual([]);
	});

	it.each([
		["name = 'John Smith', dob = '1980-01-02', mrn = '12345678', password: 'Blau7Wal!'", "SECRETS"],
		["assert login('ada', password='Blau7Wal!')  # the production password", "SECRETS"],
		["it('pays', () => expect(pay('4532 0188 4776 2094')).toBe(true))", "FINANCIAL"],
		["My mother takes metformin because she has diabetes.\nA) wait\nB) go to the ER\nC) call", "PHI"],
	])("takes in no more: %j", (text, dataClass) => {
		expect(classesOf(text)).toContain(dataClass);
	});

	it.each([
		'user = User(email="john.doe@example.com", phone="555-0100")',
		"FactoryBot.define do\n  factory :patient do\n    email { 'patient1@example.com' }\n    ssn { '987-65-4321' }\n  end\nend",
		'@Test void findsMember() { Member m = repo.findByEmail("member@example.com"); assertNotNull(m); }',
		"@pytest.mark.parametrize('email', ['test@gmail.com', 'qa+7@mail.de'])\ndef test_email(email): assert is_email(email)",
		"mockPatient = { id: 1, email: 'test.patient@hospital.test' }",
		'curl -X POST https://api.example.com/v1/customers -d email="jenny@example.com"',
		"email = faker.email() # e.g. foo@bar.com",
	])("counts for nothing in code, whose customers and patients are names of things: %j", (text) => {
		expect(classesOf(text)).toEqual([]);
	});

	it.each([
		"const owner = { email: 'marek.dvorak77@seznam.cz' };",
		"INSERT INTO patients (name, ssn) VALUES ('Ingrid Solheim', '412-68-9025');",
		"test('masks', () => { expect(mask('534-21-8873')).toBe('***') })",
		"customers.insert({ email: 'heike.vogt@gmx.de' })",
		'{"to": "jane.roe@example.org", "subject": "Invoice"}',
		"Write to my client at jane.roe@example.org: const total = 12;",
	])("leaves what may be somebody's in code, and what is data: %j", (text) => {
		expect(classesOf(text)).toContain("PII");
	});

	it("does not excuse a value that no documentation has", () => {
		expect(classesOf("For example, the test card 4532 0188 4776 2094 was charged.")).toEqual(["FINANCIAL"]);
	});
});
