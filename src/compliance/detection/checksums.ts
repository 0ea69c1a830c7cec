// Verifies the check digits of identifiers. Each function takes the characters without separators.
import { sha256 } from "@noble/hashes/sha2.js";

/** Whether a number of digits and upper-case letters, without separators, passes its published check. */
export type ChecksumRule = (value: string) => boolean;

function digitAt(value: string, index: number): number {
	return value.charCodeAt(index) - 48;
}

/** Σ weight × digit, from the left; digits beyond the weights do not count. */
function weightedSum(value: string, weights: readonly number[]): number {
	let sum = 0;
	for (let i = 0; i < weights.length; i++) sum += (weights[i] ?? 0) * digitAt(value, i);
	return sum;
}

/** ISO/IEC 7812-1, Annex B: cards, Canadian SIN, Swedish personnummer. */
export function luhn(value: string): boolean {
	let sum = 0;
	for (let i = value.length - 1, double = false; i >= 0; i--, double = !double) {
		const digit = digitAt(value, i);
		sum += double ? (digit > 4 ? 2 * digit - 9 : 2 * digit) : digit;
	}
	return sum % 10 === 0;
}

/** ISO/IEC 7064 MOD 97-10 of a text; letters count 10 to 35. */
function mod97(text: string): number {
	let rest = 0;
	for (let i = 0; i < text.length; i++) {
		const code = text.charCodeAt(i);
		rest = code > 57 ? (rest * 100 + code - 55) % 97 : (rest * 10 + code - 48) % 97;
	}
	return rest;
}

/** ISO 13616: country and check digits move to the end, then MOD 97-10. */
export function iban(value: string): boolean {
	return mod97(value.slice(4) + value.slice(0, 4)) === 1;
}

/** American Bankers Association routing number: weights 3 7 1. */
export function abaRouting(value: string): boolean {
	return weightedSum(value, [3, 7, 1, 3, 7, 1, 3, 7, 1]) % 10 === 0;
}

/** National Provider Identifier: Luhn after the prefix 80840 (45 CFR 162.406). */
export function npi(value: string): boolean {
	return luhn(`80840${value}`);
}

/** DEA registration: two letters, then digits; the last digit of (1st + 3rd + 5th) + 2 × (2nd + 4th + 6th) is the 7th. */
export function dea(value: string): boolean {
	return weightedSum(value.slice(2), [1, 2, 1, 2, 1, 2]) % 10 === digitAt(value, 8);
}

/** NHS number: weights 10 to 2, MOD 11; a remainder that would need the digit 10 is never issued. */
export function nhsNumber(value: string): boolean {
	return (
		(11 - (weightedSum(value, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === digitAt(value, 9) &&
		!isOneDigitRepeated(value)
	);
}

const VERHOEFF_PERMUTATION = [
	"0123456789",
	"1576283094",
	"5803796142",
	"8916043527",
	"9453126870",
	"4286573901",
].concat(["2793806415", "7046913258"]);

/** The dihedral group D5, Verhoeff's multiplication. */
function dihedral(a: number, b: number): number {
	if (a < 5) return b < 5 ? (a + b) % 5 : 5 + ((a + b) % 5);
	return b < 5 ? 5 + ((a - b + 5) % 5) : (a - b + 5) % 5;
}

/** Verhoeff's check (1969), as in Aadhaar. */
export function verhoeff(value: string): boolean {
	let check = 0;
	for (let i = 0; i < value.length; i++) {
		const permutation = VERHOEFF_PERMUTATION[i % 8] ?? "";
		check = dihedral(check, digitAt(permutation, digitAt(value, value.length - 1 - i)));
	}
	return check === 0;
}

/** ISO/IEC 7064 MOD 11,10: the German tax id; its ten digits repeat one digit two or three times. */
export function germanTaxId(value: string): boolean {
	const distinct = new Set(value.slice(0, 10)).size;
	return (distinct === 9 || distinct === 8 || distinct === 10) && mod11And10(value) && !isOneDigitRepeated(value);
}

function mod11And10(value: string): boolean {
	let product = 10;
	for (let i = 0; i < value.length - 1; i++) {
		const sum = (digitAt(value, i) + product) % 10 || 10;
		product = (2 * sum) % 11;
	}
	return (11 - product) % 10 === digitAt(value, value.length - 1);
}

/** ICAO 9303 check digit: weights 7 3 1, letters 10 to 35; German passports and identity cards. */
export function icao9303(value: string): boolean {
	let sum = 0;
	for (let i = 0; i < value.length - 1; i++) {
		const code = value.charCodeAt(i);
		sum += (code > 57 ? code - 55 : code - 48) * (i % 3 === 0 ? 7 : i % 3 === 1 ? 3 : 1);
	}
	return sum % 10 === digitAt(value, value.length - 1);
}

/** German health insurance number (§ 290 SGB V): the letter as two digits, then weights 1 2 with digit sums, MOD 10. */
export function kvnr(value: string): boolean {
	const letter = value.charCodeAt(0) - 64;
	const digits = String(letter).padStart(2, "0") + value.slice(1);
	let sum = 0;
	for (let i = 0; i < 10; i++) {
		const product = digitAt(digits, i) * (i % 2 === 0 ? 1 : 2);
		sum += product > 9 ? product - 9 : product;
	}
	return sum % 10 === digitAt(digits, 10);
}

/** Spanish DNI, or NIE with X, Y, Z for 0, 1, 2: the letter at MOD 23. */
export function spanishNif(value: string): boolean {
	const number = value.replace(/^[XYZ]/, (letter) => String("XYZ".indexOf(letter)));
	return "TRWAGMYFPDXBNJZSQVHLCKE".charAt(Number(number.slice(0, -1)) % 23) === value.slice(-1);
}

const CODICE_ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

/** Italian codice fiscale (D.M. 12/03/1974): a table each for odd and even places, MOD 26. */
export function codiceFiscale(value: string): boolean {
	let sum = 0;
	for (let i = 0; i < 15; i++) {
		const code = value.charCodeAt(i);
		const index = code > 57 ? code - 65 : code - 48;
		sum += i % 2 === 0 ? (CODICE_ODD[index] ?? 0) : index;
	}
	return sum % 26 === value.charCodeAt(15) - 65;
}

/** Polish PESEL: weights 1 3 7 9, and a date whose month carries the century. */
export function pesel(value: string): boolean {
	const month = Number(value.slice(2, 4)) % 20;
	const day = Number(value.slice(4, 6));
	if (month < 1 || month > 12 || day < 1 || day > 31) return false;
	return weightedSum(value, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0;
}

/** French NIR: 97 − the number MOD 97; Corsican departments 2A and 2B count as 19 and 18. */
export function frenchNir(value: string): boolean {
	const number = value.slice(0, 13).replace("2A", "19").replace("2B", "18");
	return 97 - mod97(number) === Number(value.slice(13));
}

/** Dutch BSN: weights 9 to 2 and −1, MOD 11 ("elfproef"). */
export function dutchBsn(value: string): boolean {
	return !isOneDigitRepeated(value) && weightedSum(value, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0;
}

/** Belgian national number: 97 − the first nine digits MOD 97, with a 2 before them for births from 2000. */
export function belgianNumber(value: string): boolean {
	const check = Number(value.slice(9));
	const number = value.slice(0, 9);
	return 97 - (Number(number) % 97) === check || 97 - (Number(`2${number}`) % 97) === check;
}

/** Portuguese NIF: weights 9 to 2, MOD 11. */
export function portugueseNif(value: string): boolean {
	const rest = weightedSum(value, [9, 8, 7, 6, 5, 4, 3, 2]) % 11;
	return (rest < 2 ? 0 : 11 - rest) === digitAt(value, 8);
}

/** Brazilian CPF: two check digits, MOD 11; eleven equal digits pass the sums but are never issued. */
export function cpf(value: string): boolean {
	const checkAt = (length: number) => {
		let sum = 0;
		for (let i = 0; i < length; i++) sum += digitAt(value, i) * (length + 1 - i);
		return ((sum * 10) % 11) % 10 === digitAt(value, length);
	};
	return !isOneDigitRepeated(value) && checkAt(9) && checkAt(10);
}

/** Chinese resident number (GB 11643): ISO/IEC 7064 MOD 11-2, X for 10. */
export function chineseResidentId(value: string): boolean {
	const sum = weightedSum(value, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
	return "10X98765432".charAt(sum % 11) === value.slice(-1);
}

/** Australian tax file number: weights 1 4 3 7 5 8 6 9 10, MOD 11. */
export function australianTfn(value: string): boolean {
	return weightedSum(value, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0 && !isOneDigitRepeated(value);
}

/** Australian Medicare card: weights 1 3 7 9, the ninth digit is the check. */
export function australianMedicare(value: string): boolean {
	return weightedSum(value, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === digitAt(value, 8);
}

/** Singaporean NRIC and FIN: weights 2 7 6 5 4 3 2, an offset and a letter table by series. */
export function singaporeNric(value: string): boolean {
	const series = value.charAt(0);
	const offset = series === "T" || series === "G" ? 4 : series === "M" ? 3 : 0;
	const sum = offset + weightedSum(value.slice(1), [2, 7, 6, 5, 4, 3, 2]);
	const letters = series === "S" || series === "T" ? "JZIHGFEDCBA" : series === "M" ? "XWUTRQPNJLK" : "XWUTRQPNMLK";
	const index = series === "M" ? 10 - (sum % 11) : sum % 11;
	return letters.charAt(index) === value.slice(-1);
}

/** Korean resident number: weights 2 to 9 and 2 to 5, MOD 11. Numbers issued since October 2020 have no check digit. */
export function koreanRrn(value: string): boolean {
	const sum = weightedSum(value, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]);
	return (11 - (sum % 11)) % 10 === digitAt(value, 12);
}

/** Thai national number: weights 13 to 2, MOD 11. */
export function thaiNumber(value: string): boolean {
	return (11 - (weightedSum(value, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 10 === digitAt(value, 12);
}

/** Finnish henkilötunnus: birth date and serial as one number, the sign at MOD 31. */
export function finnishHetu(value: string): boolean {
	const number = Number(value.slice(0, 6) + value.slice(-4, -1));
	return "0123456789ABCDEFHJKLMNPRSTUVWXY".charAt(number % 31) === value.slice(-1);
}

/** Turkish identity number: two check digits from sums of odd and even places. */
export function turkishNumber(value: string): boolean {
	const odd = weightedSum(value, [1, 0, 1, 0, 1, 0, 1, 0, 1]);
	const even = weightedSum(value, [0, 1, 0, 1, 0, 1, 0, 1]);
	const tenth = (((7 * odd - even) % 10) + 10) % 10;
	return tenth === digitAt(value, 9) && (odd + even + tenth) % 10 === digitAt(value, 10);
}

/** South African identity number: a date, then Luhn over all. */
export function southAfricanNumber(value: string): boolean {
	const month = Number(value.slice(2, 4));
	const day = Number(value.slice(4, 6));
	return month >= 1 && month <= 12 && day >= 1 && day <= 31 && luhn(value);
}

function isOneDigitRepeated(value: string): boolean {
	return value === value.charAt(0).repeat(value.length);
}

const BASE58_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** Base58Check (Bitcoin P2PKH and P2SH): 25 bytes, of which the last four begin the double SHA-256 of the rest. */
export function base58Check(value: string): boolean {
	const bytes = new Uint8Array(25);
	for (let i = 0; i < value.length; i++) {
		let carry = BASE58_ALPHABET.indexOf(value.charAt(i));
		if (carry < 0) return false;
		for (let at = 24; at >= 0; at--) {
			carry += 58 * (bytes[at] ?? 0);
			bytes[at] = carry & 0xff;
			carry >>= 8;
		}
		if (carry !== 0) return false;
	}
	const digest = sha256(sha256(bytes.subarray(0, 21)));
	return bytes.subarray(21).every((byte, at) => byte === digest[at]);
}

const BECH32_ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const BECH32_GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

/** Bech32 (BIP 173) or Bech32m (BIP 350) of a Bitcoin address in lower case, `bc1…`. */
export function bech32(value: string): boolean {
	const at = value.lastIndexOf("1");
	const prefix = value.slice(0, at);
	const values = [...prefix]
		.map((c) => c.charCodeAt(0) >> 5)
		.concat(0, ...[...prefix].map((c) => c.charCodeAt(0) & 31));
	for (const character of value.slice(at + 1)) values.push(BECH32_ALPHABET.indexOf(character));
	let sum = 1;
	for (const five of values) {
		if (five < 0) return false;
		const top = sum >>> 25;
		sum = ((sum & 0x1ffffff) << 5) ^ five;
		for (let bit = 0; bit < 5; bit++) if ((top >>> bit) & 1) sum ^= BECH32_GENERATORS[bit] ?? 0;
	}
	return sum === 1 || sum === 0x2bc830a3;
}

/** Australian business number: the first digit less one, weights 10, 1, 3 to 19, MOD 89. Australian Business Register. */
export function australianBusiness(value: string): boolean {
	return (weightedSum(value, [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) - 10) % 89 === 0;
}

/** Chilean RUT: weights 2 to 7 from the right, MOD 11, K for 10. */
export function chileanRut(value: string): boolean {
	let sum = 0;
	for (let at = value.length - 2, weight = 2; at >= 0; at--, weight = weight === 7 ? 2 : weight + 1)
		sum += weight * digitAt(value, at);
	return "0123456789K0".charAt((11 - (sum % 11)) % 11 === 10 ? 10 : (11 - (sum % 11)) % 11) === value.slice(-1);
}

/** Russian SNILS (Pension Fund, order 192p): weights 9 to 1, MOD 101; 100 counts 0. */
export function russianSnils(value: string): boolean {
	return (weightedSum(value, [9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101) % 100 === Number(value.slice(9));
}

/** Russian taxpayer number of a person (Federal Tax Service, order ED-7-14/559): two check digits, MOD 11 and 10. */
export function russianInn(value: string): boolean {
	const eleventh = (weightedSum(value, [7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10;
	const twelfth = (weightedSum(value, [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10;
	return eleventh === digitAt(value, 10) && twelfth === digitAt(value, 11);
}

/** Japanese individual number (Ordinance 85 of 2014): weights by place from the right, MOD 11. */
export function japaneseIndividual(value: string): boolean {
	const rest = weightedSum(value, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
	return (rest < 2 ? 0 : 11 - rest) === digitAt(value, 11);
}

/** Israeli identity number: Luhn over nine digits. Saudi numbers: Luhn over ten, the first 1 or 2. Both: national registries. */
export function israeliIdentity(value: string): boolean {
	return luhn(value.padStart(9, "0")) && !isOneDigitRepeated(value);
}

/** Iranian national code: weights 10 to 2, MOD 11. */
export function iranianCode(value: string): boolean {
	const rest = weightedSum(value, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11;
	return (rest < 2 ? rest : 11 - rest) === digitAt(value, 9) && !isOneDigitRepeated(value);
}

/** Egyptian national number: a century, a date and a governorate. */
export function egyptianNumber(value: string): boolean {
	const month = Number(value.slice(3, 5));
	const day = Number(value.slice(5, 7));
	return /^[23]/.test(value) && month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/** Polish NIP: weights 6 5 7 2 3 4 5 6 7, MOD 11. */
export function polishNip(value: string): boolean {
	return weightedSum(value, [6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 === digitAt(value, 9) && !isOneDigitRepeated(value);
}
