// The table of phrases that give a secret: "the password is …", headers, command options, SQL statements.

import { Lexicon } from "./ascii-words.ts";
import { verbose } from "./verbose.ts";

/** What the value must look like: any password, a strong one, a key, or the token of a header. */
type SecretForm = "password" | "strong" | "key" | "bearer";

interface SecretPhrase {
	/** Sticky, of bounded length, with a group `value`. */
	readonly shape: RegExp;
	readonly form: SecretForm;
}

const SECRET_VALUE = "[\"'`“«]?(?<value>[^\\s\"'`“”«»,;<>]{6,128})";
const BELONGING =
	"(?: (?:for|of|to|on|at|del?|des?|d[aou]|du|della?|für|fürs|zum|vom|von|van|voor|pour|para|per|dla) [^\\n:=]{1,40}?)?";
const SECRET_EQUATING = "(?:is|was|are|ist|war|lautet|es|era|é|è|est|était|to|jest|auf|a|as|:|=|->|=>)";

/** That a secret was changed: its new value follows. */
const CHANGE = verbose`
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

const SECRET_PHRASES: readonly (SecretPhrase & { readonly words: readonly string[] })[] = [
	{
		words: [...PASSWORD_WORDS, "passord", "heslo"],
		shape: new RegExp(`\\S{1,20}${BELONGING} ?${SECRET_EQUATING}[: ]{1,2}${SECRET_VALUE}`, "diy"),
		form: "password",
	},
	{
		words: [...PASSWORD_WORDS, "passe"],
		shape: new RegExp(`\\S{2,12}${BELONGING} (?:${CHANGE}):? (?![/~.])${SECRET_VALUE}`, "diy"),
		form: "password",
	},
	{
		words: ["reset", "changed", "set", "updated", "rotated"],
		shape: new RegExp(
			verbose`
				\w{3,7} (?:it|them|(?:the|my|her|his|their|our|your) \w{0,12} ?(?:password|pw|pwd|login))(?: back)? to:? ${SECRET_VALUE}(?:
					(?=[^\n]{0,80}(?:password|passwd|\bpw\b|log ?in|credential))
					|(?<=(?:password|passwd|\bpw\b|log ?in|credential)[^\n]{0,200})
				)
			`,
			"diy",
		),
		form: "password",
	},
	// Words are cut at letters beyond ASCII: contraseña, hasło. In French it is mot de passe.
	{
		words: ["contrase"],
		shape: new RegExp(`contraseña${BELONGING} ?${SECRET_EQUATING}[: ]{1,2}${SECRET_VALUE}`, "diy"),
		form: "password",
	},
	{
		words: ["has"],
		shape: new RegExp(`hasło(?: do [^\\n:=]{1,40}?)? ?${SECRET_EQUATING}[: ]{1,2}${SECRET_VALUE}`, "diy"),
		form: "password",
	},
	{
		words: ["passe"],
		shape: new RegExp(`passe${BELONGING} ?${SECRET_EQUATING}[: ]{1,2}${SECRET_VALUE}`, "diy"),
		form: "password",
	},
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
		form: "strong",
	},
	{
		words: ["token", "secret", "key"],
		shape: new RegExp(`\\S{1,20} ?(?:is|was|ist|es|est|é|è|lautet|->)[: ]{1,2}${SECRET_VALUE}`, "diy"),
		form: "key",
	},
	{
		words: ["password", "passwd", "secret"],
		shape: /\w{6,8}>(?<value>[^<>\s]{6,128})<\//diy,
		form: "password",
	},
	// A setting in XML: the name in one attribute, the value in the next.
	{
		words: ["key", "name"],
		shape:
			/(?:key|name)=["'][\w.:-]{0,40}(?:password|passwd|pwd|secret|apikey|api[_-]key|token|passphrase)["'][^<>\n]{0,24}? value=["'](?<value>[^"'\n]{6,128})["']/diy,
		form: "password",
	},
	// A key that follows its name without a sign between them.
	{
		words: ["key", "secret", "token"],
		shape:
			/(?<=(?:api|secret|access|auth|signing|encryption|bearer|private)[ _-]?)\w{3,6}(?: base)?:? ["'`]?(?<value>(?=[^\s]{0,24}\d)[A-Za-z\d_+/=-]{24,200})(?![^\s"'`.,;)])/diy,
		form: "key",
	},
	// SQL: PASSWORD '…' and IDENTIFIED BY '…'.
	{
		words: ["password", "by"],
		shape: /(?:password|(?<=identified )by) ["'](?<value>[^"'\s]{6,128})["']/diy,
		form: "password",
	},
	// Command options: --password x, --api-key x.
	{
		words: ["password", "pass", "passwd"],
		shape: /(?<=--[\w-]{0,20})\w{4,8} ["']?(?<value>[^\s"'-][^\s"']{5,128})/diy,
		form: "password",
	},
	{
		words: ["token", "secret", "key"],
		shape: /(?<=--[\w-]{0,20})\w{3,6} ["']?(?<value>[\w.~+/=-]{12,200})/diy,
		form: "key",
	},
	{ words: ["login"], shape: /login \S{1,64} password (?<value>\S{6,128})/diy, form: "password" },
	{ words: ["sshpass"], shape: /sshpass -p ?["']?(?<value>[^\s"']{6,64})/diy, form: "password" },
	{
		words: [
			"mysql",
			"mysqldump",
			"mysqladmin",
			"mariadb",
			"mongo",
			"mongosh",
			"mongodump",
			"xfreerdp",
			"rdesktop",
			"bcp",
		],
		shape: /\w{3,10} [^\n|;]{0,80}?(?:-p|-P|\/p:)["']?(?<value>[^\s"'-][^\s"']{4,64})/dy,
		form: "password",
	},
	// Options that take a password after a space: docker login -u x -p y, redis-cli -a y, ldapsearch -w y.
	{
		words: [
			"login",
			"cli",
			"sqlcmd",
			"mosquitto",
			"htpasswd",
			"ldapsearch",
			"ldapadd",
			"zip",
			"unzip",
			"7z",
			"keytool",
			"snmpget",
			"ansible",
			"psexec",
			"winrs",
			"mongo",
			"mongosh",
			"mongodump",
			"xfreerdp",
			"rdesktop",
			"bcp",
		],
		shape:
			/\w{2,10}[ _][^\n|;]{0,96}?(?<= )(?:-p|-P|-a|-w|-pw|-storepass|-keypass|-A) ?["']?(?<value>[^\s"'-][^\s"']{4,64})/dy,
		form: "password",
	},
	// smbclient -U user%pass, lftp -u user,pass, openssl -passin pass:x, net use … /user:x y, echo x | sudo -S, user:x | chpasswd.
	{
		words: ["smbclient", "lftp", "openssl", "rpcclient", "wmic", "mount"],
		shape:
			/\w{4,9} [^\n|;]{0,96}?(?:-U ["']?[\w.\\/-]{1,40}%|-u ["']?[\w.@-]{1,40},|-pass(?:in|out)? pass:|password[=:])(?<value>[^\s"',]{5,64})/diy,
		form: "password",
	},
	{
		words: ["echo", "printf"],
		shape:
			/\w{4,6} (?:-n )?["']?(?:[\w.-]{1,32}:)?(?<value>[^\s"':]{5,64})(?:\\n)?["']? ?\| ?(?:sudo -S|(?:sudo )?chpasswd|passwd|docker login|gh auth|kubectl)/diy,
		form: "password",
	},
	{ words: ["user"], shape: /(?<=\bnet )user [\w.-]{1,32} (?<value>[^\s/"'][^\s"']{5,64})/diy, form: "password" },
	{
		words: ["curl", "wget", "http", "https"],
		shape: /\w{4,5} [^\n]{0,160}?(?:-u|--user|-a|--auth)[ =]["']?[^\s:"']{1,64}:(?<value>[^\s"']{4,128})/diy,
		form: "password",
	},
	// A name and its value as two members: HCL, Kubernetes, lists of settings.
	{
		words: ["password", "passwd", "pwd", "passphrase", "passwort", "secret", "token", "pass", "key"],
		shape:
			/\w{3,10}["']?,?\s{0,8}\{?\s{0,12}(?:(?:type|description|sensitive|scope)["']?\s{0,3}[:=]\s{0,3}["']?[\w .-]{1,48}["']?,?\s{1,12}){0,3}["']?(?:default|value|val|content|stringvalue)["']?\s{0,3}[:=]\s{0,3}["'](?<value>[^"'\n]{6,128})["']/diy,
		form: "password",
	},
	// A user and the password beside it, as JSON members with short names.
	{
		words: ["u", "user", "username", "login", "usr", "email", "name"],
		shape:
			/\w{1,8}["']\s?:\s?["'][^"'\n]{1,64}["'],\s{0,8}["'](?:p|pw|pass|pwd|passwd|secret)["']\s?:\s?["'](?<value>[^"'\n]{5,64})["']/diy,
		form: "password",
	},
	{ words: ["bearer"], shape: /bearer ["'`]?(?<value>[\w.~+/=-]{20,2000})/diy, form: "bearer" },
	{
		words: ["token"],
		shape: /(?<=authorization["']?[:=] ?["']?)token (?<value>[\w.~+/=-]{20,400})/diy,
		form: "bearer",
	},
	{ words: ["basic"], shape: /basic (?<value>[A-Za-z0-9+/]{12,400}={0,2})(?![A-Za-z0-9])/diy, form: "key" },
];

const secretLexicon = new Lexicon<SecretPhrase>();
for (const entry of SECRET_PHRASES) for (const word of entry.words) secretLexicon.add(word, entry);

/** The phrases that start at a word; null if there are none. */
export function secretPhrasesAt(text: string, start: number, end: number): readonly SecretPhrase[] | null {
	return secretLexicon.at(text, start, end);
}
