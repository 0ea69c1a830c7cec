// Whether an answer is the error message of a machine: what servers, gateways and libraries write where an answer should be. Pure.
import { isJsonObject, parseJson } from "../json.ts";
import { readPromptEnds } from "./prompt-ends.ts";

/** A longer text explains an error. */
const MAX_ERROR_CHARS = 400;

/** Messages that servers send. */
const PHRASES =
	"(?:the )?(?:model|server|engine|service) is (?:currently )?(?:overloaded|busy|unavailable|at capacity)|internal (?:server )?error|" +
	"service (?:temporarily )?unavailable|bad gateway|gateway time-?out|(?:request|connection|operation) timed? ?out|too many requests|" +
	"rate limit(?:ed| reached| exceeded)|(?:you have )?exceeded your (?:current )?quota|quota exceeded|connection (?:error|refused|reset|aborted)|" +
	"upstream (?:connect )?error|stream (?:error|disconnected)|network error|invalid api key|an (?:unexpected |internal )?error (?:has )?occurred|" +
	"something went wrong|failed to (?:fetch|generate)|服务器繁忙|系统繁忙|请求过于频繁|サーバーエラー|内部エラー";
/** Words that are messages only by themselves, or behind a status or "Error". */
const WORDS = "overloaded|forbidden|unauthorized|timed? ?out|rate limit|no response";
const STATUS = "(?:(?:http(?:/\\d(?:\\.\\d)?)?|status(?: code)?|code)?[\\s:]*\\b[45]\\d\\d\\b[\\s:.,\\-)]*)";
const ERROR_WORD = "(?:(?:api|http|server|runtime|stream)?\\s*(?:error|exception|fehler)(?: code)?[\\s:\\-–(]*)";
const END = "(?=$|[\\s\\p{P}])";
/** A message behind a status or "Error": nothing else looks like it. */
const MARKED = new RegExp(`^[\\s\\W]*(?:${STATUS}|${ERROR_WORD})+(?:${PHRASES}|${WORDS})${END}`, "iu");
/** A message by itself, which may be a word or a phrase that was asked for. */
const UNMARKED = new RegExp(`^[\\s\\W]*(?:(?:${PHRASES})${END}|(?:${WORDS})(?=[\\s\\p{P}]*$))`, "iu");
const HTML_PAGE = /^\s*(?:<\?xml[^>]{0,100}>\s*)?<(?:!doctype html|html|head|title)\b/i;
const HTML_ERROR =
	/<(?:title|h1)[^>]{0,100}>[^<]{0,80}(?:\b[45]\d\d\b|error|bad gateway|unavailable|denied|forbidden|not found|just a moment|time-?out)/i;

/** The user asks about errors or about what a machine says, so that a message is an answer. */
const ABOUT_ERRORS =
	/error|exception|http|status|\b[45]\d\d\b|\bfail|\berr[oó]|fehler|erreur|ошибк|помилк|błąd|błęd|chyb|\bfout|\bhata|错误|錯誤|エラー|오류|에러|خطأ|أخطاء|त्रुटि|एरर|שגיא|\blogs?\b|protokoll|journal|message|m[eé]ld[iu]ng|mensa[jg]|messagg|komunikat|сообщ|消息|メッセージ|메시지|رسالة|संदेश|mock|html|page|server|serv(?:eu|ido|ito)r|serwer|сервер|sunucu|服务器|サーバ|서버|خادم|सर्वर|שרת|gateway|nginx|proxy|backend|\bapis?\b|endpoint|websocket|\bthrow/iu;
/** The user asks for a word, a phrase, a translation, a text on a screen or JSON: a message without a mark may be that. */
const WANTS_PHRASE =
	/\b(?:alert|toast|tooltip|dialog|banner|button|label|placeholder|caption|snackbar)s?\b|json|\bobject\b|objekt|objet|\bparse|extra[chit]|translat|übersetz|tradu|перев|tłumacz|vertaal|çevir|翻[译譯訳]|訳|번역|ترجم|अनुवाद|\bword\b|\bwort\b|\bmot\b|palabra|palavra|parola|słowo|слово|\bkelime|词|単語|言葉|단어|كلمة|शब्द|synonym|sinónimo|antonym|opposite|gegenteil|contraire|contrario|adjective|adjektiv/iu;

/** What an error says that stands in JSON as APIs write it; null for any other text. */
function readErrorObject(text: string): string | null {
	const body = /^\s*\{/.test(text) ? parseJson(text) : null;
	if (!isJsonObject(body)) return null;
	const error = body["error"];
	if (typeof error === "string") return Object.keys(body).length <= 3 ? error : null;
	if (!isJsonObject(error) || !("message" in error)) return null;
	return String(error["message"]);
}

/**
 * Whether an answer is an error message, and not asked for.
 * @param prompt the last message of the user.
 */
export function isErrorText(text: string, prompt: string): boolean {
	// The text comes first: it is short, and a prompt may have megabytes.
	const isMarked = isMarkedError(text);
	if (!isMarked && !isUnmarkedError(text)) return false;
	const asked = readPromptEnds(prompt);
	return !ABOUT_ERRORS.test(asked) && (isMarked || !WANTS_PHRASE.test(asked));
}

function isMarkedError(text: string): boolean {
	if (HTML_PAGE.test(text)) return HTML_ERROR.test(text.slice(0, 4_000));
	if (text.length > MAX_ERROR_CHARS) return false;
	if (MARKED.test(text)) return true;
	const said = readErrorObject(text);
	return said !== null && (MARKED.test(said) || UNMARKED.test(said));
}

/** An object with an error, or a message, that may be what was asked for. */
function isUnmarkedError(text: string): boolean {
	if (HTML_PAGE.test(text) || text.length > MAX_ERROR_CHARS) return false;
	return UNMARKED.test(text) || readErrorObject(text) !== null;
}
