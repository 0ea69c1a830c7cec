// The list of a user's workspaces, by name: what D1 has of each, merged with what is not flushed, in pages. Pure.
import * as z from "zod";
import { isWorkspaceId } from "../ids.ts";

/** A workspace as D1 has it. */
export interface StoredWorkspace {
	workspace_id: string;
	/** Of its latest audit event; null when only a manifest names it. */
	last_event_at: string | null;
	handoffs: number;
	manifest_version: number | null;
	manifest_updated_at: string | null;
}

/** What D1 lacks of a workspace. Manifests are written to D1 at once. */
export type UnflushedWorkspace = Pick<StoredWorkspace, "workspace_id" | "handoffs"> & { last_event_at: string };

export const workspaceSchema = z.lazy(() =>
	z.object({
		object: z.literal("workspace"),
		workspace_id: z.string().describe("Its id."),
		last_activity_at: z.string().describe("Time of its latest audit event or manifest."),
		handoffs: z.int().describe("Entries of its chain."),
		manifest_version: z.int().nullable().describe("Version of its manifest; null where only the built-in rules hold."),
		manifest_updated_at: z.string().nullable().describe("When that manifest came into force."),
	}),
);
type WorkspaceView = z.output<typeof workspaceSchema>;

function latest(...times: readonly (string | null)[]): string {
	return times.reduce<string>((newest, time) => (time !== null && time > newest ? time : newest), "");
}

function toWorkspaceView(
	name: string,
	stored: StoredWorkspace | undefined,
	unflushed: UnflushedWorkspace | undefined,
): WorkspaceView {
	const manifest_updated_at = stored?.manifest_updated_at ?? null;
	return {
		object: "workspace",
		workspace_id: name,
		last_activity_at: latest(stored?.last_event_at ?? null, unflushed?.last_event_at ?? null, manifest_updated_at),
		handoffs: Math.max(stored?.handoffs ?? 0, unflushed?.handoffs ?? 0),
		manifest_version: stored?.manifest_version ?? null,
		manifest_updated_at,
	};
}

/** Renders a cursor behind a workspace, as base64url. */
export function renderWorkspaceCursor(name: string): string {
	return btoa(`workspace ${name}`).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The name that a cursor stands for; null when renderWorkspaceCursor did not write it. */
export function parseWorkspaceCursor(cursor: string): string | null {
	let text: string;
	try {
		text = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
	} catch {
		return null;
	}
	const name = text.slice("workspace ".length);
	return isWorkspaceId(name) && renderWorkspaceCursor(name) === cursor ? name : null;
}

/** A page of workspaces. */
interface WorkspacePage {
	workspaces: WorkspaceView[];
	nextCursor: string | null;
}

/**
 * Merges what D1 has with what it lacks.
 * @param after the name behind which the page starts; empty for the first page.
 * @param stored one more than the page holds if there are more.
 * @param unflushed of any workspaces.
 */
export function mergeWorkspaces(
	stored: readonly StoredWorkspace[],
	unflushed: readonly UnflushedWorkspace[],
	after: string,
	limit: number,
): WorkspacePage {
	const storedByName = new Map(stored.map((workspace) => [workspace.workspace_id, workspace]));
	const unflushedByName = new Map(unflushed.map((workspace) => [workspace.workspace_id, workspace]));
	const names = [...new Set([...storedByName.keys(), ...unflushedByName.keys()])].filter((name) => name > after).sort();
	const page = names.slice(0, limit);
	const last = page.at(-1);
	return {
		workspaces: page.map((name) => toWorkspaceView(name, storedByName.get(name), unflushedByName.get(name))),
		nextCursor: last !== undefined && names.length > limit ? renderWorkspaceCursor(last) : null,
	};
}
