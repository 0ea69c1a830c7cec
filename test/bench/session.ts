// What a part of the benchmark needs while it runs: targets that are stopped at its end, and a fresh state for each.
import { cpSync } from "node:fs";
import { join } from "node:path";
import type { LoadTarget } from "./load.ts";
import { withRuntimePid } from "./process.ts";
import { type SvcTarget, startBare, startSvc, startUpstream, type Upstream } from "./targets.ts";

/** Folders of one run of the benchmark. */
export interface Workshop {
	tempDir: string;
	/** The Worker, as it would be deployed. */
	bundleDir: string;
	/** A state with all migrations applied and nothing in it. */
	emptyStateDir: string;
}

export interface Session {
	upstream: Upstream;
	startBare(): Promise<LoadTarget>;
	/** @param bundleDir the Worker to run, when it is not the deployed one. */
	startSvc(users: number, bundleDir?: string): Promise<{ svc: SvcTarget; pid: number | null }>;
}

let sessions = 0;

/** Runs a part; whatever it started is stopped in reverse order, also when it fails. */
export async function inSession<T>(workshop: Workshop, part: (session: Session) => Promise<T>): Promise<T> {
	const running: { stop(): Promise<void> }[] = [];
	const keep = <S extends { stop(): Promise<void> }>(started: S): S => {
		running.unshift(started);
		return started;
	};
	try {
		const upstream = keep(await startUpstream());
		return await part({
			upstream,
			startBare: async () => keep(await startBare(upstream.url)),
			startSvc: async (users, bundleDir = workshop.bundleDir) => {
				const stateDir = join(workshop.tempDir, `state-${++sessions}`);
				cpSync(workshop.emptyStateDir, stateDir, { recursive: true });
				const start = () => startSvc(upstream.url, { bundleDir, stateDir, users });
				const { started, pid } = await withRuntimePid(start);
				return { svc: keep(started), pid };
			},
		});
	} finally {
		for (const target of running) await target.stop();
	}
}
