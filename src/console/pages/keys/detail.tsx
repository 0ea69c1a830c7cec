// One key: what it may and has spent, and the forms that change, rotate and revoke it.
import type { z } from "zod";
import type { rotatedKeySchema } from "../../../keys/schemas.ts";
import type { Api, ApiAnswer, ApiFailure } from "../../api.ts";
import { failurePage } from "../../failure-page.tsx";
import { formatExactUsd } from "../../format.ts";
import { toChangedKeyBody } from "../../key-form.ts";
import { ALL_KEYS } from "../../key-names.ts";
import type { ConsolePage, PageAnswer, PageRequest, ShownPage } from "../../page.ts";
import { type Key, KeyFields, toFieldValues } from "../../views/key-fields.tsx";
import { Definitions, Failure, Field, Notice, Time } from "../../views/parts.tsx";
import { Budget, FRAME, KEYS_PATH, keyPath } from "./frame.tsx";
import { shownKeyPage } from "./made.tsx";

type RotatedKey = z.output<typeof rotatedKeySchema>;

/** A key among those of the user. */
async function findKey(api: Api, keyId: string): Promise<ApiAnswer<Key>> {
	const list = await api.get<{ data: Key[] }>(`/v1/keys?limit=${ALL_KEYS}`);
	if (!list.ok) return list;
	const value = list.value.data.find(({ key_id }) => key_id === keyId);
	if (value) return { ok: true, value };
	const failure = {
		status: 404,
		code: "key_not_found",
		message: "no such key",
		requestId: "",
		retryAfterSeconds: null,
	};
	return { ok: false, failure: { ...failure, issues: [] } };
}

function KeyFacts({ item }: { item: Key }) {
	return (
		<Definitions
			entries={[
				["Id", <code>{item.key_id}</code>],
				["Role", item.role],
				["Made (UTC)", <Time iso={item.created_at} />],
				["Replaced", item.rotated_from === null ? null : <code>{item.rotated_from}</code>],
				["Made by", item.made_by === null ? null : <code>{item.made_by}</code>],
				["Last charged", item.last_used_on ?? "never"],
				["Budget", <Budget item={item} />],
				["Budget begins anew (UTC)", item.resets_at === null ? null : <Time iso={item.resets_at} />],
				["Texts of its requests", item.log_texts ? "kept where the operator keeps any" : "not kept"],
				["Cost today (UTC)", formatExactUsd(item.cost_today_usd)],
				["Cost this month (UTC)", formatExactUsd(item.cost_month_usd)],
				["Cost in all", formatExactUsd(item.cost_total_usd)],
				["Requests", <a href={`/console/requests?key_id=${encodeURIComponent(item.key_id)}`}>of this key</a>],
			]}
		/>
	);
}

function EndingForms({ item, isOwn }: { item: Key; isOwn: boolean }) {
	return (
		<>
			<h2>Rotate</h2>
			<p>
				A new key with the same options replaces this one.{" "}
				{isOwn ? "This session ends with it: sign in with the new key." : ""}
			</p>
			<form method="post" action={`${keyPath(item.key_id)}/rotate`}>
				<Field
					name="overlap_seconds"
					label="Seconds for which the old key still works"
					hint="0 ends it at once; at most 86400."
				>
					{(attributes) => <input {...attributes} type="number" min="0" max="86400" value="0" required />}
				</Field>
				<button type="submit" class="quiet">
					Rotate the key
				</button>
			</form>
			<h2>Revoke</h2>
			<p>
				Requests with this key are refused from then on. {isOwn ? "It is the key of this session, which ends." : ""}
			</p>
			<form method="post" action={`${keyPath(item.key_id)}/revoke`}>
				<Field name="confirm" label={`Type ${item.last4} to confirm`} hint="The last four characters of the key.">
					{(attributes) => <input {...attributes} type="text" autocomplete="off" required maxlength={4} />}
				</Field>
				<button type="submit" class="danger">
					Revoke the key
				</button>
			</form>
		</>
	);
}

interface KeyPageState {
	values?: Record<string, string>;
	failure?: ApiFailure;
	done?: string;
}

/** A key's page: facts and, for owners, the forms. */
function keyPage(item: Key, { session }: PageRequest, { values, failure, done }: KeyPageState): ShownPage {
	const isOwn = item.key_id === session.keyId;
	return {
		...FRAME,
		title: item.name ?? `Key …${item.last4}`,
		status: failure?.status,
		content: (
			<>
				{failure ? <Failure failure={failure} /> : null}
				{done === undefined ? null : <Notice kind="success" title={done} />}
				<KeyFacts item={item} />
				{session.role === "owner" ? (
					<>
						<h2>Change</h2>
						{isOwn ? (
							<Notice kind="warning" title="This is the key of this session">
								<p>A session is bound to what its key may do: after a change you sign in again.</p>
							</Notice>
						) : null}
						<form method="post" action={keyPath(item.key_id)}>
							<KeyFields values={values ?? toFieldValues(item)} issues={failure?.issues ?? []} withRole={false} />
							<button type="submit">Change the key</button>
						</form>
						<EndingForms item={item} isOwn={isOwn} />
					</>
				) : null}
			</>
		),
	};
}

/** Shows a key's page, or why there is none. */
async function answerKeyPage(request: PageRequest, state: KeyPageState): Promise<PageAnswer> {
	const found = await findKey(request.api, request.params["key_id"] ?? "");
	if (found.ok) return keyPage(found.value, request, state);
	return failurePage({ ...FRAME, title: "Key" }, found.failure);
}

const detailPage: ConsolePage = {
	id: "key",
	method: "GET",
	path: `${KEYS_PATH}/{key_id}`,
	handle: (request) => answerKeyPage(request, {}),
};

const changePage: ConsolePage = {
	id: "change_key",
	method: "POST",
	path: `${KEYS_PATH}/{key_id}`,
	async handle(request): Promise<PageAnswer> {
		const { api, params, form } = request;
		const found = await findKey(api, params["key_id"] ?? "");
		if (!found.ok) return answerKeyPage(request, {});
		const body = toChangedKeyBody(form, toFieldValues(found.value));
		const changed = await api.send<Key>("PATCH", `/v1/keys/${encodeURIComponent(params["key_id"] ?? "")}`, body);
		if (changed.ok) return keyPage(changed.value, request, { done: "The key was changed" });
		return answerKeyPage(request, { values: Object.fromEntries(form), failure: changed.failure });
	},
};

const rotatePage: ConsolePage = {
	id: "rotate_key",
	method: "POST",
	path: `${KEYS_PATH}/{key_id}/rotate`,
	async handle(request): Promise<PageAnswer> {
		const { api, params, form, service } = request;
		const body = { overlap_seconds: Number(form.get("overlap_seconds") ?? "0") };
		const path = `/v1/keys/${encodeURIComponent(params["key_id"] ?? "")}/rotate`;
		const rotated = await api.send<RotatedKey>("POST", path, body);
		if (!rotated.ok) return answerKeyPage(request, { failure: rotated.failure });
		const more = (
			<p>
				The old key ends at <Time iso={rotated.value.previous_ends_at} /> (UTC).
			</p>
		);
		return shownKeyPage(rotated.value, service, more);
	},
};

const revokePage: ConsolePage = {
	id: "revoke_key",
	method: "POST",
	path: `${KEYS_PATH}/{key_id}/revoke`,
	async handle(request): Promise<PageAnswer> {
		const { api, params, form } = request;
		const found = await findKey(api, params["key_id"] ?? "");
		if (!found.ok) return answerKeyPage(request, {});
		if ((form.get("confirm") ?? "").trim() !== found.value.last4) {
			const failure = {
				status: 422,
				code: "not_confirmed",
				message: "The four characters are not the key's.",
				requestId: "",
			};
			return keyPage(found.value, request, { failure: { ...failure, retryAfterSeconds: null, issues: [] } });
		}
		const revoked = await api.send("DELETE", `/v1/keys/${encodeURIComponent(found.value.key_id)}`);
		if (!revoked.ok) return answerKeyPage(request, { failure: revoked.failure });
		return { kind: "redirect", to: KEYS_PATH };
	},
};

export const keyDetailPages: readonly ConsolePage[] = [detailPage, changePage, rotatePage, revokePage];
