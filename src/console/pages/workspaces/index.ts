// The pages of workspaces, in matching order.
import type { ConsolePage } from "../../page.ts";
import { chainPages } from "./chain.tsx";
import { workspacePage } from "./detail.tsx";
import { workspacesPage } from "./list.tsx";
import { manifestPages } from "./manifest.tsx";

export const workspacePages: readonly ConsolePage[] = [workspacesPage, ...chainPages, ...manifestPages, workspacePage];
