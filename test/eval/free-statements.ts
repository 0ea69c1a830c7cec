// Statements in free words, in up to twelve languages, and prompts that only sound like them. Of the first ones a third is held back by the
// hash of its text: its results were not read. Scored by test/eval/sensitive.ts.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DATA_CLASSES, type DataClass } from "../../src/compliance/vocabulary.ts";
import { findTextFold } from "../train/statements/frames.ts";
import type { LabelledPrompt } from "./own-sentences.ts";

const PHI: readonly DataClass[] = ["PHI"];
const FINANCIAL: readonly DataClass[] = ["FINANCIAL"];
const PII: readonly DataClass[] = ["PII"];
const NONE: readonly DataClass[] = [];

/** Of one language and class, a line each. */
type Lines = readonly (readonly [lang: string, classes: readonly DataClass[], lines: string])[];

const LINES: Lines = [
	[
		"en",
		PHI,
		`
		I finally told my husband that I lost the pregnancy, and he just left the room. What do I say to him now?
		my wisdom tooth socket is still oozing four days later and smells awful, normal??
		Can you make a gentle 10-minute stretch routine? Two slipped discs, L4/L5, doc cleared me last week.
		grandad doesn't recognise mum any more, they want to move him to a memory ward, help me write to the council
		Ever since they upped my Lexapro I yawn all day long. Is there a trick?
		Our son stims a lot in class and the teacher complains. He got his autism diagnosis in spring. Draft a reply to her.
		Going on a first date on Friday and I wear a stoma bag. When do I bring it up?
		I skipped two insulin shots while travelling, sugar shows 19. What now?
	`,
	],
	[
		"en",
		FINANCIAL,
		`
		take-home is 3,150, rent 1,400, car 380, how much can I put away each month?
		The collection agency says I still owe 6,240 on the old Visa, can they garnish my wages?
	`,
	],
	[
		"en",
		PII,
		`
		Please print a label: Marta Kowalczyk, 14 Ashgrove Road, Bristol BS6 6NA.
	`,
	],
	[
		"en",
		NONE,
		`
		Why do antibiotics sometimes cause diarrhoea?
		Suggest a name for a podcast about living with chronic illness.
		Which of these nerves is damaged in wrist drop: radial, ulnar, median or axillary?
		Write unit tests for a function that computes BMI and returns a category.
		Explain how a 30-year fixed mortgage amortises, with numbers.
		My sourdough starter looks dead and smells like acetone, can it be saved?
		Roleplay: you are a grumpy dragon with a toothache, I am the dentist.
	`,
	],
	[
		"ru",
		PHI,
		`
		Муж после инсульта почти не говорит, какие упражнения делать дома?
		третий день температура 39 и сыпь по всему телу, скорая не едет
		Сыну поставили аутизм, как объяснить это бабушке?
		Перешла с феварина на золофт, теперь постоянно зеваю. Это пройдёт?
		мне вчера удалили желчный, когда можно жареное?
		Не могу забеременеть четыре года, две попытки ЭКО мимо. Стоит ли пробовать ещё?
	`,
	],
	[
		"ru",
		FINANCIAL,
		`
		На руки 84 тысячи, ипотека 37, как накопить подушку?
		Коллекторы требуют с меня 212 тысяч по старому займу, что отвечать?
	`,
	],
	[
		"ru",
		NONE,
		`
		Почему после антибиотиков болит живот?
		Придумай название для клиники лазерной коррекции зрения.
		Какой нерв повреждён при свисающей кисти?
		Напиши тесты на функцию, которая считает индекс массы тела.
		Мой старый ноутбук при смерти: греется и воет. Что почистить?
	`,
	],
	[
		"hi",
		PHI,
		`
		पापा को लकवे के बाद बोलने में दिक्कत है, घर पर कौन से व्यायाम कराएँ?
		तीन दिन से 103 बुखार है और शरीर पर दाने निकल आए हैं, क्या डेंगू हो सकता है?
		मेरी बेटी को ऑटिज़्म बताया गया है, स्कूल में कैसे बात करूँ?
		पित्त की थैली का ऑपरेशन हुआ है, कब से तला हुआ खा सकता हूँ?
		चार साल से बच्चा नहीं ठहर रहा, दो बार आईवीएफ फेल हो चुका है
	`,
	],
	[
		"hi",
		FINANCIAL,
		`
		हाथ में 42,000 आते हैं और होम लोन की किस्त 18,500 है, बचत कैसे करूँ?
	`,
	],
	[
		"hi",
		NONE,
		`
		एंटीबायोटिक से पेट क्यों खराब होता है?
		बीएमआई निकालने वाला पाइथन फंक्शन लिखो।
		आँखों के अस्पताल के लिए एक अच्छा नाम सुझाओ।
		मेरा पुराना लैपटॉप बहुत गरम होता है, क्या करूँ?
	`,
	],
	[
		"zh",
		PHI,
		`
		我爸中风后说话不清楚，在家可以做哪些康复训练？
		连着三天39度还起疹子，是不是登革热啊
		儿子确诊自闭症，怎么跟老人解释？
		上周刚割了胆囊，什么时候能吃油炸的？
		备孕四年一直没怀上，试管也失败了两次，还要继续吗
		换了舍曲林以后整天打哈欠，正常吗？
	`,
	],
	[
		"zh",
		FINANCIAL,
		`
		我到手一万二，房贷五千八，怎么存钱？
		催收说我还差四万三没还，会不会被起诉？
	`,
	],
	[
		"zh",
		NONE,
		`
		为什么吃抗生素会拉肚子？
		给一家眼科诊所起个名字。
		垂腕是哪根神经受损？A.桡神经 B.尺神经 C.正中神经
		写一个计算BMI的函数并加上单元测试。
		我的旧电脑快不行了，风扇一直响，怎么清灰？
	`,
	],
	[
		"pl",
		PHI,
		`
		Tata po udarze prawie nie mówi, jakie ćwiczenia robić w domu?
		trzeci dzień 39 stopni i wysypka na całym ciele, jechać na SOR?
		Syn dostał diagnozę autyzmu, jak to wytłumaczyć babci?
		Wycięli mi woreczek żółciowy, kiedy mogę smażone?
		Od czterech lat nie możemy zajść w ciążę, dwa razy in vitro na nic.
		Po zmianie na sertralinę ciągle ziewam, minie to?
	`,
	],
	[
		"pl",
		FINANCIAL,
		`
		Na rękę 6200, rata kredytu 2700, ile odkładać?
		Windykator twierdzi, że wiszę im jeszcze 8400, co odpisać?
	`,
	],
	[
		"pl",
		NONE,
		`
		Dlaczego po antybiotykach boli brzuch?
		Wymyśl nazwę dla gabinetu okulistycznego.
		Który nerw jest uszkodzony przy opadającej dłoni?
		Napisz testy do funkcji liczącej BMI.
		Mój stary laptop ledwo zipie i się grzeje, co wyczyścić?
	`,
	],
	[
		"es",
		PHI,
		`
		Papá casi no habla desde el ictus, ¿qué ejercicios hacemos en casa?
		tercer día con 39 de fiebre y ronchas por todo el cuerpo, ¿voy a urgencias?
		A mi hijo le dieron el diagnóstico de autismo, ¿cómo se lo explico a la abuela?
		Me quitaron la vesícula, ¿cuándo puedo comer frito?
		Cuatro años sin quedarme embarazada y dos FIV fallidas, ¿seguimos?
		Desde que cambié a la sertralina bostezo todo el día, ¿se pasa?
	`,
	],
	[
		"es",
		FINANCIAL,
		`
		Me entran 1.650 al mes y la hipoteca son 720, ¿cuánto ahorro?
		La agencia de cobros dice que aún debo 3.900, ¿me pueden embargar?
	`,
	],
	[
		"es",
		NONE,
		`
		¿Por qué los antibióticos dan diarrea?
		Inventa un nombre para una clínica oftalmológica.
		¿Qué nervio está dañado en la mano caída?
		Escribe pruebas para una función que calcula el IMC.
		Mi portátil viejo está agonizando y se calienta, ¿qué limpio?
	`,
	],
];

/** Written once the model was trained, about other things than the sentences that it learned from. */
const LATER_LINES: Lines = [
	[
		"en",
		PHI,
		`
		The psoriasis on my elbows flares every winter, which fabrics should I avoid?
		We keep finding food wrappers and laxatives in our daughter's room, she weighs 41 kg now.
		My gout came back right before the wedding, can I dance at all?
		They want me to donate a kidney to my brother, list the questions I should ask.
	`,
	],
	[
		"en",
		FINANCIAL,
		`
		We cleared 58k last year between us and the nursery costs 1,900 a month.
	`,
	],
	[
		"en",
		NONE,
		`
		Compare gout and pseudogout in a table for my lecture.
		Describe how a kidney transplant works.
	`,
	],
	[
		"ru",
		PHI,
		`
		Опять мигрень с аурой, третий раз за неделю, а завтра защита диплома.
		Дочь весит 41 килограмм и прячет еду, как с ней говорить?
		Подагра обострилась перед свадьбой, можно ли танцевать?
		Храплю и задыхаюсь ночью, аппарат СИПАП не помогает.
	`,
	],
	[
		"ru",
		FINANCIAL,
		`
		Вместе с женой зарабатываем 190 тысяч, садик стоит 35.
	`,
	],
	[
		"ru",
		NONE,
		`
		Сравни подагру и артроз в таблице для лекции.
		Расскажи, как устроена пересадка почки.
	`,
	],
	[
		"hi",
		PHI,
		`
		फिर से माइग्रेन हो गया है, हफ्ते में तीसरी बार, कल परीक्षा है
		बेटी का वजन 41 किलो रह गया है और वह खाना छुपाती है
		शादी से पहले मेरा गठिया फिर बढ़ गया, क्या नाच सकता हूँ?
	`,
	],
	[
		"hi",
		FINANCIAL,
		`
		हम दोनों मिलाकर 95 हज़ार कमाते हैं, स्कूल की फीस 12 हज़ार है
	`,
	],
	[
		"hi",
		NONE,
		`
		गुर्दा प्रत्यारोपण कैसे होता है?
		गठिया और आर्थ्रोसिस की तुलना तालिका में करो
	`,
	],
	[
		"zh",
		PHI,
		`
		偏头痛又犯了，这周第三次，明天还要答辩
		女儿只剩82斤，还偷偷把饭倒掉，怎么跟她谈？
		婚礼前痛风又发作了，还能跳舞吗？
		我晚上打呼噜憋醒好几次，呼吸机也没用
	`,
	],
	[
		"zh",
		FINANCIAL,
		`
		我们俩一年挣三十万，幼儿园一个月四千
	`,
	],
	[
		"zh",
		NONE,
		`
		用表格比较痛风和类风湿。
		肾移植是怎么做的？
	`,
	],
	[
		"pl",
		PHI,
		`
		Znowu migrena z aurą, trzeci raz w tym tygodniu, a jutro obrona.
		Córka waży 41 kilo i chowa jedzenie, jak z nią rozmawiać?
		Dna moczanowa wróciła przed weselem, mogę tańczyć?
	`,
	],
	[
		"pl",
		FINANCIAL,
		`
		Razem z żoną zarabiamy 14 tysięcy, żłobek kosztuje 1800.
	`,
	],
	[
		"pl",
		NONE,
		`
		Porównaj w tabeli dnę i reumatyzm na wykład.
		Na czym polega przeszczep nerki?
	`,
	],
	[
		"es",
		PHI,
		`
		Otra vez migraña con aura, la tercera esta semana, y mañana defiendo la tesis.
		Mi hija pesa 41 kilos y esconde la comida, ¿cómo hablo con ella?
		Me volvió la gota justo antes de la boda, ¿puedo bailar?
	`,
	],
	[
		"es",
		FINANCIAL,
		`
		Entre los dos ingresamos 3.200 y la guardería son 480.
	`,
	],
	[
		"es",
		NONE,
		`
		Compara la gota y la artritis en una tabla para clase.
		¿Cómo se hace un trasplante de riñón?
	`,
	],
];

/** A statement and its language. */
export interface FreeStatement extends LabelledPrompt {
	readonly lang: string;
}

function toStatements(all: Lines): FreeStatement[] {
	return all.flatMap(([lang, classes, lines]) =>
		lines
			.trim()
			.split("\n")
			.map((line) => ({ lang, classes, text: line.trim() })),
	);
}

/** Of a file: `== lang CLASS` begins the lines of a language and class, `none` those of no class. */
function readLines(file: string): FreeStatement[] {
	const sections = readFileSync(join(import.meta.dirname, file), "utf8")
		.split(/^== /m)
		.slice(1);
	return toStatements(
		sections.map((section) => {
			const [heading = "", ...lines] = section.split("\n");
			const [lang = "", name = ""] = heading.split(" ");
			return [lang, DATA_CLASSES.filter((each) => each === name), lines.join("\n")];
		}),
	);
}

const PARTS = 3;
const isHeldBack = ({ text }: FreeStatement) => findTextFold(text, PARTS) === 0;
const FIRST = toStatements(LINES);

/** Nothing is trained on them. The misses of the first part were read before more sentences were written about the same things. */
export const FREE_STATEMENTS: readonly (readonly [name: string, statements: readonly FreeStatement[]])[] = [
	["read", FIRST.filter((each) => !isHeldBack(each))],
	["held back", FIRST.filter(isHeldBack)],
	["written afterwards", toStatements(LATER_LINES)],
	// Written before the sentences of training were, about topics that none of these may name.
	["of topics never trained on", readLines("unseen-topics.txt")],
	// Written after them, about topics that none of these name in the language either.
	["of topics never trained on, written afterwards", readLines("later-topics.txt")],
];
