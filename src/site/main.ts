// The site's entry: its files, as `npm run modules` rendered and packed them into this module.
import { unpackText } from "./packed-text.ts";
import type { SiteFile, SiteModule } from "./site-file.ts";

/** Set by the build (cli/modules.ts): files by path, their texts packed over the base. */
declare const SITE_BASE: string;
declare const SITE_FILES: Readonly<Record<string, SiteFile>>;
declare const SITE_MISSING_PAGE: SiteFile;
declare const SITE_PROGRAM_INDEX: SiteFile;

const files = new Map(Object.entries(SITE_FILES));

export const findSiteFile: SiteModule["findSiteFile"] = (path) => {
	const file = files.get(path);
	return file ? { ...file, text: unpackText(file.text, SITE_BASE) } : null;
};
export const missingPage: SiteModule["missingPage"] = SITE_MISSING_PAGE;
export const programIndex: SiteModule["programIndex"] = SITE_PROGRAM_INDEX;
