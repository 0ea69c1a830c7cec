// Who did something: the key by its name, with the coding agent and its session.
import { type KeyNames, keyLabel } from "../key-names.ts";
import { Words } from "./parts.tsx";

export function KeyLink({ names, keyId }: { names: KeyNames; keyId: string }) {
	const label = keyLabel(names, keyId);
	if (!names.has(keyId)) return <span title={keyId}>{label}</span>;
	return (
		<a href={`/console/keys/${encodeURIComponent(keyId)}`} title={keyId}>
			<Words text={label} />
		</a>
	);
}

/** An actor of an event: `key:<key id>` or `operator`. */
export function Actor({ names, actor }: { names: KeyNames; actor: string }) {
	const keyId = /^key:(.+)$/.exec(actor)?.[1];
	return keyId === undefined ? <span>{actor}</span> : <KeyLink names={names} keyId={keyId} />;
}
