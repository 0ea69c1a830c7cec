// What pages do with a script: copy buttons, parts that change, the browser's time zone. Every page works without it.
import { offerCopies } from "./copy.ts";
import { steerInbox } from "./inbox.ts";
import { followLivePart } from "./live.ts";
import { keepListLive } from "./live-list.ts";
import { chooseZone } from "./zone.ts";

chooseZone();
followLivePart();
keepListLive();
offerCopies();
steerInbox();
