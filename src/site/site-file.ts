// What the site is made of: files that are rendered beforehand. Pure.

/** Pictures stand below this path. */
export const PICTURE_PATHS = "/docs/pictures/";

/** A file of the site, as it is served. */
export interface SiteFile {
	/** Media type, with its charset. */
	type: string;
	text: string;
	/** Strong: the SHA-256 of the content. */
	etag: string;
	/** Its name holds its hash, so that browsers may keep it for ever. */
	isImmutable: boolean;
}

/** What the module beside the bundle offers. */
export interface SiteModule {
	/** The file at a path; null where there is none. */
	findSiteFile(path: string): SiteFile | null;
	/** What a browser is shown where there is no page. */
	readonly missingPage: SiteFile;
	/** What a program is answered at `/`, where a browser gets a page. */
	readonly programIndex: SiteFile;
}

/** A picture, as it is served. */
export interface SitePicture extends Omit<SiteFile, "text"> {
	bytes: Uint8Array<ArrayBuffer>;
}

/** What the module of the pictures offers. */
export interface PicturesModule {
	/** The picture at a path; null where there is none. */
	findPicture(path: string): SitePicture | null;
}

/** What the module of the API viewer offers. */
export interface ViewerModule {
	findViewerFile: SiteModule["findSiteFile"];
}
