// The API viewer: a module of its own, because it is larger than all documents together and few pages need it.
import type { SiteFile, SiteModule } from "./site-file.ts";

/** Set by the build (cli/modules.ts): files by path. */
declare const VIEWER_FILES: Readonly<Record<string, SiteFile>>;

const viewerFiles = new Map(Object.entries(VIEWER_FILES));

export const findViewerFile: SiteModule["findSiteFile"] = (path) => viewerFiles.get(path) ?? null;
