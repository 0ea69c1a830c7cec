// The table of numbers of people and telephones in Russia, East and West Asia, Turkey, Chile and Poland, with their checks.
import * as checks from "./checksums.ts";
import type { Identifier } from "./identifier.ts";
import { verbose } from "./verbose.ts";

const PHONE_WORD = new RegExp(verbose`
	тел|моб|звон|позвон|номер|whatsapp|ватсап|电话|手机|手機|電話|联系|微信|携帯|連絡|전화|휴대|핸드폰|연락|문자|هاتف|جوال|موبايل|رقمي|اتصل
	|واتس|تلفن|موبایل|شماره|טלפון|נייד|फोन|फ़ोन|मोबाइल|नंबर|व्हाट्स|telefon|cep|gsm|numara|ara(?:yın|sın)|chiama|cell|tel|bel|mobiel
	|zadzwo|komórk|ring|mobil|appel|llám
`);

/** Numbers that a state gives to people. */
export const WORLD_NUMBERS: readonly Identifier[] = [
	{
		kind: "national_id",
		first: [3, 11, "digit"],
		between: false,
		shape: /\d{3}(-?)\d{3}\1\d{3}[- ]?\d{2}/iy,
		check: checks.russianSnils,
		needs: "context",
		context: /снилс|страхов|пенсионн|snils/,
	},
	{
		kind: "national_id",
		first: [3, 3, "digit"],
		shape: /\d{3}-\d{3}-\d{3} \d{2}/iy,
		check: checks.russianSnils,
		needs: "shape",
	},
	{
		kind: "national_id",
		first: [12, 12, "digit"],
		shape: /\d{12}/iy,
		check: checks.russianInn,
		needs: "bare",
		context: /инн|налог|\binn\b/,
	},
	// Passports of the Russian Federation: series and number.
	{
		kind: "passport",
		first: [2, 10, "digit"],
		shape: /\d{2} ?\d{2} ?(?:№ ?)?\d{6}/iy,
		needs: "context",
		context: /паспорт|серия/,
	},
	{
		kind: "national_id",
		first: [4, 12, "digit"],
		between: false,
		shape: /\d{4}([- ]?)\d{4}\1\d{4}/iy,
		check: checks.japaneseIndividual,
		needs: "context",
		context: /マイナンバー|個人番号|my number/,
	},
	{
		kind: "national_id",
		first: [10, 10, "digit"],
		shape: /[12]\d{9}/iy,
		check: checks.luhn,
		needs: "context",
		context: /هوية|إقامة|اقامة|saudi|iqama|national id/,
	},
	// Emirates identity card: 784, the year of birth, seven digits, a check digit.
	{ kind: "national_id", first: [3, 3, "digit"], shape: /784-(?:19|20)\d{2}-\d{7}-\d/iy, needs: "shape" },
	{
		kind: "national_id",
		first: [15, 15, "digit"],
		shape: /784(?:19|20)\d{9}\d/iy,
		check: checks.luhn,
		needs: "bare",
		context: /emirates|إمارات|هوية/,
	},
	{
		kind: "national_id",
		first: [14, 14, "digit"],
		shape: /[23]\d{13}/iy,
		check: checks.egyptianNumber,
		needs: "context",
		context: /قومي|egypt|national id|بطاقة/,
	},
	{
		kind: "national_id",
		first: [9, 9, "digit"],
		shape: /\d{9}/iy,
		check: checks.israeliIdentity,
		needs: "context",
		context: /ת\.?ז|ת"ז|זהות|teudat zehut|israeli id/,
	},
	{
		kind: "national_id",
		first: [10, 10, "digit"],
		shape: /\d{10}/iy,
		check: checks.iranianCode,
		needs: "context",
		context: /کد ?ملی|شماره ملی|iranian/,
	},
	{
		kind: "national_id",
		first: [1, 2, "digit"],
		shape: /\d{1,2}\.\d{3}\.\d{3}-[\dK]/iy,
		check: checks.chileanRut,
		needs: "shape",
	},
	{
		kind: "national_id",
		first: [7, 8, "digit"],
		shape: /\d{7,8}-[\dK]/iy,
		check: checks.chileanRut,
		needs: "bare",
		context: /\brut\b|\brun\b/,
	},
	// Taiwan: a letter, the sex, eight digits. Polish identity card: three letters, six digits.
	{
		kind: "national_id",
		first: [10, 10, "letter"],
		shape: /[A-Z][1289]\d{8}/iy,
		needs: "context",
		context: /身分證|身份證|統一編號|taiwan/,
	},
	{
		kind: "national_id",
		first: [3, 9, "letter"],
		shape: /[A-Z]{3} ?\d{6}/iy,
		needs: "context",
		context: /dowod|dowód/,
	},
	{
		kind: "vat_id",
		first: [3, 10, "digit"],
		between: false,
		shape: /\d{3}-?\d{3}-?\d{2}-?\d{2}/iy,
		check: checks.polishNip,
		needs: "context",
		context: /\bnip\b|podatk/,
	},
	// Mobile numbers in national form.
	{ kind: "phone", first: [1, 1, "digit"], shape: /8[ -]\(?9\d{2}\)?[ -]\d{3}[- ]?\d{2}[- ]?\d{2}/iy, needs: "shape" },
	{ kind: "phone", first: [11, 11, "digit"], shape: /89\d{9}/iy, needs: "bare", context: PHONE_WORD },
	{ kind: "phone", first: [11, 11, "digit"], shape: /1[3-9]\d{9}/iy, needs: "bare", context: PHONE_WORD },
	{ kind: "phone", first: [3, 3, "digit"], shape: /1[3-9]\d[ -]\d{4}[ -]\d{4}/iy, needs: "shape" },
	{ kind: "phone", first: [3, 3, "digit"], shape: /0[5789]0-\d{4}-\d{4}/iy, needs: "shape" },
	{ kind: "phone", first: [3, 3, "digit"], shape: /01[016-9]-\d{3,4}-\d{4}/iy, needs: "shape" },
	{ kind: "phone", first: [11, 11, "digit"], shape: /01[016-9]\d{8}/iy, needs: "bare", context: PHONE_WORD },
	{ kind: "phone", first: [4, 4, "digit"], shape: /05\d{2} \d{3} \d{2} \d{2}/iy, needs: "shape" },
	{ kind: "phone", first: [10, 11, "digit"], shape: /0[59]\d{8,9}/iy, needs: "bare", context: PHONE_WORD },
	{ kind: "phone", first: [3, 3, "digit"], shape: /05\d[- ]\d{3}[- ]?\d{4}/iy, needs: "shape" },
	{ kind: "phone", first: [3, 3, "digit"], shape: /3[2-9]\d \d{3} \d{4}/iy, needs: "context", context: PHONE_WORD },
	{ kind: "phone", first: [3, 3, "digit"], shape: /07\d-\d{3} ?\d{2} ?\d{2}/iy, needs: "shape" },
	{ kind: "phone", first: [2, 2, "digit"], shape: /06[- ]\d{8}/iy, needs: "shape" },
];
