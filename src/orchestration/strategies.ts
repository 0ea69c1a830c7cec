// The list of strategies. A strategy says the rest of itself in its own file.
import { cascade } from "./cascade.ts";
import { debate } from "./debate.ts";
import { decomposeAndRoute } from "./decompose-and-route.ts";
import { ensembleMoa } from "./ensemble-moa.ts";
import { rankFuse } from "./rank-fuse.ts";
import { selfConsistency } from "./self-consistency.ts";
import { single } from "./single.ts";
import type { PanelSize, Strategy } from "./strategy.ts";

const LIST = [single, cascade, ensembleMoa, rankFuse, decomposeAndRoute, selfConsistency, debate] as const;

export type StrategyName = (typeof LIST)[number]["name"];

/** Names of the strategies, in the order of the list. */
export const STRATEGIES: readonly StrategyName[] = LIST.map(({ name }) => name);

/** The strategies by name. */
export const STRATEGY = Object.fromEntries(LIST.map((strategy) => [strategy.name, strategy])) as Readonly<
	Record<StrategyName, Strategy<StrategyName>>
>;

/** A strategy and how large it is run. */
export interface SizedStrategy extends PanelSize {
	strategy: StrategyName;
}
