// A page of which nothing can be shown but why.
import type { ApiFailure } from "./api.ts";
import type { ShownPage } from "./page.ts";
import { Failure } from "./views/parts.tsx";

/** A page whose first call failed. @param frame what the page is called and where it belongs. */
export function failurePage(frame: Pick<ShownPage, "title" | "section">, failure: ApiFailure): ShownPage {
	return { kind: "page", ...frame, status: failure.status, content: <Failure failure={failure} /> };
}
