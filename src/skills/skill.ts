// A skill as its Markdown file says it: front matter with id, name and description, then the body that becomes the system
// prompt. Pure; where the files come from is library.edge.ts's.

/** Names the collection that the skills belong to, by the month of its last change. */
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

const FILE =
	/^---\nid: (?<id>[a-z-]+)\nname: (?<name>.+)\ndescription: (?<description>.+)\n---\n(?<raw># .+\n[\s\S]+)$/;

/**
 * Reads a skill's file.
 * @throws when the front matter is not id, name and description in this order, or no body begins with a heading: such a
 * file is not to be shipped.
 */
export function readSkill(text: string): Skill {
	const { id, name, description, raw } = FILE.exec(text)?.groups ?? {};
	if (!id || !name || !description || !raw) throw new Error(`not a skill: ${JSON.stringify(text.slice(0, 80))}`);
	return { id, name, description, raw };
}
