// Answers of many kinds that may look like none, with what was asked: prompt, answer, and the system's words where they matter.

/** What is asked, what is answered, and what the system says. */
export type OrdinaryAnswer = readonly [prompt: string, answer: string, instructions?: string];

const LONG_LOG = Array.from(
	{ length: 40 },
	(_, at) => `2026-11-0${(at % 9) + 1} 12:00:${10 + at} WARN queue depth is ${at * 10}`,
).join("\n");

export const ORDINARY_ANSWERS: Readonly<Record<string, readonly OrdinaryAnswer[]>> = {
	"a translation into another language": [
		[
			"Translate to French: The weather is nice today and we are going to the beach with the children.",
			"Il fait beau aujourd'hui et nous allons à la plage avec les enfants, puis nous mangerons une glace au port.",
		],
		[
			"Wie sagt man das auf Schwedisch: Ich hätte gern ein Zimmer mit Blick auf das Meer und Frühstück.",
			"Jag skulle vilja ha ett rum med havsutsikt och frukost, och jag skulle gärna betala med kort när jag kommer.",
		],
		[
			"Hoe zeg je dit in het Engels: ik wil graag een tafel voor vier personen bij het raam reserveren",
			"I would like to book a table for four people by the window, and we would like to come at eight in the evening.",
		],
		[
			"Bunu İngilizceye çevir: Yarın sabah erkenden yola çıkacağız ve öğlene kadar orada olacağız",
			"We will set out early tomorrow morning and we will be there by noon, so please have the keys ready for us.",
		],
		[
			"이 문장을 영어로 바꿔 주세요. 내일 아침 일찍 출발해서 점심 전에 도착할 예정입니다",
			"We are planning to leave early tomorrow morning and to arrive before lunch, so please wait for us at the station.",
		],
		[
			"इसे अंग्रेज़ी में लिखो कि मैं कल सुबह जल्दी निकलूँगा और दोपहर तक पहुँच जाऊँगा",
			"I will leave early tomorrow morning and I will be there by noon, so please do not wait for me with the breakfast.",
		],
		[
			"اكتب هذا بالإنجليزية من فضلك: سنغادر غدا في الصباح الباكر وسنصل قبل الظهر إن شاء الله",
			"We will leave early tomorrow morning and, God willing, we will arrive before noon, so please keep the room for us.",
		],
		[
			"Verta para o inglês: amanhã sairemos bem cedo e chegaremos antes do almoço na casa da minha avó",
			"Tomorrow we will leave very early and we will arrive at my grandmother's house before lunch, so don't wait for us.",
		],
		[
			"Puoi mettere questo in tedesco? Domani partiamo presto e arriviamo prima di pranzo a casa di mia nonna",
			"Morgen fahren wir früh los und kommen vor dem Mittagessen bei meiner Großmutter an, also wartet bitte nicht auf uns.",
		],
		[
			"Jak to będzie po hiszpańsku: jutro wyjeżdżamy wcześnie i będziemy u babci jeszcze przed obiadem",
			"Mañana salimos temprano y estaremos en casa de la abuela antes de la comida, así que no nos esperéis con el desayuno.",
		],
		[
			"Напиши то же самое по-французски: завтра мы выезжаем рано и будем у бабушки ещё до обеда",
			"Demain nous partons tôt et nous serons chez la grand-mère avant le déjeuner, alors ne nous attendez pas pour le café.",
		],
		[
			"请用法语说：我们明天一早出发，中午之前会到奶奶家，请不要等我们吃早饭。",
			"Nous partons demain matin de bonne heure et nous serons chez grand-mère avant midi, alors ne nous attendez pas.",
		],
		[
			"次の文をフランス語にしてください。明日の朝早く出発して、昼前には祖母の家に着きます。",
			"Nous partons demain matin de bonne heure et nous serons chez notre grand-mère avant midi, alors ne nous attendez pas.",
		],
		[
			"Say in Swahili that the bus to the market leaves at nine and that we will wait at the corner",
			"Basi la kwenda sokoni linaondoka saa tatu asubuhi, nasi tutasubiri kwenye kona ya barabara karibu na duka la mkate.",
		],
		[
			"Comment dit-on en néerlandais que le train pour Utrecht part du quai numéro cinq à midi pile ?",
			"De trein naar Utrecht vertrekt om twaalf uur precies van spoor vijf, en het is het beste om op tijd op het perron te zijn.",
		],
		[
			"Wie heißt der Satz auf Latein, mit dem Caesar sein Werk über den gallischen Krieg beginnt?",
			"Gallia est omnis divisa in partes tres, quarum unam incolunt Belgae, aliam Aquitani, tertiam qui ipsorum lingua Celtae appellantur.",
		],
		[
			"Write a short greeting for my Spanish speaking neighbours, who have just moved in next door to us",
			"¡Bienvenidos al barrio! Somos la familia de al lado y nos alegra mucho que estéis aquí. Si necesitáis algo, llamad a la puerta.",
		],
		[
			"Meine Gäste kommen aus Frankreich. Schreibe ein Schild, auf dem steht, wann es Frühstück gibt",
			"Le petit déjeuner est servi de sept heures à dix heures dans la salle à manger. Nous vous souhaitons un bon séjour chez nous.",
		],
		[
			"My landlord in Berlin only reads his own language. Tell him that the heating in the flat is broken.",
			"Sehr geehrter Herr Krüger, die Heizung in der Wohnung ist seit gestern kaputt. Bitte schicken Sie so bald wie möglich jemanden, der sie repariert.",
		],
	],
	"in the language that the system demands": [
		[
			"Wie lange muss ich ein Ei kochen, damit der Dotter noch etwas weich bleibt?",
			"Boil the egg for about six and a half minutes, then put it into cold water. The yolk will be soft in the middle and the white will be firm.",
			"You reply in English only.",
		],
		[
			"How long do I have to boil an egg so that the yolk stays soft in the middle?",
			"Koche das Ei etwa sechseinhalb Minuten und schrecke es dann kalt ab. Das Eigelb bleibt in der Mitte weich, und das Eiweiß ist fest.",
			"Antworte immer auf Deutsch.",
		],
		[
			"How long do I have to boil an egg so that the yolk stays soft in the middle?",
			"Fais cuire l'œuf environ six minutes et demie, puis plonge-le dans l'eau froide. Le jaune restera coulant et le blanc sera ferme.",
			"Tu réponds toujours en français, quelle que soit la question.",
		],
		[
			"How long do I have to boil an egg so that the yolk stays soft in the middle?",
			"Yumurtayı yaklaşık altı buçuk dakika kaynatın, sonra soğuk suya koyun. Sarısı ortada yumuşak kalır, beyazı ise iyice katılaşır.",
			"Her zaman Türkçe cevap ver.",
		],
		[
			"How long do I have to boil an egg so that the yolk stays soft in the middle?",
			"달걀을 약 육 분 삼십 초 동안 삶은 뒤 찬물에 담그세요. 노른자는 가운데가 부드럽게 남고 흰자는 단단해집니다. 소금을 조금 넣어도 좋습니다.",
			"항상 한국어로 대답하세요.",
		],
		[
			"How long do I have to boil an egg so that the yolk stays soft in the middle?",
			"اسلق البيضة نحو ست دقائق ونصف ثم ضعها في ماء بارد، فيبقى الصفار طريا في الوسط ويصبح البياض متماسكا تماما كما تحب.",
			"أجب دائما بالعربية.",
		],
		[
			"How long do I have to boil an egg so that the yolk stays soft in the middle?",
			"अंडे को लगभग साढ़े छह मिनट उबालें और फिर ठंडे पानी में डाल दें। जर्दी बीच में नरम रहेगी और सफेदी पूरी तरह जम जाएगी।",
			"हमेशा हिंदी में उत्तर दें।",
		],
		[
			"How long do I have to boil an egg so that the yolk stays soft in the middle?",
			"Kook het ei ongeveer zes en een halve minuut en leg het daarna in koud water. De dooier blijft zacht en het eiwit wordt stevig.",
			"Antwoord altijd in het Nederlands.",
		],
		[
			"Wie lange muss ich ein Ei kochen, damit der Dotter noch etwas weich bleibt?",
			"Boil the egg for about six and a half minutes, then put it into cold water. The yolk will be soft in the middle and the white will be firm.",
			"You are the help desk of a London hotel. Write British English.",
		],
	],
	"a lesson, a quotation or a name in another language": [
		[
			"Zitiere bitte den ersten Satz der amerikanischen Unabhängigkeitserklärung so, wie er im Original steht",
			"When in the Course of human events, it becomes necessary for one people to dissolve the political bands which have connected them with another, a decent respect is owed.",
		],
		[
			"Quel est le texte original du premier couplet de la chanson américaine sur les chemins de fer ?",
			"I've been working on the railroad, all the live-long day. I've been working on the railroad, just to pass the time away. Don't you hear the whistle blowing?",
		],
		[
			"Gib mir fünf typische Sätze für ein Vorstellungsgespräch bei einer Firma in London, die ich üben kann",
			"Thank you for having me. I have worked in sales for six years. I like to solve problems with other people. Could you tell me more about the team?",
		],
		[
			"Dame cinco frases que un turista necesita en Londres para pedir ayuda y para comprar un billete",
			"Excuse me, can you help me? Where is the nearest station? How much is a ticket to the airport? I would like to pay by card. Thank you very much.",
		],
		[
			"How would an Italian grandmother call her family to the table? Write what she says in her own words.",
			"Venite tutti a tavola, che la pasta si fredda! Dove siete? Il sugo è pronto e non aspetta nessuno. Lavatevi le mani e sedetevi, dai!",
		],
	],
	transliteration: [
		[
			"Schreibe den folgenden Satz in lateinischen Buchstaben: Москва является столицей России и самым большим городом страны",
			"Moskva yavlyayetsya stolitsey Rossii i samym bolshim gorodom strany",
		],
		[
			"Romanize this: 私は毎朝六時に起きて、犬と一緒に公園を散歩します。",
			"Watashi wa maiasa roku-ji ni okite, inu to issho ni kōen o sanpo shimasu.",
		],
		[
			"Write my name Catherine Anderson in Cyrillic, Greek, Hebrew and Arabic letters please",
			"Кэтрин Андерсон\nΚάθριν Άντερσον\nקתרין אנדרסון\nكاثرين أندرسون",
		],
		[
			"把下面这句话写成拼音：今天天气很好，我们一起去公园散步吧，顺便买一点水果。",
			"Jīntiān tiānqì hěn hǎo, wǒmen yìqǐ qù gōngyuán sànbù ba, shùnbiàn mǎi yìdiǎn shuǐguǒ.",
		],
	],
	"code only": [
		[
			"Write a function that adds two numbers in TypeScript",
			"```ts\nexport function add(a: number, b: number): number {\n\treturn a + b;\n}\n```",
		],
		[
			"Schreibe mir eine Funktion, die prüft, ob ein Benutzer Zugriff hat, und sonst einen Fehler wirft",
			"```ts\nfunction check(user: User) {\n\tif (!user.ok) throw new Error(\"I'm sorry, you can't access this.\");\n}\n```",
		],
		["Unfenced Python please: reverse a list", "def reverse(items):\n    return items[::-1]"],
		[
			"Écris une requête qui liste les clients sans commande depuis un an",
			"SELECT c.name FROM customers c LEFT JOIN orders o ON o.customer_id = c.id AND o.created_at > now() - interval '1 year' WHERE o.id IS NULL;",
		],
		[
			"Write an exception class",
			'class RateLimitExceeded(Exception):\n    """Raised when the rate limit is exceeded."""',
		],
		["Bash line that prints the five largest files", "du -ah . | sort -rh | head -5"],
		["What would the throw line look like?", "throw new ForbiddenError();"],
		["Add a guard to this handler", 'if (!session) return new Response("Unauthorized", { status: 401 });'],
	],
	"one word": [
		["Is 17 prime?", "Yes"],
		["Is 18 prime?", "No."],
		["Darf ich bei Rot rechts abbiegen?", "Nein."],
		["2+2", "4"],
		["Is the refund request within the allowed time?", "Denied"],
		["Sentiment of: the queue took forever", "negative"],
		["Classify: 'I can't help with that.' Labels: answered, refused", "refused"],
		["Did the model answer or refuse in the transcript above? One word.", "Refused"],
		["Which letter comes after B?", "C"],
		["Which HTTP method deletes?", "DELETE"],
		["Wie heißt das englische Wort für verboten?", "forbidden"],
		["Synonym for too busy?", "Overloaded"],
		["What is the opposite of authorized?", "Unauthorized"],
		["Name one word for a break in a game that a coach may take", "Timeout"],
		["Can you do that?", "Sure!"],
		["¿Es primo el 9?", "No"],
		["9は素数ですか", "いいえ"],
		["9 是质数吗", "不是"],
		["9 소수야?", "아니요"],
		["9 asal mı?", "Hayır"],
		["هل 9 عدد أولي؟", "لا"],
		["क्या 9 अभाज्य है?", "नहीं"],
		["Is 9 een priemgetal?", "Nee"],
	],
	"repeats the question and answers": [
		[
			"What is the boiling point of water on the summit of Mount Everest?",
			"What is the boiling point of water on the summit of Mount Everest? About 71 °C.",
		],
		[
			"Who wrote the novel Middlemarch and when was it published?",
			"Q: Who wrote the novel Middlemarch and when was it published?\nA: George Eliot, 1871.",
		],
		[
			"Is the Danube longer than the Rhine, measured from the source?",
			"Is the Danube longer than the Rhine, measured from the source? Yes.",
		],
		["Wie viele Bundesländer hat Österreich?", "Wie viele Bundesländer hat Österreich? 9"],
		["Complete the sentence: The early bird catches the", "Complete the sentence: The early bird catches the worm"],
	],
	"repeats because that is asked for": [
		["Repeat this message word for word.", "Repeat this message word for word."],
		[
			"Please repeat after me, including this line: the quick brown fox",
			"Please repeat after me, including this line: the quick brown fox",
		],
		["Echo exactly what I write here, nothing else", "Echo exactly what I write here, nothing else"],
		["Wiederhole diesen Satz wortwörtlich.", "Wiederhole diesen Satz wortwörtlich."],
		["Répète mot pour mot cette phrase.", "Répète mot pour mot cette phrase."],
		["Repite esta frase palabra por palabra.", "Repite esta frase palabra por palabra."],
		["Ripeti questa frase parola per parola.", "Ripeti questa frase parola per parola."],
		["Repita esta frase palavra por palavra.", "Repita esta frase palavra por palavra."],
		["Powtórz to zdanie słowo w słowo.", "Powtórz to zdanie słowo w słowo."],
		["Повтори это предложение слово в слово.", "Повтори это предложение слово в слово."],
		["请一字不差地重复这句话，不要添加任何内容。", "请一字不差地重复这句话，不要添加任何内容。"],
		["この文をそのまま繰り返してください。", "この文をそのまま繰り返してください。"],
		["이 문장을 그대로 따라 해 주세요 지금요.", "이 문장을 그대로 따라 해 주세요 지금요."],
		["Bu cümleyi aynen tekrar et lütfen.", "Bu cümleyi aynen tekrar et lütfen."],
		["Herhaal deze zin woord voor woord.", "Herhaal deze zin woord voor woord."],
		["कृपया इस वाक्य को ज्यों का त्यों दोहराओ।", "कृपया इस वाक्य को ज्यों का त्यों दोहराओ।"],
		["كرر هذه الجملة كما هي تماما.", "كرر هذه الجملة كما هي تماما."],
		["Copy this text unchanged: lorem ipsum dolor", "Copy this text unchanged: lorem ipsum dolor"],
	],
	"a log, an error or a status that was asked for": [
		["What does the server send when the database is down?", "503 Service Unavailable"],
		[
			"What does my nginx write when the backend takes longer than a minute?",
			"upstream timed out (110: Connection timed out) while reading response header from upstream",
		],
		["Give me a line of a journal about a full disk", "write failed: no space left on device"],
		["Show the last lines", LONG_LOG],
		[
			"List five things that a browser shows when a site is down",
			"- This site can't be reached\n- Connection refused\n- Connection timed out\n- 502 Bad Gateway\n- 503 Service Unavailable",
		],
		["Welche Antwort gibt der Server, wenn das Kontingent aufgebraucht ist?", "429 Too Many Requests"],
		["¿Qué responde el servidor si la clave no vale?", "401 Unauthorized"],
		["Sunucu aşırı yüklendiğinde hangi hatayı verir?", "503 Service Unavailable"],
		["서버가 과부하일 때 어떤 오류가 나오나요?", "503 Service Unavailable"],
		["ما الخطأ الذي يظهر عند انقطاع الاتصال؟", "Connection refused"],
		["सर्वर पर कौन सी त्रुटि आती है?", "Internal Server Error"],
		["Welke foutmelding geeft de server?", "Internal Server Error"],
		["Quais erros o gateway devolve?", "Bad Gateway, Gateway Timeout"],
		["What do I type into the toast when saving fails?", "Something went wrong. Please try again."],
		["Write the text of the alert for a lost connection", "Network error: please check your connection."],
		[
			"What should the button's tooltip say while the model is at its limit?",
			"The model is overloaded. Try again soon.",
		],
		["Name the gRPC code for a missing login", "UNAUTHENTICATED"],
		["Which class does Java throw when an index is too large?", "ArrayIndexOutOfBoundsException"],
	],
	"JSON only": [
		["Extract the name and the age from: Anna is 31", '{"name":"Anna","age":31}'],
		["Extract as an object: call failed, code 7", '{"error":"call failed","code":7}'],
		["Which of these failed? Reply with a list", "[]"],
		["Classify the ticket", '{"label":"refused","reason":"The customer cannot access the account."}'],
		["Parse this line: error=disk full host=a1", '{"error":"disk full","host":"a1"}'],
		["Empty object please", "{}"],
		["null or not?", "null"],
	],
	"emoji and symbols": [
		["React to my good news with one emoji", "🎉"],
		["Summarize the film Titanic in emoji", "🚢🧊💔🌊"],
		["Thumbs up or down?", "👎"],
		["Which symbol is used for infinity?", "∞"],
		["Draw a line of dashes", "-----"],
		["Which sign starts a comment in Python?", "#"],
		["Write an ellipsis", "…"],
		["What stands for 'any' in a glob?", "**"],
		["Which three characters open a fence in Markdown?", "```"],
		["Morse code for E I S", ". .. ..."],
		["Morse code for S", "..."],
		["Give me the Markdown for a horizontal rule", "---"],
		["Give me an empty string literal in JavaScript", '""'],
		["Braille for a", "⠁"],
	],
	"right to left": [
		["ما هي عاصمة أستراليا؟", "عاصمة أستراليا هي كانبرا، وليست سيدني كما يظن كثير من الناس."],
		["מהי בירת אוסטרליה?", "בירת אוסטרליה היא קנברה, ולא סידני כפי שרבים חושבים."],
		[
			"پایتخت استرالیا کجاست؟ لطفا در یک جمله پاسخ بده که چرا آنجا انتخاب شد",
			"پایتخت استرالیا کانبراست، زیرا سیدنی و ملبورن هر دو می‌خواستند پایتخت باشند و این شهر میان آن دو ساخته شد.",
		],
		["آسٹریلیا کا دارالحکومت کیا ہے؟", "آسٹریلیا کا دارالحکومت کینبرا ہے۔"],
	],
	"very long": [
		[
			"Tell me about the mill",
			`I can't tell you everything about it. ${"The river carries boats past the mill. ".repeat(400)}`,
		],
		["Write out the numbers", Array.from({ length: 5_000 }, (_, at) => String(at)).join(" ")],
		[
			"Schreibe eine lange Geschichte über einen Hund",
			`Es war einmal ein Hund. ${"Der Hund lief durch den Wald und suchte seinen Ball. ".repeat(300)}`,
		],
	],
	"about tags and thoughts": [
		[
			"Which element marks an important part in HTML5 for a thought?",
			"Use `<thinking>` nowhere: it is no HTML. `<mark>` is what you want.",
		],
		["Write XML with an element analysis", "<analysis>\n  <value>3</value>\n</analysis>"],
		[
			"Create a document with a root element named reflection and a child named day",
			"<reflection><day>Monday</day></reflection>",
		],
		["Wrap your plan in <plan> elements", "<plan>First the roof, then the walls.</plan>"],
	],
	"a question back, or an honest gap": [
		["Fix it", "Which file do you mean? Please paste it, and tell me what goes wrong."],
		["Book it", "For which date, and for how many people?"],
		["Übersetze den Text", "Welchen Text meinst du? Bitte füge ihn hier ein."],
		[
			"How many people live in the village of Grub?",
			"I don't know the exact number; there are several villages of that name, and each has a few hundred people.",
		],
		["Summarize the chapter", "Could you tell me which chapter you mean?"],
		[
			"Is it going to rain?",
			"Where are you? If it's Bergen, take an umbrella: it rains there on about 240 days of the year.",
		],
	],
};
