// The shipped skills, one Markdown file each in library/. A file is loaded on first use, so start-up and other requests pay
// nothing. The bundler makes each file a text module. Plain Node has no such import and parses the files by skill.ts.
import { parseSkill, type Skill } from "./skill.ts";

/** By id, which is the file's name, in alphabetical order. */
export const SKILL_FILES: Readonly<Record<string, () => Promise<{ default: string }>>> = {
	"api-design": () => import("./library/api-design.md?raw"),
	"code-review": () => import("./library/code-review.md?raw"),
	"data-analysis": () => import("./library/data-analysis.md?raw"),
	debugging: () => import("./library/debugging.md?raw"),
	"decision-memo": () => import("./library/decision-memo.md?raw"),
	editing: () => import("./library/editing.md?raw"),
	estimation: () => import("./library/estimation.md?raw"),
	"evidence-review": () => import("./library/evidence-review.md?raw"),
	"experiment-design": () => import("./library/experiment-design.md?raw"),
	"incident-response": () => import("./library/incident-response.md?raw"),
	observability: () => import("./library/observability.md?raw"),
	"performance-analysis": () => import("./library/performance-analysis.md?raw"),
	"privacy-review": () => import("./library/privacy-review.md?raw"),
	"product-requirements": () => import("./library/product-requirements.md?raw"),
	refactoring: () => import("./library/refactoring.md?raw"),
	"release-planning": () => import("./library/release-planning.md?raw"),
	"secure-code-audit": () => import("./library/secure-code-audit.md?raw"),
	"sql-and-schema": () => import("./library/sql-and-schema.md?raw"),
	"system-design": () => import("./library/system-design.md?raw"),
	"technical-writing": () => import("./library/technical-writing.md?raw"),
	"test-design": () => import("./library/test-design.md?raw"),
	"threat-modelling": () => import("./library/threat-modelling.md?raw"),
	"user-research-synthesis": () => import("./library/user-research-synthesis.md?raw"),
};

/** Loaded so far. These are no promises, because one request cannot await the promise of another. */
const loadedSkills = new Map<string, Skill>();

async function loadSkill(id: string, file: () => Promise<{ default: string }>): Promise<Skill> {
	const known = loadedSkills.get(id);
	if (known) return known;
	const skill = parseSkill((await file()).default);
	loadedSkills.set(id, skill);
	return skill;
}

/** The skill with an id; null when there is none. */
export async function findSkill(id: string): Promise<Skill | null> {
	const file = Object.hasOwn(SKILL_FILES, id) ? SKILL_FILES[id] : undefined;
	return file ? loadSkill(id, file) : null;
}

/** Every skill, ordered by id. */
export function loadAllSkills(): Promise<Skill[]> {
	return Promise.all(Object.entries(SKILL_FILES).map(([id, file]) => loadSkill(id, file)));
}
