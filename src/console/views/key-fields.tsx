// The fields of a key's options.
import type { z } from "zod";
import type { keySchema } from "../../keys/schemas.ts";
import { toLocalTime } from "../key-form.ts";
import { Choices, Field } from "./parts.tsx";

/** A key as the API shows it. */
export type Key = z.output<typeof keySchema>;

/** What the fields show for a key. */
export function toFieldValues(item: Key): Record<string, string> {
	return {
		name: item.name ?? "",
		rpm: item.rpm?.toString() ?? "",
		daily_requests: item.daily_requests?.toString() ?? "",
		budget_usd: item.budget_usd?.toString() ?? "",
		budget_period: item.budget_period ?? "",
		expires_at: toLocalTime(item.expires_at),
		models: (item.models ?? []).join(" "),
		default_max_tokens: item.default_max_tokens?.toString() ?? "",
		tags: item.tags.join(" "),
		alert_webhook: item.alert_webhook ?? "",
		own_only: item.role !== "agent" ? "" : item.own_only ? "own" : "all",
		log_texts: item.log_texts ? "yes" : "no",
		brain_config: item.brain_config === null ? "" : JSON.stringify(item.brain_config, null, 2),
	};
}

const READS = [
	["", "what its role reads by default"],
	["own", "only what it made"],
	["all", "all that the user has"],
] as const;

const LOGGED = [
	["no", "are not kept"],
	["yes", "are kept"],
] as const;

const PERIODS = [
	["day", "each day"],
	["week", "each week"],
	["month", "each month"],
	["total", "in total"],
] as const;

interface SimpleField {
	name: string;
	label: string;
	hint: string;
	type: "text" | "number" | "datetime-local" | "url";
	step?: string;
}

const BEFORE_PERIOD: readonly SimpleField[] = [
	{ name: "name", label: "Name", hint: "For people: the application or agent that uses it.", type: "text" },
	{
		name: "budget_usd",
		label: "Budget in USD",
		hint: "Its requests never cost more in a period. Empty: no budget.",
		type: "number",
		step: "any",
	},
];

const AFTER_PERIOD: readonly SimpleField[] = [
	{ name: "rpm", label: "Requests a minute", hint: "Empty: as many as the plan allows.", type: "number" },
	{ name: "daily_requests", label: "Requests in 24 hours", hint: "Empty: as many as the plan allows.", type: "number" },
	{ name: "expires_at", label: "Ends at (UTC)", hint: "Empty: it does not end by itself.", type: "datetime-local" },
	{
		name: "models",
		label: "Models",
		hint: "Ids, tiers and globs with *, separated by spaces. Empty: all.",
		type: "text",
	},
	{
		name: "default_max_tokens",
		label: "Output tokens by default",
		hint: "Of requests that name no limit. Empty: the config's, or the service's.",
		type: "number",
	},
	{ name: "tags", label: "Tags", hint: "Separated by spaces; usage can be grouped by them.", type: "text" },
	{
		name: "alert_webhook",
		label: "Webhook for budget alerts",
		hint: "Called at 50, 80 and 100 per cent of the budget.",
		type: "url",
	},
];

interface KeyFieldsProps {
	values: Readonly<Record<string, string>>;
	/** What the API found wrong with them. */
	issues: readonly { path: string; message: string }[];
	/** A key's role is chosen when it is made. */
	withRole: boolean;
}

export function KeyFields({ values, issues, withRole }: KeyFieldsProps) {
	const errorAt = (name: string) =>
		issues.find(({ path }) => path === name || path.startsWith(`${name}.`))?.message ?? null;
	const simple = ({ name, label, hint, type, step }: SimpleField) => (
		<Field name={name} label={label} hint={hint} error={errorAt(name)}>
			{(attributes) => <input {...attributes} type={type} step={step} value={values[name] ?? ""} autocomplete="off" />}
		</Field>
	);
	return (
		<>
			{withRole ? (
				<Field
					name="role"
					label="Role"
					hint="An agent's key may not change manifests, shares or keys, and reads only what it made by default. An approver's reads runs and decides on what they wait for, nothing else."
					error={errorAt("role")}
				>
					{(attributes) => (
						<select {...attributes}>
							{["agent", "approver", "owner"].map((role) => (
								<option value={role} selected={role === values["role"]}>
									{role}
								</option>
							))}
						</select>
					)}
				</Field>
			) : null}
			{values["own_only"] === "" ? null : (
				<Field
					name="own_only"
					label="Reads"
					hint="Of an agent's key: runs, requests, responses and events. The other roles read all that is open to them."
					error={errorAt("own_only")}
				>
					{(attributes) => (
						<select {...attributes}>
							{READS.filter(([value]) => withRole || value !== "").map(([value, label]) => (
								<option value={value} selected={value === (values["own_only"] ?? "")}>
									{label}
								</option>
							))}
						</select>
					)}
				</Field>
			)}
			{BEFORE_PERIOD.map(simple)}
			<Field name="budget_period" label="Period of the budget" error={errorAt("budget_period")}>
				{(attributes) => (
					<select {...attributes}>
						{PERIODS.map(([period, label]) => (
							<option value={period} selected={period === values["budget_period"]}>
								{label}
							</option>
						))}
					</select>
				)}
			</Field>
			{AFTER_PERIOD.map(simple)}
			<Field
				name="log_texts"
				label="Texts of its requests"
				hint="Prompts and answers are kept only where the operator's LOG_TEXTS keeps them too, sealed and for its days."
				error={errorAt("log_texts")}
			>
				{(attributes) => (
					<select {...attributes}>
						<Choices options={LOGGED} chosen={values["log_texts"] ?? "no"} />
					</select>
				)}
			</Field>
			<Field
				name="brain_config"
				label="Routing config as JSON"
				hint="Stands between the server's and a request's own. Empty: none."
				error={errorAt("config") ?? errorAt("brain_config")}
			>
				{(attributes) => (
					<textarea {...attributes} rows={6} spellcheck={false}>
						{values["brain_config"] ?? ""}
					</textarea>
				)}
			</Field>
		</>
	);
}
