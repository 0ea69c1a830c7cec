// Routing configs: checked with the errors at their lines, and shared.
import type { z } from "zod";
import type { configValidationSchema } from "../../routing-config/endpoints.edge.ts";
import type { ApiFailure } from "../api.ts";
import type { ConsolePage, PageAnswer, ShownPage } from "../page.ts";
import { FaultyText } from "../views/faulty-lines.tsx";
import { CodeBlock, Failure, Field, Notice } from "../views/parts.tsx";

type Validation = z.output<typeof configValidationSchema>;

/** What the page shows of a share. */
interface Share {
	share_id: string;
}

const PATH = "/console/config";
const EXAMPLE = `model: auto
routing_mode: balanced
max_cost: 0.05
blocked:
  - "*-preview"
rules:
  - name: code
    when: { intent: code }
    use: { tier: premium }
`;

function Verdict({ text, validation }: { text: string; validation: Validation }) {
	return (
		<>
			{validation.valid ? (
				<Notice kind="success" title="The config is valid" />
			) : (
				<FaultyText name="config" text={text} faults={validation.errors} />
			)}
			{validation.warnings.length === 0 ? null : (
				<Notice kind="warning" title="Warnings">
					<ul>
						{validation.warnings.map((warning) => (
							<li>{warning}</li>
						))}
					</ul>
				</Notice>
			)}
			<h2>In normal form</h2>
			<CodeBlock label="The config in normal form" text={JSON.stringify(validation.config, null, 2)} />
		</>
	);
}

interface ConfigState {
	text: string;
	failure?: ApiFailure;
	validation?: Validation;
	share?: Share;
}

function configPage({ text, failure, validation, share }: ConfigState): ShownPage {
	return {
		kind: "page",
		title: "Routing config",
		section: "config",
		status: failure?.status,
		content: (
			<>
				<p class="lead">
					A routing config says which models answer, at what cost at most, and under which rules. Checking stores
					nothing.
				</p>
				{failure ? <Failure failure={failure} /> : null}
				{share ? (
					<Notice kind="success" title="Shared">
						<p>
							Anybody who has the link can read it:{" "}
							<a href={`/b/${encodeURIComponent(share.share_id)}`}>{share.share_id}</a>
						</p>
					</Notice>
				) : null}
				<form method="post" action={PATH}>
					<Field
						name="brain_md"
						label="Config"
						hint="YAML, or Markdown with YAML front matter or one fenced yaml block."
					>
						{(attributes) => (
							<textarea {...attributes} rows={14} spellcheck={false} required>
								{text}
							</textarea>
						)}
					</Field>
					<p class="actions">
						<button type="submit">Check</button>
						<button type="submit" class="quiet" formaction={`${PATH}/share`}>
							Share under a public link
						</button>
					</p>
				</form>
				{validation ? <Verdict text={text} validation={validation} /> : null}
			</>
		),
	};
}

const showPage: ConsolePage = {
	id: "config",
	method: "GET",
	path: PATH,
	handle: async () => configPage({ text: EXAMPLE }),
};

const checkPage: ConsolePage = {
	id: "check_config",
	method: "POST",
	path: PATH,
	async handle({ api, form }): Promise<PageAnswer> {
		const text = form.get("brain_md") ?? "";
		const checked = await api.send<Validation>("POST", "/v1/brain/validate", { brain_md: text });
		return configPage(checked.ok ? { text, validation: checked.value } : { text, failure: checked.failure });
	},
};

const sharePage: ConsolePage = {
	id: "share_config",
	method: "POST",
	path: `${PATH}/share`,
	async handle({ api, form }): Promise<PageAnswer> {
		const text = form.get("brain_md") ?? "";
		const shared = await api.send<Share>("POST", "/v1/brain/share", { brain_md: text });
		return configPage(shared.ok ? { text, share: shared.value } : { text, failure: shared.failure });
	},
};

export const configPages: readonly ConsolePage[] = [showPage, checkPage, sharePage];
