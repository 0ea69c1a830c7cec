// All tables of what only a phrase gives away, as one.
import { FINANCIAL_PHRASES } from "./financial-phrases.ts";
import { HEALTH_PHRASES } from "./health-phrases.ts";
import { PERSONAL_PHRASES } from "./personal-phrases.ts";
import type { Phrase } from "./phrase.ts";

export const PHRASES: readonly Phrase[] = [...PERSONAL_PHRASES, ...HEALTH_PHRASES, ...FINANCIAL_PHRASES];
