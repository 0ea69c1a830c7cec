// Tells from a provider's refusal whose fault it is: the account's, the model's, the base address's, or the prompt's. Each provider
// says it in its own words (test/unit/providers/refusal-cause.test.ts has them). Pure.
import type { UpstreamError } from "./wire.ts";

/**
 * Whose fault a refusal is.
 * `account`: the operator's key, account, permission or balance with the provider. No call to the provider can succeed.
 * `address`: nothing is served at the operator's base address. As bad as `account`.
 * `model`: the provider does not serve this model, or not to this account.
 * `prompt`: anything else; the same call would be refused everywhere.
 */
export type RefusalCause = "account" | "address" | "model" | "prompt";

/** Codes and types by which providers speak of the account, in lower case without separators. */
const ACCOUNT_CODES =
	/^(?:insufficientquota|invalidapikey|exceededcurrentquotaerror|billing(?:error|notactive|hardlimitreached)|arrearage|accessterminated|organizationrestricted|account(?:deactivated|suspended)|(?:expiredtoken|unrecognizedclient|invalidsignature|signaturedoesnotmatch|incompletesignature|missingauthenticationtoken|clockskew)(?:exception)?)$/;

/** Codes and types by which they speak of the model, likewise. */
const MODEL_CODES =
	/^(?:model(?:notfound|notexist|doesnotexist|notavailable|unavailable|notsupported|notopen|notallowed|notentitled|decommissioned|deprecated|retired|accessdenied|permission|termsrequired)|(?:invalid|unknown|unsupported|nosuch)model(?:error|id|name)?$|accessdeniedunpurchased$|deploymentnotfound$)/;

/** First words of refusals that speak of the account with a status that says something else (400 or 429). */
const ACCOUNT_TEXTS: readonly RegExp[] = [
	// Anthropic.
	/^your credit balance is too low/,
	/^you have reached your specified (?:workspace )?api usage limits/,
	// Google; its wrong key is read by its own reader, too.
	/^api key (?:not valid|not found|expired)/,
	/^user location is not supported/,
	// xAI.
	/^incorrect api key provided/,
	// Alibaba.
	/^access denied, please make sure your account is in good standing/,
	// Z.ai and DeepSeek.
	/^(?:\[\d+\]\[?)?(?:insufficient balance|余额不足)/,
	/^(?:\[\d+\]\[?)?your account (?:is|has been) (?:not active|inactive|in arrears|locked|suspended|disabled|deactivated|restricted)\b/,
	// Groq.
	/^organi[sz]ation has been restricted/,
	// Cohere; its limit of a minute passes by itself.
	/^you are using a trial key, which is limited to [\d,]+ api calls \/ month/,
];

/** Lists of a request in which something that a client named may be missing. */
const NOT_IN_REQUEST =
	"(?! (?:in|among) (?:[a-z]+ ){0,3}(?:tools?|functions?|messages?|schemas?|properties|definitions?|parameters?|request|prompt|input)\\b)";

/** What a refusal of a model says of it, after naming it. "Does not support" something is not among it: that is the prompt's. */
const NOT_SERVED = `(?:(?:(?:does|do|did) not exist|not exist|(?:is |was |could )?not (?:be )?found)${NOT_IN_REQUEST}|is (?:no longer|not currently|currently not|not yet) (?:available|supported|served|offered)|(?:has been|is|was) (?:decommissioned|deprecated|retired|removed|discontinued|shut down|sunset|taken offline)|has reached (?:its |the )?end[ -]of[ -](?:its )?life|is (?:unknown|unavailable|invalid|not (?:a )?(?:valid|available|accessible|recogni[sz]ed|supported))(?=[.,;(]|$| (?:model|or|and|to|any ?more|here|(?:for|in|on) your|(?:for|on) this (?:account|organi[sz]ation|project|plan|key|subscription))\\b))`;

/** First words of refusals of a model, in lower case, without quotes, and with § for the model's id. */
const MODEL_TEXTS: readonly RegExp[] = [
	new RegExp(
		`^(?:(?:error|invalid request):? )?(?:the |this |requested |specified |provided )*models?(?: id| name| version| identifier)?[:/ ]*§?[ ,]*${NOT_SERVED}`,
	),
	new RegExp(`^§ ${NOT_SERVED}`),
	/^(?:\/chat\/completions: )?(?:invalid|unknown|unsupported|unrecogni[sz]ed|no such) model(?: id| name| specified| provided| requested)?(?: passed in model)?(?:[:=]? ?§|[.,;]|$)/,
	/^not found the model/,
	// DeepSeek.
	/^the supported api model names are .{1,300} but you passed §/,
	// Google.
	/^(?:\* )?(?:generatecontentrequest\.model: )?unexpected model name format/,
	// Z.ai, in Chinese.
	/^(?:\[\d+\]\[?)?模型不存在/,
	// Bedrock: a model that is called by a profile alone, or that the region lacks.
	/^invocation of model id .{1,300} with on-demand throughput isn/,
	/^could not resolve the foundation model/,
	/^you (?:don.?t|do not) have access to (?:this|the) model/,
	// In a sentence of its own: what a client sent is quoted behind a colon or in brackets.
	/^[a-z ]{0,80}\b(?:have|includes?|grants?) access to (?:the )?(?:model )?§/,
	/^your organi[sz]ation must be verified to (?:use|stream) (?:this|the) model/,
];

/** An account that is closed, whatever it did: nothing else in the text counts. */
const CLOSED_ACCOUNT =
	/\b(?:account|organi[sz]ation|project|team|workspace|access|api[_ ]key|key|consumer|service)\b[^.]{0,80}\b(?:disabled|suspended|terminated|deactivated|banned|revoked|closed|leaked)\b/;

/** A provider that dislikes what was said. xAI names its account and the model beside it. */
const DISLIKED_CONTENT =
	/\b(?:safety|moderat\w+|guardrails?|flagged|harmful|unsafe|inappropriate|failed check|usage (?:guidelines|polic(?:y|ies))|acceptable use|content[ _-]?(?:polic(?:y|ies)|filter\w*|guidelines|violations?)|prohibited content|(?:prompt|input|content|image|text|message)s?\b[^.]{0,80}\b(?:violat\w+|not allowed|disallowed|blocked|rejected|refused|sensitive|prohibited))\b/;

/** What is said of access to a model. */
const ACCESS =
	/\b(?:access\w*|permi\w+|authori[sz]\w+|allowed|available|eligible|entitled|enabled?|disabled|subscri\w+|purchas\w+|plans?|exist\w*|found|supported|deprecated|decommissioned|retired|denied|verified|restricted|blocked)\b/;

/** What is said of an account, or of where it may call from. */
const ACCOUNT =
	/\b(?:api ?(?:keys?|tokens?)|(?:your|this|invalid|wrong|access|secret) (?:keys?|tokens?)|keys? (?:is|has|was|does|do|lacks?|cannot|not)|accounts?|permissions?|quotas?|(?:usage|spend|spending) limits?|billing|credits?|credentials?|balances?|payments?|organi[sz]ations?|projects?|teams?|workspaces?|subscriptions?|licen[sc]es?|authenticat\w+|authori[sz]\w+|unauthori[sz]ed|access[^.]{0,40} denied|countr(?:y|ies)|regions?|territor(?:y|ies)|ip address(?:es)?)\b|\brequest not allowed$/;

/** What is said where nothing is served at an address. */
const NO_ADDRESS =
	/\b(?:invalid url|(?:requested|check your|unknown) (?:url|path|route|endpoint)|no handler found|cannot post|no such (?:path|route|url)|page not found|no route)\b/;

/** A limit of nothing, which Google sets where a plan lacks the model. No wait helps. */
const NO_QUOTA = /\blimit: 0, model: /;

/** Things other than models and addresses that a request may name. */
const OTHER_THING =
	/\b(?:files?|documents?|images?|attachments?|containers?|responses?|conversations?|caches?|assistants?|skills?|tools?)\b/;

function toCode(word: string): string {
	return word.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** Several words in quotes: what was sent, and no id. */
const QUOTED_WORDS =
	/"[^"\s]*\s[^"]*"|“[^”\s]*\s[^”]*”|`[^`\s]*\s[^`]*`|‘[^’\s]*\s[^’]*’|(?<![\w.,;:!?])'[^'\s]*\s[^']*'(?!\w)/g;

/**
 * A text in lower case, without quotes, what is quoted in several words and the paths of Google's calls, with § for each id where it
 * stands as a word.
 */
function toPlainText(message: string, modelIds: readonly string[]): string {
	const plain = message
		.toLowerCase()
		.replace(QUOTED_WORDS, " ")
		.replace(/\S*:(?:stream)?generatecontent\S*/g, " ")
		.replace(/["'`‘’“”]/g, "")
		.replace(/\s+/g, " ")
		.trim();
	// The longest first: a catalog id may be the end of the id that its provider knows.
	return modelIds
		.map((id) => id.toLowerCase())
		.toSorted((a, b) => b.length - a.length)
		.reduce((text, id) => {
			const escaped = id.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
			return text.replace(new RegExp(`(?<![\\w.-])${escaped}(?![\\w-]|\\.\\w)`, "g"), "§");
		}, plain);
}

/** Longer texts are read so far: what a refusal is about comes first. */
const MAX_READ_CHARS = 2_000;

/**
 * Whose fault a status from 400 to 499 is; other statuses are not refusals.
 * @param error what the body says; null where it is not in a form that the provider documents.
 * @param modelIds the ids of the model: the catalog's and the one that was sent.
 */
export function readRefusalCause(
	status: number,
	error: UpstreamError | null,
	modelIds: readonly string[],
): RefusalCause {
	if (status === 401 || status === 402) return "account";
	const codes = [error?.code, error?.type].map((word) => toCode(word ?? ""));
	if (codes.some((code) => ACCOUNT_CODES.test(code))) return "account";
	const text = toPlainText((error?.message ?? "").slice(0, MAX_READ_CHARS), modelIds);
	const isModelCode = codes.some((code) => MODEL_CODES.test(code));
	if (isModelCode) return "model";
	if (status === 429 && NO_QUOTA.test(text)) return "model";
	if (status === 403) return readForbidden(`${error?.code ?? ""} ${error?.type ?? ""} ${text}`);
	if (MODEL_TEXTS.some((said) => said.test(text))) return "model";
	if (status === 404 || status === 405 || status === 410) return readNotFound(text);
	return ACCOUNT_TEXTS.some((said) => said.test(text)) ? "account" : "prompt";
}

function namesModel(text: string): boolean {
	return text.includes("§") || /\bmodels?\b/.test(text);
}

/** Google's refusal of a service account that lacks a role, which names the model that was called. */
const LACKS_ROLE = /\bpermission [\w.]+ denied on resource\b/;

function readForbidden(said: string): RefusalCause {
	const text = said.toLowerCase().replace(/(?<=\w)[_-](?=\w)/g, " ");
	if (LACKS_ROLE.test(text)) return "account";
	const isModel = namesModel(text);
	if (CLOSED_ACCOUNT.test(text) && !isModel) return "account";
	if (DISLIKED_CONTENT.test(text)) return "prompt";
	if (isModel && ACCESS.test(text)) return "model";
	return ACCOUNT.test(text) ? "account" : "prompt";
}

function readNotFound(text: string): RefusalCause {
	if (NO_ADDRESS.test(text)) return "address";
	if (OTHER_THING.test(text) && !/\bmodels?\b/.test(text)) return "prompt";
	// Anthropic says no more than "model: " and an id.
	if (text.includes("§") || /^models?[:/]/.test(text) || (namesModel(text) && ACCESS.test(text))) return "model";
	return OTHER_THING.test(text) ? "prompt" : "address";
}
