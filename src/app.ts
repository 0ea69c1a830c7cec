// The Hono app: middleware in order, then all endpoints of endpoints.ts.
import { Hono, type MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { ulid } from "ulid";
import { ACCESS_GUARDS, identifyCaller } from "./account/access-guards.edge.ts";
import type { RequestSession, ServiceContext } from "./account/context.ts";
import { recordIfFailed } from "./account/failed-requests.edge.ts";
import { mountConsole } from "./console/mount.edge.ts";
import { database } from "./db/client.edge.ts";
import { ENDPOINTS } from "./endpoints.ts";
import { drainBody } from "./http/body.edge.ts";
import { clientAddress, clientOrigin, isHost } from "./http/deployment.ts";
import { callerDialect, pathDialects } from "./http/dialects.ts";
import { requireOwnHostAndHttps } from "./http/https.edge.ts";
import { logRequest } from "./http/log.edge.ts";
import { mount } from "./http/mount.edge.ts";
import { failureResponse, PATH_NOT_FOUND, type RequestState, respondToException } from "./http/respond.edge.ts";
import { Timings } from "./http/timings.ts";
import { loadSettings, settingsBeforeCatalog } from "./load-settings.edge.ts";
import { meterClient } from "./meter/meter-client.edge.ts";
import { newTrail } from "./meter/request-facts.ts";
import { mountSite } from "./site/mount.edge.ts";
import { provideTelemetry } from "./telemetry/load.ts";
import { beginTrace } from "./telemetry/request-trace.edge.ts";

/** Limit of all request headers together. An SDK's headers with a bearer key take about 1 KiB. */
const MAX_HEADER_BYTES = 32_768;

const EXPOSED_HEADERS = [
	"x-request-id",
	"request-id",
	"etag",
	"location",
	"retry-after",
	"retry-after-ms",
	"x-should-retry",
	"x-ratelimit-limit-requests",
	"x-ratelimit-remaining-requests",
	"x-ratelimit-reset-requests",
	"x-svc-sandbox",
	"x-svc-next-cursor",
	"x-svc-counted-since",
	"server-timing",
];

function headerBytes(headers: Headers): number {
	let bytes = 0;
	for (const [name, value] of headers) bytes += name.length + value.length + ": \r\n".length;
	return bytes;
}

/** The sessions that the console's requests are made in, by request: nothing that a client sends can set one. */
const sessions = new WeakMap<Request, RequestSession>();

const pathDialect = pathDialects(ENDPOINTS);

/** Builds the request's context and writes its log line. */
const handleExchange: MiddlewareHandler<RequestState<ServiceContext>> = async (c, next) => {
	const startedAtMs = Date.now();
	const timings = new Timings(startedAtMs, () => Date.now());
	const requestId = `svc-${ulid(startedAtMs)}`;
	c.set("errorDialect", pathDialect(c.req.path) ?? callerDialect(c.req.raw.headers));
	// Before anything reads the address, which such a request does not have.
	if (!URL.canParse(c.req.url) || !isHost(c.req.header("host") ?? new URL(c.req.url).host)) {
		c.res = failureResponse(c, { reason: "invalid_host" });
		await drainBody(c.req.raw);
		return;
	}
	const settings = settingsBeforeCatalog(c.env);
	const session = sessions.get(c.req.raw);
	const waitUntil = (work: Promise<unknown>) => c.executionCtx.waitUntil(work);
	// Nothing is awaited while no address for traces is set.
	const trace = settings.telemetry.otlp && (await beginTrace({ env: c.env, waitUntil }, c.req.raw.headers));
	c.set("context", {
		requestId,
		startedAtMs,
		env: c.env,
		settings,
		bodyLimits: { default: settings.maxBodyBytes, chat: settings.maxChatBodyBytes },
		db: database(c.env.DB),
		meter: (userId) => meterClient(c.env.ACCOUNT_METER, userId, c.env.REQUEST_ARCHIVE),
		caller: () => identifyCaller(c.get("context")),
		signal: c.req.raw.signal,
		address: clientAddress(c.req.raw.headers, settings.deployment),
		origin: clientOrigin(c.req.url, c.req.raw.headers, settings.deployment),
		headers: c.req.raw.headers,
		dispatch: async (request, session) => {
			if (session !== undefined) sessions.set(request, { ...session, isPageRead: request.method === "GET" });
			return app.fetch(request, c.env, c.executionCtx);
		},
		...(session === undefined ? {} : { session }),
		...(trace ? { trace } : {}),
		waitUntil,
		log: { endpoint: "unmatched" },
		trail: newTrail(),
		timings,
	});
	if (headerBytes(c.req.raw.headers) > MAX_HEADER_BYTES) {
		c.res = failureResponse(c, { reason: "headers_too_large", limitBytes: MAX_HEADER_BYTES });
	} else {
		await next();
	}
	await drainBody(c.req.raw);
	const context = c.get("context");
	// For key endpoints, the access guard has replaced the id by one that identifies the user's meter.
	c.res.headers.set("x-request-id", context.requestId);
	// Anthropic's libraries read the id under this name.
	if (c.get("errorDialect") === "anthropic") c.res.headers.set("request-id", context.requestId);
	c.res.headers.set("server-timing", timings.header());
	const { status } = c.res;
	const log = () =>
		logRequest({
			request_id: context.requestId,
			method: c.req.method,
			status,
			...context.log,
			...timings.fields(),
		});
	const end = () => {
		log();
		recordIfFailed(context);
	};
	// The line of a stream is written when it ends: its outcome and cost are known only then.
	if (context.finished) context.waitUntil(context.finished.then(end));
	else end();
};

// Without allowHeaders, Hono grants what a browser asks for.
const answerPreflight = cors({ origin: "*", exposeHeaders: EXPOSED_HEADERS, maxAge: 86_400 });
const EXPOSED_LIST = EXPOSED_HEADERS.join(",");

/**
 * The service uses no cookies, so any origin may call it. The headers are set on the finished response: Hono copies a response
 * that meets headers set before it.
 */
const openToAnyOrigin: MiddlewareHandler<RequestState<ServiceContext>> = async (c, next) => {
	if (c.req.method === "OPTIONS") return answerPreflight(c, next);
	await next();
	c.res.headers.set("access-control-allow-origin", "*");
	c.res.headers.set("access-control-expose-headers", EXPOSED_LIST);
};

/** Loads the operator's catalog. Without it, only what needs a catalog fails. */
const readCatalog: MiddlewareHandler<RequestState<ServiceContext>> = async (c, next) => {
	c.get("context").settings = await loadSettings(c.env);
	await next();
};

provideTelemetry(() => import("./telemetry/built/telemetry.js"));

export const app = new Hono<RequestState<ServiceContext>>();

app.onError(respondToException);
app.notFound((c) => failureResponse(c, PATH_NOT_FOUND));

app.use(handleExchange);
app.use(requireOwnHostAndHttps<ServiceContext>(({ settings }) => settings.deployment));
// Before the open CORS: the console has cookies, so no other origin may read or call it.
mountConsole(app, () => import("./console/built/console.js"));
app.use(openToAnyOrigin);
mountSite(app, {
	site: () => import("./site/built/site.js"),
	viewer: () => import("./site/built/viewer.js"),
	pictures: () => import("./site/built/pictures.js"),
});
app.use(readCatalog);
mount(app, ENDPOINTS, ACCESS_GUARDS);
