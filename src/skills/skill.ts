// A skill's Markdown file: front matter with id, name and description, then the body that becomes the system prompt. Pure;
// library.edge.ts loads the files.

/** The collection that the skills belong to, named by the month of its last change. */
export const SKILLS_SOURCE = "svc-skills-2026.11";

/** An expert instruction set. */
export interface Skill {
	/** The file's name without its ending. */
	id: string;
	name: string;
	/** One line. */
	description: string;
	/** The Markdown body, without the front matter. */
	raw: string;
}

const SKILL_FILE =
	/^---\nid: (?<id>[a-z-]+)\nname: (?<name>.+)\ndescription: (?<description>.+)\n---\n(?<raw># .+\n[\s\S]+)$/;

/**
 * Parses a skill's file.
 * @throws when the front matter is not id, name and description in this order, or when the body does not begin with a heading.
 */
export function parseSkill(text: string): Skill {
	const { id, name, description, raw } = SKILL_FILE.exec(text)?.groups ?? {};
	if (!id || !name || !description || !raw) throw new Error(`not a skill: ${JSON.stringify(text.slice(0, 80))}`);
	return { id, name, description, raw };
}
