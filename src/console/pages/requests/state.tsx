// How a request ended, in a word.
import { Badge } from "../../views/parts.tsx";
import type { ShownRequest } from "./frame.ts";

const OUTCOME_KINDS: Readonly<Record<string, "good" | "bad" | "warn">> = {
	complete: "good",
	failed: "bad",
	refused: "bad",
};

type Ended = Pick<ShownRequest, "outcome" | "http_status" | "error" | "count">;

/** The outcome with the HTTP status, and how often it came within a minute. */
export function RequestState({ request: { outcome, http_status, error, count } }: { request: Ended }) {
	const isPlain = outcome === "complete";
	return (
		<>
			<Badge kind={OUTCOME_KINDS[outcome] ?? "warn"}>
				{isPlain
					? (http_status ?? "complete")
					: `${outcome.replaceAll("_", " ")}${http_status === null ? "" : ` ${http_status}`}`}
			</Badge>
			{count > 1 ? <span class="hint">{count} times</span> : null}
			{error === null ? null : (
				<span class="hint">
					<code class="name">{error.code}</code>
				</span>
			)}
		</>
	);
}

/** Why this model answered, or why nobody did. */
export function requestWhy({ error, reason, strategy, policy, mode }: ShownRequest): string {
	return error?.message ?? reason ?? strategy ?? policy ?? mode ?? "–";
}

/** What went differently from an answer of the model that was asked for. */
export function Remarks({ request }: { request: Pick<ShownRequest, "fallback" | "estimated"> }) {
	return (
		<>
			{request.fallback ? <Badge kind="warn">fallback</Badge> : null}{" "}
			{request.estimated ? <Badge kind="plain">estimated</Badge> : null}
		</>
	);
}
