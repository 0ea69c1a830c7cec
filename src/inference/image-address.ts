// Images as clients send them: by an address that the provider fetches, or within it. Pure.
import * as z from "zod";

/** The address of an image. */
export const imageAddressSchema = z.lazy(() =>
	z
		.string()
		.regex(/^(?:https:\/\/|data:image\/[\w.+-]+;base64,)/, "must be an https address or a data:image/…;base64 address"),
);

/** How closely OpenAI's models look at an image. Providers add words of their own. */
export const imageDetailSchema = z.lazy(() => z.string().regex(/^[a-z]{1,16}$/, "must be a lower-case word"));
