// What the sandbox says to the prompts of orchestration: plans, verdicts, syntheses and votes that fit what was asked.
//
//   [[disagree]]         each model has a final answer of its own
//   [[malformed json]]   a judge or planner writes prose, which its repair turns into JSON
//   [[never json]]       the same, and the repair is prose too

/** What is looked at of a prompt. */
interface Prompt {
	model: string;
	systemText: string;
	userText: string;
}

const SHOWN_CHARS = 400;

/** Texts between their marks, in order. */
function embedded(text: string, name: string): string[] {
	const marks = new RegExp(`<<${name} \\d+>>\\n([\\s\\S]*?)\\n<<end of ${name.toLowerCase()} \\d+>>`, "g");
	return [...text.matchAll(marks)].map(([, inner = ""]) => inner);
}

function shown(text: string): string {
	return text
		.replace(/\s+/g, " ")
		.trim()
		.slice(0, SHOWN_CHARS)
		.replace(/[\uD800-\uDBFF]$/, "");
}

/** Items of a list, else questions, else the whole. */
function partsOf(text: string): string[] {
	const items = [...text.matchAll(/^[ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]+(\S.*)$/gm)].map(([, item = ""]) => item);
	const questions = text.match(/[^.?!\n]+\?/g) ?? [];
	return (items.length > 1 ? items : questions.length > 1 ? questions : [text]).slice(0, 4).map(shown);
}

/** A part that speaks of what was before it needs the answer to that. */
const LEANS_ON_BEFORE = /\b(?:then|using (?:that|it|the)|based on|from that|with that|of that)\b/i;

function plan(userText: string): string {
	const subtasks = partsOf(userText).map((task, at) => ({
		id: String(at + 1),
		task,
		depends_on: at > 0 && LEANS_ON_BEFORE.test(task) ? [String(at)] : [],
	}));
	return JSON.stringify({ subtasks });
}

/** The longer answer, of equals the first in the alphabet: whatever its position. */
function verdict(text: string): string {
	const [first = "", second = ""] = embedded(text, "Answer").slice(-2);
	if (first === second) return JSON.stringify({ winner: "tie" });
	const isFirst = first.length === second.length ? first < second : first.length > second.length;
	return JSON.stringify({ winner: isFirst ? 1 : 2 });
}

const SUM = /(-?\d+(?:\.\d+)?)\s*([-+*/×])\s*(-?\d+(?:\.\d+)?)/;

/** The result of the first calculation, else the last number, else the last capitalized word. */
function finalAnswer(text: string): string {
	const [, a, operator, b] = SUM.exec(text) ?? [];
	const [left, right] = [Number(a), Number(b)];
	const results: Record<string, number> = {
		"+": left + right,
		"-": left - right,
		"*": left * right,
		"×": left * right,
		"/": left / right,
	};
	const result = operator === undefined ? undefined : results[operator];
	if (result !== undefined && Number.isFinite(result)) return String(result);
	return text.match(/\d+/g)?.at(-1) ?? text.match(/\b[A-Z][a-z]+\b/g)?.at(-1) ?? "yes";
}

function repaired(userText: string): string {
	if (userText.includes("[[never json]]")) return "There is no object in it.";
	return JSON.stringify(
		userText.includes('"winner"') ? { winner: "tie" } : { subtasks: [{ id: "1", task: "All of it." }] },
	);
}

function asJson(userText: string, reply: string): string {
	const [word] = userText.match(/\[\[(?:malformed|never) json\]\]/) ?? [];
	return word === undefined ? reply : `That is hard to say. ${word}`;
}

/** The reply to a prompt of orchestration; null to any other. */
export function orchestrationReply({ model, systemText, userText }: Prompt): string | null {
	if (systemText.includes("You turn a text into the JSON object")) return repaired(userText);
	if (systemText.includes("You split the user's last message into subtasks")) return asJson(userText, plan(userText));
	if (systemText.includes("You compare two answers")) return asJson(`${systemText}\n${userText}`, verdict(userText));
	const answers = embedded(systemText, "Answer");
	if (systemText.includes("You answered the user before")) {
		if (userText.includes("[[disagree]]")) return answers[0] ?? null;
		return answers.toSorted()[0] ?? null;
	}
	if (systemText.includes("Several models have answered the user"))
		return `The sandbox puts ${answers.length} answers together: ${shown(answers[0] ?? "")}`;
	if (systemText.includes("was split into subtasks"))
		return `The sandbox puts the parts together: ${embedded(systemText, "Part").map(shown).join(" ")}`;
	if (userText.includes("[[disagree]]")) return `The sandbox answers for ${model}.\nFinal answer: ${model}`;
	if (systemText.includes("Final answer: <the answer alone"))
		return `The sandbox answers for ${model}.\nFinal answer: ${finalAnswer(userText)}`;
	return null;
}
