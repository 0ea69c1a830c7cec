// What a request's log line says of the call that is made for it. Pure.
import type { Caller } from "./caller.edge.ts";
import type { KeyOfCall } from "./failover.ts";

/** Notes in the log line which model serves. */
export function logCall(
	log: Caller["log"],
	{ candidate: { model }, key }: KeyOfCall,
	choice: Pick<Caller["log"], "mode" | "fallback">,
): void {
	// An earlier call of this request may have had one.
	delete log.provider_key;
	Object.assign(log, {
		model: model.id,
		provider: model.provider,
		...(key.name === "" ? {} : { provider_key: key.name }),
		...choice,
	});
}
