// Making a key, and the page that shows a key: the only one that ever does.
import type { Child } from "hono/jsx";
import type { z } from "zod";
import type { madeKeySchema } from "../../../keys/schemas.ts";
import type { ApiFailure } from "../../api.ts";
import { toKeyBody } from "../../key-form.ts";
import type { ConsolePage, PageAnswer, PageRequest, ShownPage } from "../../page.ts";
import { KeyFields } from "../../views/key-fields.tsx";
import { CopiedCode, CopyButton, Failure, Notice } from "../../views/parts.tsx";
import { FRAME, KEYS_PATH, keyPath } from "./frame.tsx";

type MadeKey = z.output<typeof madeKeySchema>;

/** The form of a new key. @param values what it shows. */
function newKeyPage(values: Record<string, string>, failure: ApiFailure | null): ShownPage {
	return {
		...FRAME,
		title: "Make a key",
		status: failure?.status,
		content: (
			<>
				{failure ? <Failure failure={failure} /> : null}
				<form method="post" action={`${KEYS_PATH}/new`}>
					<KeyFields values={values} issues={failure?.issues ?? []} withRole />
					<button type="submit">Make the key</button>
				</form>
			</>
		),
	};
}

/** Shows a key, which nothing shows again. */
export function shownKeyPage(key: MadeKey, service: PageRequest["service"], more: Child): ShownPage {
	const lines = `export SVC_BASE_URL=${service.origin}/v1\nexport SVC_API_KEY=${key.key}`;
	return {
		...FRAME,
		title: "The key",
		content: (
			<>
				<Notice kind="warning" title="This is the only time that the key is shown">
					<p>Copy it now. The service keeps no copy, so a lost key can only be replaced.</p>
				</Notice>
				<p class="secret">
					<code id="made-key">{key.key}</code>
				</p>
				<p class="actions">
					<CopyButton of="made-key" label="Copy the key" />
				</p>
				<CopiedCode id="made-lines" label="For a shell" text={lines} />
				{more}
				<p>
					<a href={keyPath(key.key_id)}>To the key's page</a>
				</p>
			</>
		),
	};
}

export const newKeyFormPage: ConsolePage = {
	id: "new_key",
	method: "GET",
	path: `${KEYS_PATH}/new`,
	handle: async () => newKeyPage({ role: "agent" }, null),
};

export const createKeyPage: ConsolePage = {
	id: "create_key",
	method: "POST",
	path: `${KEYS_PATH}/new`,
	async handle({ api, form, service }): Promise<PageAnswer> {
		const made = await api.send<MadeKey>("POST", "/v1/keys", toKeyBody(form));
		if (!made.ok) return newKeyPage(Object.fromEntries(form), made.failure);
		return shownKeyPage(made.value, service, null);
	},
};
