import { describe, expect, it } from "vitest";
import { plainConversation } from "../../../../src/compliance/conversation.ts";
import { detect } from "../../../../src/compliance/detect.ts";

const SAID: readonly (readonly [language: string, kind: string, text: string, value: string])[] = [
	["English", "generic_secret", "the gate code is 7315#", "7315#"],
	["English", "generic_secret", "wifi: HARBOUR-GUEST / lantern7lantern", "lantern7lantern"],
	["English", "credit_context", "we still owe 198,500 on the house", "owe 198,500"],
	["English", "person_name", "My landlady Henrike Ostrowski keeps the deposit", "Henrike Ostrowski"],
	["English", "person_name", "Imke Vandersteen (47) of 5 Quay Street wants a refund", "Imke Vandersteen"],
	["German", "salary_context", "Ich verdiene 3150 netto", "verdiene 3150"],
	["German", "generic_secret", "Der Türcode lautet 7315B", "7315B"],
	["French", "generic_secret", "code de l'immeuble 73B15", "73B15"],
	["Spanish", "credit_context", "Debo 7 mil de la tarjeta", "Debo 7 mil"],
	["Portuguese", "phone", "Meu número: 91 7315 204 88", "91 7315 204 88"],
	["Italian", "person_name", "Mi chiamo Ginevra Baldassarri", "Ginevra Baldassarri"],
	["Dutch", "credit_context", "Ik heb 9.500 euro schuld", "9.500 euro schuld"],
	["Polish", "generic_secret", "kod do bramy 7315", "7315"],
	["Swedish", "generic_secret", "lösenordet är Fjäll7315!", "Fjäll7315"],
	["Turkish", "salary_context", "Maaşım 38 bin", "Maaşım 38 bin"],
	["Russian", "person_name", "Меня зовут Тимур Белозёров", "Тимур Белозёров"],
	["Russian", "generic_secret", "пароль от почты Snegir_7315!", "Snegir_7315"],
	["Russian", "date_of_birth", "Она родилась 9 мая 1994 года", "9 мая 1994"],
	["Chinese", "person_name", "我叫欧阳晓雯,帮我写信", "欧阳晓雯"],
	["Chinese", "generic_secret", "门禁密码731520", "731520"],
	["Chinese", "salary_context", "我月薪16500", "我月薪16500"],
	["Japanese", "date_of_birth", "生年月日は1991年4月3日です", "1991年4月3日"],
	["Japanese", "bank_account", "口座番号 7315204", "7315204"],
	["Korean", "generic_secret", "현관 비밀번호는 7315*20", "7315*20"],
	["Korean", "national_id", "여권번호 M73152048", "M73152048"],
	["Arabic", "person_name", "اسمي خالد العتيبي", "خالد العتيبي"],
	["Arabic", "national_id", "رقم الهوية 1073152048", "1073152048"],
	["Persian", "bank_account", "شماره حساب 7315204886", "7315204886"],
	["Hebrew", "generic_secret", "הסיסמה היא Yam#7315", "Yam#7315"],
	["Hindi", "generic_secret", "वाईफाई पासवर्ड Nadi@7315 है", "Nadi@7315"],
	["Hindi", "credit_context", "मुझ पर 3 लाख का कर्ज है", "3 लाख का कर्ज"],
	["Marathi", "person_name", "माझे नाव प्रदीप कुलकर्णी आहे", "प्रदीप कुलकर्णी आहे"],
];

const NOT_SAID: readonly string[] = [
	"Как придумать надёжный пароль из 12 символов?",
	"密码应该有多少位?",
	"パスワードは8文字以上にしてください",
	"비밀번호를 변경하는 방법을 알려줘",
	"मेरा नाम क्या होना चाहिए?",
	"Şifre en az 8 karakter olmalı",
	"Jaka jest średnia pensja w Polsce w 2024 roku?",
	"The safe in the hall opens with [code].",
	"I make 3 cakes for 12 people",
	"error code 40413 at login",
	"My neighbor plays loud music",
	"my account was locked after 5 attempts",
	"The company has a debt of $3.1 million in my spreadsheet",
];

describe("values behind labels", () => {
	it.each(SAID)("in %s: %s in %j", (_, kind, text, value) => {
		const found = detect(plainConversation(text)).findings.filter((finding) => finding.kind === kind);
		expect(found.map(({ start, end }) => text.slice(start, end))).toContain(value);
	});

	it.each(NOT_SAID)("are not in %j", (text) => {
		expect(detect(plainConversation(text)).classes).toEqual([]);
	});
});
