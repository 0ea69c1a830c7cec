// The skills that ship, one Markdown file each in library/, loaded on first use: start-up and other requests pay nothing.
// The bundler makes each file a text module of its own; plain Node has no such import and reads the files (skill.ts).
import { readSkill, type Skill } from "./skill.ts";

/** By id, which is the file's name; in alphabetical order. */
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

/** Read so far. Not promises: what one request waits for another cannot. */
const loaded = new Map<string, Skill>();

async function load(id: string, file: () => Promise<{ default: string }>): Promise<Skill> {
	const known = loaded.get(id);
	if (known) return known;
	const skill = readSkill((await file()).default);
	loaded.set(id, skill);
	return skill;
}

/** The skill of an id; null when there is none. */
export async function findSkill(id: string): Promise<Skill | null> {
	const file = Object.hasOwn(SKILL_FILES, id) ? SKILL_FILES[id] : undefined;
	return file ? load(id, file) : null;
}

/** Every skill, by id. */
export function allSkills(): Promise<Skill[]> {
	return Promise.all(Object.entries(SKILL_FILES).map(([id, file]) => load(id, file)));
}
