// The site and the examples as `npm run modules` builds them: modules beside the bundle.
declare module "*/site/built/site.js" {
	export const findSiteFile: import("./site-file.ts").SiteModule["findSiteFile"];
	export const missingPage: import("./site-file.ts").SiteModule["missingPage"];
	export const programIndex: import("./site-file.ts").SiteModule["programIndex"];
}

declare module "*/site/built/pictures.js" {
	export const findPicture: import("./site-file.ts").PicturesModule["findPicture"];
}

declare module "*/site/built/examples.js" {
	export const RECORDED_EXAMPLES: import("../http/openapi.ts").EndpointExchanges;
}

declare module "*/site/built/viewer.js" {
	export const findViewerFile: import("./site-file.ts").SiteModule["findSiteFile"];
}
