// The table of what is said of a secret in words: "the password is …", headers, options of commands, statements of SQL.

import { verbose } from "./verbose.ts";
import { Lexicon } from "./words.ts";

/** What the value must be: any password, one of every make, a key, or the token of a header. */
export type SaidAs = "password" | "strong" | "key" | "bearer";

export interface SaidSecret {
	/** Sticky, of bounded length, with a group `value`. */
	readonly shape: RegExp;
	readonly as: SaidAs;
}

const VALUE = "[\"'`“«]?(?<value>[^\\s\"'`“”«»,;<>]{6,128})";
const OF =
	"(?: (?:for|of|to|on|at|del?|des?|d[aou]|du|della?|für|fürs|zum|vom|von|van|voor|pour|para|per|dla) [^\\n:=]{1,40}?)?";
const IS = "(?:is|was|are|ist|war|lautet|es|era|é|è|est|était|to|jest|auf|a|as|:|=|->|=>)";

/** What became of a secret: the value stands behind it. */
const CHANGED = verbose`
	(?:(?:is|was|has been|got|gets|been) )?(?:now |just )?(?:changed|reset|set|updated|rotated|switched) (?:back )?to
	|(?:is|are) now
	|ist jetzt
	|wurde (?:auf|zu)
	|lautet (?:jetzt|nun)
	|est (?:maintenant|désormais)
	|(?:es|está) ahora
	|ahora es
	|adesso è
	|ora è
	|agora é
	|is nu
`;

const PASSWORD_WORDS = [
	"password",
	"passwort",
	"passwd",
	"passphrase",
	"passcode",
	"pwd",
	"pw",
	"senha",
	"wachtwoord",
	"kennwort",
	"clave",
];

const SAID: readonly (SaidSecret & { readonly words: readonly string[] })[] = [
	{
		words: [...PASSWORD_WORDS, "passord", "heslo"],
		shape: new RegExp(`\\S{1,20}${OF} ?${IS}[: ]{1,2}${VALUE}`, "diy"),
		as: "password",
	},
	{
		words: [...PASSWORD_WORDS, "passe"],
		shape: new RegExp(`\\S{2,12}${OF} (?:${CHANGED}):? (?![/~.])${VALUE}`, "diy"),
		as: "password",
	},
	{
		words: ["reset", "changed", "set", "updated", "rotated"],
		shape: new RegExp(
			verbose`
				\w{3,7} (?:it|them|(?:the|my|her|his|their|our|your) \w{0,12} ?(?:password|pw|pwd|login))(?: back)? to:? ${VALUE}(?:
					(?=[^\n]{0,80}(?:password|passwd|\bpw\b|log ?in|credential))
					|(?<=(?:password|passwd|\bpw\b|log ?in|credential)[^\n]{0,200})
				)
			`,
			"diy",
		),
		as: "password",
	},
	// Words end at letters beyond ASCII: contraseña, hasło, mot de passe.
	{ words: ["contrase"], shape: new RegExp(`contraseña${OF} ?${IS}[: ]{1,2}${VALUE}`, "diy"), as: "password" },
	{ words: ["has"], shape: new RegExp(`hasło(?: do [^\\n:=]{1,40}?)? ?${IS}[: ]{1,2}${VALUE}`, "diy"), as: "password" },
	{ words: ["passe"], shape: new RegExp(`passe${OF} ?${IS}[: ]{1,2}${VALUE}`, "diy"), as: "password" },
	{
		words: [
			"password",
			"passwort",
			"passwd",
			"pwd",
			"pw",
			"senha",
			"wachtwoord",
			"passe",
			"pass",
			"creds",
			"credentials",
		],
		shape: /\w{2,11}[ /|]{1,3}["'`(]?(?<value>[^\s"'`“”,;<>()]{8,128})/diy,
		as: "strong",
	},
	{
		words: ["token", "secret", "key"],
		shape: new RegExp(`\\S{1,20} ?(?:is|was|ist|es|est|é|è|lautet|->)[: ]{1,2}${VALUE}`, "diy"),
		as: "key",
	},
	{
		words: ["password", "passwd", "secret"],
		shape: /\w{6,8}>(?<value>[^<>\s]{6,128})<\//diy,
		as: "password",
	},
	// A setting of XML: its name in one attribute, its value in the next.
	{
		words: ["key", "name"],
		shape:
			/(?:key|name)=["'][\w.:-]{0,40}(?:password|passwd|pwd|secret|apikey|api[_-]key|token|passphrase)["'][^<>\n]{0,24}? value=["'](?<value>[^"'\n]{6,128})["']/diy,
		as: "password",
	},
	// A key that is only put behind its name.
	{
		words: ["key", "secret", "token"],
		shape:
			/(?<=(?:api|secret|access|auth|signing|encryption|bearer|private)[ _-]?)\w{3,6}(?: base)?:? ["'`]?(?<value>(?=[^\s]{0,24}\d)[A-Za-z\d_+/=-]{24,200})(?![^\s"'`.,;)])/diy,
		as: "key",
	},
	// PASSWORD '…' and IDENTIFIED BY '…' of SQL.
	{
		words: ["password", "by"],
		shape: /(?:password|(?<=identified )by) ["'](?<value>[^"'\s]{6,128})["']/diy,
		as: "password",
	},
	// Options of commands: --password x, --api-key x.
	{
		words: ["password", "pass", "passwd"],
		shape: /(?<=--[\w-]{0,20})\w{4,8} ["']?(?<value>[^\s"'-][^\s"']{5,128})/diy,
		as: "password",
	},
	{
		words: ["token", "secret", "key"],
		shape: /(?<=--[\w-]{0,20})\w{3,6} ["']?(?<value>[\w.~+/=-]{12,200})/diy,
		as: "key",
	},
	{ words: ["login"], shape: /login \S{1,64} password (?<value>\S{6,128})/diy, as: "password" },
	{ words: ["sshpass"], shape: /sshpass -p ?["']?(?<value>[^\s"']{6,64})/diy, as: "password" },
	{
		words: ["mysql", "mysqldump", "mysqladmin"],
		shape: /\w{5,10} [^\n]{0,80}?-p(?<value>[^\s-]\S{5,64})/diy,
		as: "password",
	},
	{
		words: ["curl"],
		shape: /curl [^\n]{0,160}?(?:-u|--user)[ =]["']?[^\s:"']{1,64}:(?<value>[^\s"']{4,128})/diy,
		as: "password",
	},
	{ words: ["bearer"], shape: /bearer ["'`]?(?<value>[\w.~+/=-]{20,2000})/diy, as: "bearer" },
	{ words: ["token"], shape: /(?<=authorization["']?[:=] ?["']?)token (?<value>[\w.~+/=-]{20,400})/diy, as: "bearer" },
	{ words: ["basic"], shape: /basic (?<value>[A-Za-z0-9+/]{12,400}={0,2})(?![A-Za-z0-9])/diy, as: "key" },
];

const said = new Lexicon<SaidSecret>();
for (const entry of SAID) for (const word of entry.words) said.add(word, entry);

/** What is waited for at a word. */
export function saidAt(text: string, start: number, end: number): readonly SaidSecret[] | undefined {
	return said.at(text, start, end);
}
