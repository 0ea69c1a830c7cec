// The one list of the console's pages, in matching order. The contract test walks it.

import type { ConsolePage } from "./page.ts";
import { overviewPage } from "./pages/overview.tsx";

export const CONSOLE_PAGES: readonly ConsolePage[] = [overviewPage];
