// Sensitive values and ways to write them: what people type, paste and render, and what somebody does who wants to get past a filter.

/** The kinds that count, a value, and a sentence around it. */
type EncodedValue = readonly [kinds: readonly string[], value: string, carry: (written: string) => string];

export const VALUES: readonly EncodedValue[] = [
	[["email"], "ada.lovelace@analytical.org", (written) => `Please write to ${written} today.`],
	[["credit_card"], "4111 1111 1111 1111", (written) => `My card is ${written}, charge it.`],
	[["us_ssn"], "536-90-4399", (written) => `Her SSN is ${written} as filed.`],
	[["phone"], "+49 30 901820-11", (written) => `You can call me on ${written} in the evening.`],
	[["iban"], "DE89 3704 0044 0532 0130 00", (written) => `The IBAN is ${written} for the rent.`],
	[
		["anthropic_api_key", "generic_secret", "openai_api_key", "github_pat"],
		"ghp_16C7e42F292c6912E7710c838347Ae178B4a",
		(written) => `The token: ${written} still works.`,
	],
];

type Encode = (value: string) => string | null;

const utf8 = (text: string) => [...new TextEncoder().encode(text)];
const hex = (byte: number) => byte.toString(16).padStart(2, "0");
const base64 = (text: string) => btoa(String.fromCharCode(...utf8(text)));
const each = (join: string, map: (character: string) => string) => (text: string) => [...text].map(map).join(join);
const digitsFrom = (zero: number) => (text: string) =>
	text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
const table = (digits: string) => (text: string) => text.replace(/\d/g, (digit) => [...digits][Number(digit)] ?? digit);
const groups = (separator: string) => (text: string) =>
	/[A-Za-z]/.test(text.replace(/^[A-Z]{2}/, "")) ? null : text.replace(/[ -]/g, separator);
const mail = (map: (local: string, domain: string) => string) => (text: string) => {
	const [local = "", domain] = text.split("@");
	return domain === undefined ? null : map(local, domain);
};
const lines = (text: string, length: number, separator = "\n") =>
	text.match(new RegExp(`.{1,${length}}`, "gs"))?.join(separator) ?? text;
const letters = (upper: number, lower: number) => (text: string) =>
	text.replace(/[A-Za-z]/g, (letter) => {
		const isUpper = letter <= "Z";
		return String.fromCodePoint((isUpper ? upper : lower) + letter.charCodeAt(0) - (isUpper ? 65 : 97));
	});
const half = (text: string) => Math.ceil(text.length / 2);
const mark =
	(open: string, close = open) =>
	(text: string) =>
		text.slice(0, half(text)) + open + text.slice(half(text), half(text) + 3) + close + text.slice(half(text) + 3);
const rot13 = (text: string) =>
	text.replace(/[a-z]/gi, (c) => String.fromCharCode(c.charCodeAt(0) + (/[a-m]/i.test(c) ? 13 : -13)));

export const ENCODINGS: readonly (readonly [name: string, encode: Encode])[] = [
	["as it is", (text) => text],
	// Separators
	["commas", groups(",")],
	["commas and spaces", groups(", ")],
	["dots", groups(".")],
	["middle dots", groups("·")],
	["underscores", groups("_")],
	["slashes", groups("/")],
	["pipes", groups(" | ")],
	["colons", groups(":")],
	["semicolons", groups(";")],
	["asterisks", groups("*")],
	["tildes", groups("~")],
	["plus signs", groups("+")],
	["equals signs", groups("=")],
	["double spaces", groups("  ")],
	["tabs", groups("\t")],
	["line breaks", groups("\n")],
	["en dashes", groups("–")],
	["spaced hyphens", groups(" - ")],
	["double hyphens", groups("--")],
	["no-break spaces", groups("\u00a0")],
	["narrow spaces", groups("\u202f")],
	["brackets", (text) => (/^\d/.test(text) ? text.replace(/\d+/g, "($&)") : null)],
	["a space behind each sign", each(" ", (character) => (character === " " ? "" : character))],
	["a hyphen behind each sign", (text) => (/[a-z]/.test(text) ? null : text.replace(/[ -]/g, "").split("").join("-"))],
	["a dot behind each sign", (text) => (/[a-z]/.test(text) ? null : text.replace(/[ -]/g, "").split("").join("."))],
	["a comma behind each sign", (text) => (/[a-z]/.test(text) ? null : text.replace(/[ -]/g, "").split("").join(","))],
	["a line break in it", (text) => (/^\d/.test(text) ? text.replace(/[ -](?=\S*$)/, "$&\n") : null)],
	["groups of two", (text) => (/^\d/.test(text) ? lines(text.replace(/\D/g, ""), 2, " ") : null)],
	["arrows", groups(" → ")],
	// Unicode
	["superscripts", table("⁰¹²³⁴⁵⁶⁷⁸⁹")],
	["subscripts", digitsFrom(0x2080)],
	["full width", (text) => text.replace(/[!-~]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0))],
	["circled digits", table("⓪①②③④⑤⑥⑦⑧⑨")],
	["black circled digits", table("⓿❶❷❸❹❺❻❼❽❾")],
	["parenthesised digits", table("0⑴⑵⑶⑷⑸⑹⑺⑻⑼")],
	["digits with a full stop", table("🄀⒈⒉⒊⒋⒌⒍⒎⒏⒐")],
	["digits with a comma", table("🄁🄂🄃🄄🄅🄆🄇🄈🄉🄊")],
	["keycaps", (text) => text.replace(/\d/g, "$&\ufe0f\u20e3")],
	["bold digits", digitsFrom(0x1d7ce)],
	["double-struck digits", digitsFrom(0x1d7d8)],
	["monospace digits", digitsFrom(0x1d7f6)],
	["segmented digits", digitsFrom(0x1fbf0)],
	["Arabic-Indic digits", digitsFrom(0x660)],
	["Persian digits", digitsFrom(0x6f0)],
	["Devanagari digits", digitsFrom(0x966)],
	["Bengali digits", digitsFrom(0x9e6)],
	["Thai digits", digitsFrom(0xe50)],
	["Chinese digits", table("〇一二三四五六七八九")],
	["Chinese financial digits", table("零壹贰叁肆伍陆柒捌玖")],
	["bold letters", letters(0x1d400, 0x1d41a)],
	["sans-serif letters", letters(0x1d5a0, 0x1d5ba)],
	["monospace letters", letters(0x1d670, 0x1d68a)],
	["circled letters", letters(0x24b6, 0x24d0)],
	["zero-width spaces", each("\u200b", (c) => c)],
	["word joiners", each("\u2060", (c) => c)],
	["soft hyphens", each("\u00ad", (c) => c)],
	["combining marks", each("", (c) => `${c}\u0332`)],
	["strike-through", each("", (c) => `${c}\u0336`)],
	["right-to-left marks", each("\u200f", (c) => c)],
	["tag characters", (text) => [...text].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join("")],
	[
		"Cyrillic look-alikes",
		(text) => (/[aeo]/.test(text) ? text.replace(/a/g, "а").replace(/e/g, "е").replace(/o/g, "о") : null),
	],
	// Mark-up
	["bold", (text) => `**${text}**`],
	["bold within", mark("**")],
	["italic within", mark("*")],
	["underscores within", mark("__")],
	["code within", mark("`")],
	["struck within", mark("~~")],
	["tags around", (text) => `<b>${text}</b>`],
	["tags within", mark("<b>", "</b>")],
	["spans within", mark('<span class="x">', "</span>")],
	["a comment within", mark("<!-- -->", "")],
	["a soft break within", mark("<wbr>", "")],
	["a tag behind each sign", each("<i></i>", (c) => c)],
	["backslashes", (text) => text.replace(/[^A-Za-z0-9 ]/g, "\\$&")],
	["a backslash before each sign", each("", (c) => (c === " " ? c : `\\${c}`).replace(/\\(?=[a-z])/i, ""))],
	["a link", (text) => `[${text}](https://a.test/x)`],
	["a table's cells", groups(" | ")],
	["LaTeX", (text) => `\\texttt{${text.replace(/_/g, "\\_")}}`],
	["quotes within", (text) => `${text.slice(0, half(text))}" + "${text.slice(half(text))}`],
	["single quotes within", (text) => `${text.slice(0, half(text))}' + '${text.slice(half(text))}`],
	["adjacent strings", (text) => `"${text.slice(0, half(text))}" "${text.slice(half(text))}"`],
	["a list of characters", (text) => `[${[...text].map((c) => JSON.stringify(c)).join(", ")}]`],
	["a list of digits", (text) => (/[a-z]/i.test(text) ? null : `[${text.replace(/\D/g, "").split("").join(", ")}]`)],
	// Bytes
	["base64", base64],
	["base64 in lines of 76", (text) => lines(base64(`prefix of the text ${text} and some more of it`), 76)],
	["base64 in short lines", (text) => lines(base64(text), 8)],
	["base64 in lines of 20", (text) => lines(base64(`the value is ${text}`), 20)],
	["base64 with spaces", (text) => lines(base64(text), 4, " ")],
	["base64 without padding", (text) => base64(text).replace(/=+$/, "")],
	["base64 for URLs", (text) => base64(text).replace(/\+/g, "-").replace(/\//g, "_")],
	["base64 twice", (text) => base64(base64(text))],
	["base64 as UTF-16", (text) => btoa([...text].map((c) => `${c}\0`).join(""))],
	["base32", toBase32],
	["hexadecimal", (text) => utf8(text).map(hex).join("")],
	["hexadecimal with spaces", (text) => utf8(text).map(hex).join(" ")],
	[
		"hexadecimal with 0x",
		(text) =>
			utf8(text)
				.map((byte) => `0x${hex(byte)}`)
				.join(", "),
	],
	["hexadecimal with commas", (text) => utf8(text).map(hex).join(",")],
	[
		"string escapes",
		(text) =>
			utf8(text)
				.map((byte) => `\\x${hex(byte)}`)
				.join(""),
	],
	[
		"octal escapes",
		(text) =>
			utf8(text)
				.map((byte) => `\\${byte.toString(8).padStart(3, "0")}`)
				.join(""),
	],
	[
		"Unicode escapes",
		(text) =>
			utf8(text)
				.map((byte) => `\\u00${hex(byte)}`)
				.join(""),
	],
	[
		"Unicode escapes in braces",
		(text) =>
			utf8(text)
				.map((byte) => `\\u{${hex(byte)}}`)
				.join(""),
	],
	[
		"URL escapes",
		(text) =>
			utf8(text)
				.map((byte) => `%${hex(byte)}`)
				.join(""),
	],
	["URL encoding", (text) => encodeURIComponent(text)],
	["double URL encoding", (text) => encodeURIComponent(encodeURIComponent(text))],
	["form encoding", (text) => encodeURIComponent(text).replace(/%20/g, "+")],
	[
		"entities",
		(text) =>
			utf8(text)
				.map((byte) => `&#${byte};`)
				.join(""),
	],
	[
		"hexadecimal entities",
		(text) =>
			utf8(text)
				.map((byte) => `&#x${hex(byte)};`)
				.join(""),
	],
	[
		"entities without semicolons",
		(text) =>
			utf8(text)
				.map((byte) => `&#${byte} `)
				.join("")
				.replace(/ /g, ""),
	],
	[
		"quoted-printable",
		(text) =>
			utf8(text)
				.map((byte) => `=${hex(byte).toUpperCase()}`)
				.join(""),
	],
	["decimal codes", (text) => utf8(text).join(" ")],
	[
		"binary",
		(text) =>
			utf8(text)
				.map((byte) => byte.toString(2).padStart(8, "0"))
				.join(" "),
	],
	["reversed", (text) => [...text].reverse().join("")],
	["rot13", (text) => (/[a-z]{3}/.test(text) ? rot13(text) : null)],
	// Words
	["spelled digits", (text) => (/^\d/.test(text) ? spell(text.replace(/\D/g, ""), " ") : null)],
	["spelled digits with hyphens", (text) => (/^\d/.test(text) ? spell(text.replace(/\D/g, ""), "-") : null)],
	[
		"doubled spelled digits",
		(text) => (/^\d/.test(text) ? spell(text.replace(/\D/g, ""), " ").replace(/(\w+) \1 /g, "double $1 ") : null),
	],
	["spaces around the at", mail((local, domain) => `${local} @ ${domain}`)],
	["at in brackets", mail((local, domain) => `${local}[at]${domain}`)],
	["at and dot in brackets", mail((local, domain) => `${local} [at] ${domain.replace(".", " [dot] ")}`)],
	["at in parentheses", mail((local, domain) => `${local}(at)${domain.replace(".", "(dot)")}`)],
	["at and dot as words", mail((local, domain) => `${local.replace(".", " dot ")} at ${domain.replace(".", " dot ")}`)],
	["AT in capitals", mail((local, domain) => `${local} AT ${domain.replace(".", " DOT ")}`)],
	["at in braces", mail((local, domain) => `${local}{at}${domain}`)],
	["at in angles", mail((local, domain) => `${local}<at>${domain}`)],
	["an at of full width", mail((local, domain) => `${local}＠${domain}`)],
	["spaces around the dots", mail((local, domain) => `${local}@${domain.replace(".", " . ")}`)],
	["upper case", (text) => (/[a-z]@|@[a-z]/.test(text) ? text.toUpperCase() : null)],
	["O for 0", (text) => (/^\d/.test(text) && text.includes("0") ? text.replace(/0/g, "O") : null)],
	["l for 1", (text) => (/^\d/.test(text) && text.includes("1") ? text.replace(/1/g, "l") : null)],
];

function spell(digits: string, separator: string): string {
	const words = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
	return [...digits].map((digit) => words[Number(digit)] ?? "").join(separator);
}

function toBase32(text: string): string {
	const bits = utf8(text)
		.map((byte) => byte.toString(2).padStart(8, "0"))
		.join("");
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
	return lines(bits, 5, " ")
		.split(" ")
		.map((five) => alphabet[Number.parseInt(five.padEnd(5, "0"), 2)] ?? "")
		.join("");
}
