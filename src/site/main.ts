// The site's entry: its files, as `npm run modules` rendered them into this module.
import type { SiteFile, SiteModule } from "./site-file.ts";

/** Set by the build (cli/modules.ts): files by path. */
declare const SITE_FILES: Readonly<Record<string, SiteFile>>;
declare const SITE_MISSING_PAGE: SiteFile;
declare const SITE_PROGRAM_INDEX: SiteFile;

const files = new Map(Object.entries(SITE_FILES));

export const findSiteFile: SiteModule["findSiteFile"] = (path) => files.get(path) ?? null;
export const missingPage: SiteModule["missingPage"] = SITE_MISSING_PAGE;
export const programIndex: SiteModule["programIndex"] = SITE_PROGRAM_INDEX;
