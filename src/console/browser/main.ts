// What pages do with a script: copy buttons, parts that change. Every page works without it.
import { offerCopies } from "./copy.ts";
import { followLivePart } from "./live.ts";

followLivePart();
offerCopies();
