// The schema of any JSON object, for bodies that are passed on as they are.
import * as z from "zod";

export const jsonObjectSchema = z.record(z.string(), z.unknown());
