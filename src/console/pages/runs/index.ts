// The pages of agent runs, in matching order.
import type { ConsolePage } from "../../page.ts";
import { beginRunPages } from "./begin.tsx";
import { runDetailPages } from "./detail.tsx";
import { runListPage } from "./list.tsx";
import { runStepPage } from "./step.tsx";

export const runPages: readonly ConsolePage[] = [runListPage, ...beginRunPages, ...runDetailPages, runStepPage];
