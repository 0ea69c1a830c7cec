// Forms of a manifest: edited, saved, compared by version, scored. What they bring is read by the pages.
import { FaultyText } from "../../views/faulty-lines.tsx";
import { Field } from "../../views/parts.tsx";
import { workspacePath } from "./frame.tsx";

interface EditFormProps {
	id: string;
	text: string;
	/** Digest of the manifest that the edit began with. */
	base: string;
	/** What is wrong with the text; empty where nothing is known to be. */
	faults?: readonly string[];
}

export function EditForm({ id, text, base, faults = [] }: EditFormProps) {
	return (
		<>
			<form method="post" action={`${workspacePath(id, "/manifest")}/review`}>
				<input type="hidden" name="base" value={base} />
				<Field
					name="manifest"
					label="Manifest as JSON"
					hint="Saving replaces all of it. Older versions are kept. You see the changes first."
					error={faults.length > 0 ? "Nothing was saved. The errors stand at their lines below." : null}
				>
					{(attributes) => (
						<textarea {...attributes} rows={18} spellcheck={false} required>
							{text}
						</textarea>
					)}
				</Field>
				<button type="submit">Review changes</button>
			</form>
			{faults.length > 0 ? <FaultyText name="manifest" text={text} faults={faults} /> : null}
		</>
	);
}

export function CompareForm({ id, from, to }: { id: string; from: number; to: number }) {
	return (
		<form class="filters" method="get" action={workspacePath(id, "/manifest")} aria-label="Compare versions">
			<Field name="from" label="Version">
				{(attributes) => <input {...attributes} type="number" min={1} required value={String(from)} />}
			</Field>
			<Field name="to" label="with version">
				{(attributes) => <input {...attributes} type="number" min={1} required value={String(to)} />}
			</Field>
			<button type="submit" class="quiet">
				Compare
			</button>
		</form>
	);
}

export function ReadinessForm({ id }: { id: string }) {
	return (
		<form method="post" action={`${workspacePath(id, "/manifest")}/readiness`}>
			<button type="submit" class="quiet">
				Score how ready this workspace is for agents
			</button>
		</form>
	);
}

export function SaveForm({ id, text, base }: Omit<EditFormProps, "faults">) {
	return (
		<form class="actions" method="post" action={workspacePath(id, "/manifest")}>
			<input type="hidden" name="base" value={base} />
			<input type="hidden" name="manifest" value={text} />
			<button type="submit">Save this manifest</button>
			<a class="button quiet" href={workspacePath(id, "/manifest")}>
				Leave it as it is
			</a>
		</form>
	);
}
