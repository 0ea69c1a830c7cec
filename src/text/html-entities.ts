// What names of characters in HTML stand for, as far as they hide parts of addresses, numbers and words. Pure.

/** By their names in lower case, without `&` and `;`. */
export const HTML_ENTITIES: Readonly<Record<string, string>> = {
	amp: "&",
	lt: "<",
	gt: ">",
	quot: '"',
	apos: "'",
	nbsp: " ",
	period: ".",
	commat: "@",
	colon: ":",
	sol: "/",
	bsol: "\\",
	tab: "\t",
	newline: "\n",
	lpar: "(",
	rpar: ")",
	num: "#",
	quest: "?",
	equals: "=",
	hyphen: "-",
	dash: "-",
	lowbar: "_",
	shy: "",
	zwnj: "",
	zwj: "",
};
