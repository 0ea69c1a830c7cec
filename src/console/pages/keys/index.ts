// The pages of keys, in matching order.
import type { ConsolePage } from "../../page.ts";
import { keyDetailPages } from "./detail.tsx";
import { keysPage } from "./list.tsx";
import { createKeyPage, newKeyFormPage } from "./made.tsx";

export const keyPages: readonly ConsolePage[] = [keysPage, newKeyFormPage, createKeyPage, ...keyDetailPages];
