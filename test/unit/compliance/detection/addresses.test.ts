import { describe, expect, it } from "vitest";
import { plainConversation } from "../../../../src/compliance/conversation.ts";
import { detect } from "../../../../src/compliance/detect.ts";

const kindsOf = (text: string) => Object.values(detect(plainConversation(text)).kinds).flat();

describe("a postal address", () => {
	it.each([
		"Bitte an die Ahornstraße 31 in Fürth liefern",
		"Livrez au 27 bis rue des Tilleuls à Angers",
		"Vivo en calle Olmo 31, Zaragoza",
		"Moro na Rua das Acácias, 310, Curitiba",
		"Abito in via Carducci 31, Ferrara",
		"Ik woon op de Lindelaan 31 in Zwolle",
		"Mieszkam przy ul. Słonecznej 31/2",
		"Skicka det till Storgatan 31 B",
		"Живу на ул. Лесная, д. 31, кв. 9",
		"Lale Sokak No: 31 Daire 4 adresine gönderin",
		"我住在杭州市文三路331号602室",
		"世田谷区北沢2-31-7に引っ越します",
		"서울특별시 강남구 테헤란로 331로 보내 주세요",
		"أسكن في شارع الأمير سلطان 31 جدة",
		"שדרות רוטשילד 31 תל אביב",
		"मकान नंबर 31, द्वारका में रहता हूँ",
		"The witness lives at 31 Pine Hollow, Marlow",
	])("is found in %j", (text) => {
		expect(kindsOf(text)).toContain("postal_address");
	});

	it.each([
		"Platz 3 ist reserviert, Ring 4 auch",
		"The museum at 31 Main Street, Springfield opens at ten.",
		"Kapitel 5 in der Straße der Romanik",
		"see table 3, row 4",
	])("is not in %j", (text) => {
		expect(kindsOf(text)).not.toContain("postal_address");
	});
});
