// The entry of the site's pictures: a module of their own, since most requests for documents want none.
import { fromBase64 } from "../proof/signing.ts";
import type { PicturesModule } from "./site-file.ts";

/** Set by the build (cli/modules.ts): pictures by path, their bytes as base64. */
declare const SITE_PICTURES: Readonly<Record<string, { type: string; base64: string; etag: string }>>;

const pictures = new Map(Object.entries(SITE_PICTURES));

export const findPicture: PicturesModule["findPicture"] = (path) => {
	const picture = pictures.get(path);
	const bytes = picture && fromBase64(picture.base64);
	return bytes ? { type: picture.type, bytes, etag: picture.etag, isImmutable: false } : null;
};
