// The site as `npm run modules` builds it: a module beside the bundle.
declare module "*/site/built/site.js" {
	export const findSiteFile: import("./site-file.ts").SiteModule["findSiteFile"];
	export const missingPage: import("./site-file.ts").SiteModule["missingPage"];
}
