// Whether an answer is the error message of a machine: what servers, gateways and libraries write where an answer should be. Pure.
import { isJsonObject, parseJson } from "../json.ts";

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
const NAMED = "(?:(?:api|http|server|runtime|stream)?\\s*(?:error|exception|fehler)(?: code)?[\\s:\\-–(]*)";
const MESSAGE = new RegExp(
	`^[\\s\\W]*(?:(?:${STATUS}|${NAMED})*(?:${PHRASES})|(?:${STATUS}|${NAMED})+(?:${WORDS})|(?:${WORDS})(?=[\\s\\p{P}]*$))(?=$|[\\s\\p{P}])`,
	"iu",
);
const HTML_PAGE = /^\s*(?:<\?xml[^>]{0,100}>\s*)?<(?:!doctype html|html|head|title)\b/i;
const HTML_ERROR =
	/<(?:title|h1)[^>]{0,100}>[^<]{0,80}(?:\b[45]\d\d\b|error|bad gateway|unavailable|denied|forbidden|not found|just a moment|time-?out)/i;

/** The user asks about errors, so that one is an answer. */
const ABOUT_ERRORS =
	/error|exception|http|status|\b[45]\d\d\b|fehler|erreur|ошибк|błąd|erro\b|errore|错误|エラー|log\b|message|meldung|mensaje|mock|html|page/i;

/** An error as JSON, as APIs answer it. */
function isErrorObject(text: string): boolean {
	const body = /^\s*\{/.test(text) ? parseJson(text) : null;
	if (!isJsonObject(body)) return false;
	const error = body["error"];
	if (typeof error === "string") return Object.keys(body).length <= 3;
	return typeof error === "object" && error !== null && "message" in error;
}

/**
 * Whether an answer is an error message, and not asked for.
 * @param prompt the last message of the user.
 */
export function isErrorText(text: string, prompt: string): boolean {
	if (ABOUT_ERRORS.test(prompt)) return false;
	if (HTML_PAGE.test(text)) return HTML_ERROR.test(text.slice(0, 4_000));
	if (text.length > MAX_ERROR_CHARS) return false;
	return MESSAGE.test(text) || isErrorObject(text);
}
