// Where a session of a client is shown, and links that lead there.
import { Words } from "./parts.tsx";

export const SESSIONS_PATH = "/console/sessions";

/** @param id as the client names it. */
export function SessionLink({ id }: { id: string }) {
	return (
		<a class="short" href={`${SESSIONS_PATH}/${encodeURIComponent(id)}`} title={`Session ${id}`}>
			<Words text={id} />
		</a>
	);
}
