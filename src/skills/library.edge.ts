// The shipped skills, one Markdown file each in library/. A file is loaded on first use, so start-up and other requests pay
// nothing. The bundler makes each file a text module. Plain Node has no such import and parses the files by skill.ts.
import { parseSkill, type Skill } from "./skill.ts";

/** By id, which is the file's name, in alphabetical order. */
export const SKILL_FILES: Readonly<Record<string, () => Promise<{ default: string }>>> = {
	"api-design": () => import("./library/api-design.md"),
	"code-review": () => import("./library/code-review.md"),
	"data-analysis": () => import("./library/data-analysis.md"),
	debugging: () => import("./library/debugging.md"),
	"decision-memo": () => import("./library/decision-memo.md"),
	editing: () => import("./library/editing.md"),
	estimation: () => import("./library/estimation.md"),
	"evidence-review": () => import("./library/evidence-review.md"),
	"experiment-design": () => import("./library/experiment-design.md"),
	"incident-response": () => import("./library/incident-response.md"),
	observability: () => import("./library/observability.md"),
	"performance-analysis": () => import("./library/performance-analysis.md"),
	"privacy-review": () => import("./library/privacy-review.md"),
	"product-requirements": () => import("./library/product-requirements.md"),
	refactoring: () => import("./library/refactoring.md"),
	"release-planning": () => import("./library/release-planning.md"),
	"secure-code-audit": () => import("./library/secure-code-audit.md"),
	"sql-and-schema": () => import("./library/sql-and-schema.md"),
	"system-design": () => import("./library/system-design.md"),
	"technical-writing": () => import("./library/technical-writing.md"),
	"test-design": () => import("./library/test-design.md"),
	"threat-modelling": () => import("./library/threat-modelling.md"),
	"user-research-synthesis": () => import("./library/user-research-synthesis.md"),
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
