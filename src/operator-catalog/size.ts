// How large an operator's catalog may be. Pure, and apart from its rows, which are only loaded where there is one.

/** Bytes of a catalog as JSON: every isolate reads it when it starts. */
export const MAX_CATALOG_BYTES = 1_048_576;
