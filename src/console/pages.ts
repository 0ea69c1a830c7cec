// The one list of the console's pages, in matching order. The contract test walks it.

import type { ConsolePage } from "./page.ts";
import { auditPages } from "./pages/audit.tsx";
import { configPages } from "./pages/config.tsx";
import { keyDetailPages } from "./pages/keys/detail.tsx";
import { keysPage } from "./pages/keys/list.tsx";
import { createKeyPage, newKeyFormPage } from "./pages/keys/made.tsx";
import { modelPages } from "./pages/models.tsx";
import { overviewPage } from "./pages/overview/page.tsx";
import { playgroundPages } from "./pages/playground.tsx";
import { policyPages } from "./pages/policy.tsx";
import { requestDetailPage } from "./pages/requests/detail.tsx";
import { requestListPages } from "./pages/requests/list.tsx";
import { beginRunPages } from "./pages/runs/begin.tsx";
import { runDetailPages } from "./pages/runs/detail.tsx";
import { runListPage } from "./pages/runs/list.tsx";
import { runStepPage } from "./pages/runs/step.tsx";
import { sessionDetailPage } from "./pages/sessions/detail.tsx";
import { sessionListPage } from "./pages/sessions/list.tsx";
import { waitingPages } from "./pages/waiting/list.tsx";
import { chainPages } from "./pages/workspaces/chain.tsx";
import { workspacePage } from "./pages/workspaces/detail.tsx";
import { workspacesPage } from "./pages/workspaces/list.tsx";
import { manifestPages } from "./pages/workspaces/manifest.tsx";

export const CONSOLE_PAGES: readonly ConsolePage[] = [
	overviewPage,
	...requestListPages,
	requestDetailPage,
	keysPage,
	newKeyFormPage,
	createKeyPage,
	...keyDetailPages,
	runListPage,
	...beginRunPages,
	...runDetailPages,
	runStepPage,
	...waitingPages,
	sessionListPage,
	sessionDetailPage,
	workspacesPage,
	...chainPages,
	...manifestPages,
	workspacePage,
	...policyPages,
	...auditPages,
	...playgroundPages,
	...modelPages,
	...configPages,
];
