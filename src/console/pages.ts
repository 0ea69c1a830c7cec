// The one list of the console's pages, in matching order. The contract test walks it.

import type { ConsolePage } from "./page.ts";
import { auditPages } from "./pages/audit.tsx";
import { keyPages } from "./pages/keys.tsx";
import { overviewPage } from "./pages/overview.tsx";
import { policyPages } from "./pages/policy.tsx";
import { requestPages } from "./pages/requests.tsx";
import { workspacePages } from "./pages/workspaces/index.ts";

export const CONSOLE_PAGES: readonly ConsolePage[] = [
	overviewPage,
	...requestPages,
	...keyPages,
	...workspacePages,
	...policyPages,
	...auditPages,
];
