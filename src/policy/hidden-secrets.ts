// Hides passwords and tokens in a text that a reason quotes. The detector of compliance/ finds more kinds; these are the
// shapes that only command lines have, and beginnings of tokens that were cut off.

/** What stands in place of a secret. */
const HIDDEN = "[secret]";

/** Names of options, variables and headers that hold a secret. */
const SECRET_NAME =
	"[\\w-]{0,40}(?:passw(?:or)?d|passphrase|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credentials?)[\\w-]{0,40}";

/** Shapes of a secret. The first group is what stays of the match. */
const SECRET_SHAPES: readonly RegExp[] = [
	// postgres://user:password@host, and the same cut off before the host. A number after the colon is a port.
	/(:\/\/[^\s/:@]{1,200}:)(?!\d{1,5}(?:\/|\s|$))[^\s/@]{1,400}/g,
	// Authorization: Bearer …
	/(\b(?:bearer|basic|authorization: ?\w{1,20}) )[^\s'"]{1,400}/gi,
	// PGPASSWORD=…, --token=…, X-Api-Key: …
	new RegExp(`(\\b${SECRET_NAME}(?:=|: ?))[^\\s'",;&|)]{1,400}`, "gi"),
	// --password …
	new RegExp(`((?:^|\\s)--?${SECRET_NAME} )[^\\s'",;&|)-][^\\s'",;&|)]{0,400}`, "gi"),
	// curl -u user:password
	/((?:^|\s)(?:-u|--user|--auth) ?=?[^\s:]{1,100}:)[^\s]{1,400}/g,
	/(\bsshpass -p ?)[^\s]{1,400}/g,
	/(\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\b[^|;&]{0,200}? -p)[^\s]{1,400}/g,
	// docker login -p …, mongosh -p …, zip -P …, ldapsearch -w …
	/(\b(?:login|mongo(?:sh|dump|restore|export|import)?|zip|7za?|sqlcmd|ldap(?:search|modify|add|delete)|lftp|plink|pscp|psftp)\b[^|;&]{0,200}? -[pPw] ?)[^\s-][^\s]{0,400}/g,
	// openssl … -passin pass:…
	/(\bpass:)[^\s'"]{1,400}/g,
	/(\bredis-cli\b[^|;&]{0,200}? -a )[^\s]{1,400}/g,
	/()\b(?:gh[pousr]_|github_pat_|glpat-|sk-|sk_live_|rk_live_|xox[abprs]-|npm_|pypi-|AKIA|ASIA|AIza|eyJ)[\w.+/=-]{6,400}/g,
];

/** A part of a text. */
interface HiddenSpan {
	readonly start: number;
	readonly end: number;
}

/** Finds secrets in a text, in order and without overlap. */
export type FindHiddenSpans = (text: string) => readonly HiddenSpan[];

/** Replaces each secret of a text. Texts are a few hundred characters. */
export function hideSecrets(text: string, find: FindHiddenSpans): string {
	let shown = "";
	let from = 0;
	for (const { start, end } of find(text)) {
		shown += text.slice(from, start) + HIDDEN;
		from = end;
	}
	shown += text.slice(from);
	return SECRET_SHAPES.reduce((rest, shape) => rest.replace(shape, `$1${HIDDEN}`), shown);
}
