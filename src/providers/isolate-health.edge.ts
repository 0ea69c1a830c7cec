// What this isolate knows of the providers, shared by all its requests.
import { ProviderHealth } from "./health.ts";

export const health = new ProviderHealth();
