// A workspace's manifest: shown, edited with its changes before they are saved, compared by version, scored.
import type { Child } from "hono/jsx";
import type { WorkspaceManifest } from "../../../policy/manifest.ts";
import { normalizeToolRules, TOOL_VERDICTS, type ToolRules } from "../../../policy/tool-rules.ts";
import type { Api, ApiAnswer, ApiFailure } from "../../api.ts";
import { parseJsonText, placeIssues } from "../../json-faults.ts";
import type { ConsolePage, PageAnswer, PageRequest, ShownPage } from "../../page.ts";
import { CodeBlock, Definitions, Failure, Notice, Time } from "../../views/parts.tsx";
import { type Manifest, WorkspaceLinks, workspacePath } from "./frame.tsx";
import { CompareForm, EditForm, ReadinessForm, SaveForm } from "./manifest-forms.tsx";
import { ManifestDiff, type Readiness, ReadinessResult, renderManifest, Weakenings } from "./manifest-views.tsx";

function manifestApiPath(id: string, version: string | null = null): string {
	const path = `/v1/workspace/${encodeURIComponent(id)}/manifest`;
	return version === null ? path : `${path}?version=${encodeURIComponent(version)}`;
}

function manifestPage(id: string, content: Child, status = 200): ShownPage {
	return {
		kind: "page",
		title: `Manifest of ${id}`,
		section: "workspaces",
		status,
		content: (
			<>
				<p class="lead">The manifest is the policy of this workspace: what agents must not touch, run or leave out.</p>
				<WorkspaceLinks id={id} page="/manifest" />
				{content}
			</>
		),
	};
}

function failedPage(id: string, failure: ApiFailure): ShownPage {
	return manifestPage(id, <Failure failure={failure} />, failure.status);
}

function Current({ current }: { current: Manifest }) {
	if (current.version === null)
		return (
			<Notice kind="note" title="No manifest yet">
				<p>Only the built-in rules hold. Fill in the one below and save it: it becomes version 1.</p>
			</Notice>
		);
	return (
		<Definitions
			entries={[
				["Version in force", current.version],
				["Since (UTC)", current.updated_at === null ? null : <Time iso={current.updated_at} />],
				["Digest", <code>{current.digest}</code>],
			]}
		/>
	);
}

interface ComparisonProps {
	before: Manifest;
	after: Manifest;
}

function Comparison({ before, after }: ComparisonProps) {
	return (
		<>
			<h3>
				From version {before.version} to {after.version}
			</h3>
			<Weakenings before={before.manifest} after={after.manifest} />
			<ManifestDiff before={before.manifest} after={after.manifest} />
		</>
	);
}

/** What the two versions of a query differ in; null without any. */
async function compareVersions(api: Api, id: string, query: URLSearchParams): Promise<Child> {
	const [from, to] = [query.get("from"), query.get("to")];
	if (!from || !to) return null;
	const [before, after] = await Promise.all([
		api.get<Manifest>(manifestApiPath(id, from)),
		api.get<Manifest>(manifestApiPath(id, to)),
	]);
	if (!before.ok) return <Failure failure={before.failure} />;
	if (!after.ok) return <Failure failure={after.failure} />;
	return <Comparison before={before.value} after={after.value} />;
}

function ShownManifest({ current, children }: { current: Manifest; children?: Child }) {
	const { workspace_id: id, version } = current;
	return (
		<>
			<Current current={current} />
			<ReadinessForm id={id} />
			<h2>Edit</h2>
			<EditForm id={id} text={renderManifest(current.manifest)} base={current.digest} />
			{version === null ? null : (
				<>
					<h2>Versions</h2>
					<CompareForm id={id} from={Math.max(1, version - 1)} to={version} />
				</>
			)}
			{children}
		</>
	);
}

const showPage: ConsolePage = {
	id: "workspace_manifest",
	method: "GET",
	path: "/console/workspaces/{id}/manifest",
	async handle({ api, params: { id = "" }, query }): Promise<PageAnswer> {
		const [current, comparison] = await Promise.all([
			api.get<Manifest>(manifestApiPath(id)),
			compareVersions(api, id, query),
		]);
		if (!current.ok) return failedPage(id, current.failure);
		const saved = query.has("saved") ? <Notice kind="success" title="The manifest is saved and in force" /> : null;
		return manifestPage(
			id,
			<>
				{saved}
				<ShownManifest current={current.value}>{comparison}</ShownManifest>
			</>,
		);
	},
};

type Members = Record<string, unknown>;

function isPlainObject(value: unknown): value is Members {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** One more than the API takes, so that comparing takes little time whatever was pasted. */
const MOST_COMPARED = 201;

/** The texts of a list in an edited manifest; what is none of them, or too many, is left to the API to refuse. */
function textList(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((entry) => typeof entry === "string").slice(0, MOST_COMPARED) : [];
}

/** The rules about tools in an edited manifest; null where they say nothing, or are none. */
function toolRules(value: unknown): ToolRules | null {
	const { allow, ask, deny, unknown, self_approval }: Members = isPlainObject(value) ? value : {};
	return normalizeToolRules({
		allow: textList(allow),
		ask: textList(ask),
		deny: textList(deny),
		unknown: TOOL_VERDICTS.find((verdict) => verdict === unknown),
		self_approval: self_approval !== false,
	});
}

/** An edited manifest with what it leaves out, for comparing. The API checks it when it is saved. */
function toComparable(id: string, members: Members): WorkspaceManifest {
	const allowed = textList(members["allowed_commands"]);
	const tools = toolRules(members["tools"]);
	const name = members["project_name"];
	return {
		workspace_id: id,
		project_name: typeof name === "string" ? name : null,
		stack: textList(members["stack"]),
		protected_paths: textList(members["protected_paths"]),
		forbidden_commands: textList(members["forbidden_commands"]),
		...(allowed.length > 0 ? { allowed_commands: allowed } : {}),
		...(tools ? { tools } : {}),
		require_handoffs: members["require_handoffs"] === true,
		require_risk_gate: members["require_risk_gate"] === true,
	};
}

function Conflict({ current }: { current: Manifest }) {
	return (
		<Notice kind="error" title="The manifest has changed meanwhile">
			<p>
				Somebody saved version {current.version} while you were editing. Below is what your text would change in that
				version. Nothing was saved.
			</p>
		</Notice>
	);
}

interface ReviewProps {
	current: Manifest;
	text: string;
	value: Members;
	isConflict: boolean;
	/** How ready the workspace would be under the edited manifest. */
	readiness: Readiness;
}

function Review({ current, text, value, isConflict, readiness }: ReviewProps) {
	const id = current.workspace_id;
	const compared = { before: current.manifest, after: toComparable(id, value) };
	return (
		<>
			{isConflict ? <Conflict current={current} /> : null}
			<h2>What changes</h2>
			<Weakenings {...compared} />
			<ManifestDiff {...compared} />
			<SaveForm id={id} text={text} base={current.digest} />
			<h2>Once it is saved</h2>
			<ReadinessResult readiness={readiness} />
			<h2>Edit further</h2>
			<EditForm id={id} text={text} base={current.digest} />
		</>
	);
}

/** What the edit form brought, beside the manifest in force. */
interface Edit extends Omit<ReviewProps, "isConflict" | "readiness"> {
	/** Digest of the manifest that the edit began with. */
	base: string;
}

/** A page that takes the edit form. One that is no JSON, or whose workspace cannot be read, is answered here. */
function editPage(
	page: Pick<ConsolePage, "id" | "path">,
	answer: (edit: Edit, request: PageRequest) => Promise<PageAnswer> | PageAnswer,
): ConsolePage {
	return {
		...page,
		method: "POST",
		async handle(request): Promise<PageAnswer> {
			const { api, form } = request;
			const { id = "" } = request.params;
			const [text, base] = [form.get("manifest") ?? "", form.get("base") ?? ""];
			const parsed = parseJsonText(text);
			const members = parsed.ok && isPlainObject(parsed.value) ? parsed.value : null;
			const faults = parsed.ok ? ["line 1, column 1: a manifest is a JSON object"] : parsed.faults;
			if (!members) return manifestPage(id, <EditForm id={id} text={text} base={base} faults={faults} />, 422);
			const current = await api.get<Manifest>(manifestApiPath(id));
			if (!current.ok) return failedPage(id, current.failure);
			return answer({ current: current.value, text, value: members, base }, request);
		},
	};
}

/** Scores a manifest without putting it in force. */
function scoreManifest(api: Api, id: string, manifest: object): Promise<ApiAnswer<Readiness>> {
	return api.send<Readiness>("POST", "/v1/workspace/readiness", { ...manifest, workspace_id: id, activate: false });
}

/** The form again, with what the API found wrong at its lines. */
function refusedAnswer({ current, text, base }: Edit, failure: ApiFailure): ShownPage {
	const id = current.workspace_id;
	const content = (
		<>
			<Failure failure={{ ...failure, issues: [] }} />
			<EditForm id={id} text={text} base={base} faults={placeIssues(text, failure.issues)} />
		</>
	);
	return manifestPage(id, content, failure.status);
}

async function reviewAnswer(edit: Edit, { api }: Pick<PageRequest, "api">): Promise<ShownPage> {
	const { base, ...edited } = edit;
	const { workspace_id: id, digest } = edited.current;
	const readiness = await scoreManifest(api, id, edited.value);
	if (!readiness.ok) return refusedAnswer(edit, readiness.failure);
	const isConflict = digest !== base;
	const content = <Review {...edited} isConflict={isConflict} readiness={readiness.value} />;
	return manifestPage(id, content, isConflict ? 409 : 200);
}

const reviewPage = editPage(
	{ id: "review_workspace_manifest", path: "/console/workspaces/{id}/manifest/review" },
	reviewAnswer,
);

const savePage = editPage(
	{ id: "save_workspace_manifest", path: "/console/workspaces/{id}/manifest" },
	async (edit, { api }) => {
		const { current, value, base } = edit;
		const id = current.workspace_id;
		const saved = await api.send<Manifest>("PUT", manifestApiPath(id), { ...value, base_digest: base });
		if (saved.ok) return { kind: "redirect", to: `${workspacePath(id, "/manifest")}?saved=1` };
		if (saved.failure.code !== "manifest_changed") return refusedAnswer(edit, saved.failure);
		const now = await api.get<Manifest>(manifestApiPath(id));
		return now.ok ? reviewAnswer({ ...edit, current: now.value }, { api }) : failedPage(id, now.failure);
	},
);

const readinessPage: ConsolePage = {
	id: "score_workspace_readiness",
	method: "POST",
	path: "/console/workspaces/{id}/manifest/readiness",
	async handle({ api, params: { id = "" } }): Promise<PageAnswer> {
		const current = await api.get<Manifest>(manifestApiPath(id));
		if (!current.ok) return failedPage(id, current.failure);
		const { manifest } = current.value;
		const readiness = await scoreManifest(api, id, manifest);
		if (!readiness.ok) return failedPage(id, readiness.failure);
		return manifestPage(
			id,
			<>
				<ReadinessResult readiness={readiness.value} />
				<CodeBlock label="The manifest that was scored" text={renderManifest(manifest)} />
				<p>
					<a href={workspacePath(id, "/manifest")}>Edit the manifest</a>
				</p>
			</>,
		);
	},
};

export const manifestPages: readonly ConsolePage[] = [reviewPage, readinessPage, showPage, savePage];
