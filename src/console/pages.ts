// The one list of the console's pages, in matching order. The contract test walks it.

import type { ConsolePage } from "./page.ts";
import { auditPages } from "./pages/audit.tsx";
import { configPages } from "./pages/config.tsx";
import { keyPages } from "./pages/keys/index.ts";
import { overviewPage } from "./pages/overview.tsx";
import { playgroundPages } from "./pages/playground.tsx";
import { policyPages } from "./pages/policy.tsx";
import { requestPages } from "./pages/requests.tsx";
import { runPages } from "./pages/runs/index.ts";
import { workspacePages } from "./pages/workspaces/index.ts";

export const CONSOLE_PAGES: readonly ConsolePage[] = [
	overviewPage,
	...requestPages,
	...keyPages,
	...runPages,
	...workspacePages,
	...policyPages,
	...auditPages,
	...playgroundPages,
	...configPages,
];
