// What a part of the benchmark needs while it runs: targets that are stopped at its end, and a fresh state for each.
import { cpSync } from "node:fs";
import { join } from "node:path";
import type { LoadTarget } from "./load.ts";
import { type SvcTarget, startBare, startFloor, startPortkey, startRelay, startSvc, startUpstream } from "./targets.ts";

/** Folders of one run of the benchmark. */
export interface Workshop {
	tempDir: string;
	/** The Worker, as it would be deployed. */
	bundleDir: string;
	/** A state with all migrations applied and nothing in it. */
	emptyStateDir: string;
}

export interface SessionSvcOptions {
	/** Users with one key each. */
	users: number;
	/** The Worker to run, when it is not the deployed one. */
	bundleDir?: string;
	/** The folder that its state is made in; the workshop's own where nothing is said. */
	stateRoot?: string;
	/** Whether V8's inspector listens. */
	inspected?: boolean;
}

/** Starts targets on a fresh state each. */
export interface Session {
	startBare(): Promise<LoadTarget>;
	startRelay(): Promise<LoadTarget>;
	startFloor(options: Pick<SessionSvcOptions, "users" | "stateRoot">): Promise<LoadTarget>;
	startSvc(options: SessionSvcOptions): Promise<SvcTarget>;
	startPortkey(installation: string): Promise<LoadTarget>;
}

let states = 0;

/** Runs a part; whatever it started is stopped in reverse order, also when it fails. */
export async function inSession<T>(workshop: Workshop, part: (session: Session) => Promise<T>): Promise<T> {
	const running: { stop(): Promise<void> }[] = [];
	const keep = <S extends { stop(): Promise<void> }>(started: S): S => {
		running.unshift(started);
		return started;
	};
	const freshState = (stateRoot: string) => join(stateRoot, `state-${++states}`);
	try {
		const { url } = keep(await startUpstream());
		return await part({
			startBare: async () => keep(await startBare(url)),
			startRelay: async () => keep(await startRelay(url)),
			startFloor: async ({ users, stateRoot = workshop.tempDir }) =>
				keep(await startFloor(url, { stateDir: freshState(stateRoot), users })),
			startSvc: async ({ users, bundleDir = workshop.bundleDir, stateRoot = workshop.tempDir, inspected = false }) => {
				const stateDir = freshState(stateRoot);
				cpSync(workshop.emptyStateDir, stateDir, { recursive: true });
				return keep(await startSvc(url, { bundleDir, stateDir, users, inspected }));
			},
			startPortkey: async (installation) => keep(await startPortkey(url, installation)),
		});
	} finally {
		for (const target of running) await target.stop();
	}
}
