// The strategies by name.
import { cascade } from "./cascade.ts";
import { debate } from "./debate.ts";
import { decomposeAndRoute } from "./decompose-and-route.ts";
import { ensembleMoa } from "./ensemble-moa.ts";
import { rankFuse } from "./rank-fuse.ts";
import { selfConsistency } from "./self-consistency.ts";
import { single } from "./single.ts";
import type { Strategy, StrategyName } from "./strategy.ts";

export const STRATEGY: Readonly<Record<StrategyName, Strategy>> = {
	single,
	cascade,
	ensemble_moa: ensembleMoa,
	rank_fuse: rankFuse,
	decompose_and_route: decomposeAndRoute,
	self_consistency: selfConsistency,
	debate,
};
