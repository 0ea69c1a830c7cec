// The one list of the console's pages, in matching order. The contract test walks it.

import type { ConsolePage } from "./page.ts";
import { keyPages } from "./pages/keys.tsx";
import { overviewPage } from "./pages/overview.tsx";
import { requestPages } from "./pages/requests.tsx";

export const CONSOLE_PAGES: readonly ConsolePage[] = [overviewPage, ...requestPages, ...keyPages];
