// The one table of metrics: those of the GenAI conventions (open-telemetry/semantic-conventions-genai at 024a4f94,
// docs/gen-ai/client-inference.md and gen-ai-token-metrics.md) and our own; and how each is read from the sums. Pure.
import type { MetricGroup, SlotName } from "./metric-groups.ts";

/** Where a label's value comes from: a label of the group, as it is or in other words. */
interface LabelSource {
	from: string;
	/** As the conventions name a provider, or an attempt's error; or as an error's class. */
	as?: "provider" | "attempt error" | "class";
}

/** A slot, with the labels that only its values have. */
interface MetricPart<G extends MetricGroup> {
	slot: SlotName<G>;
	labels?: Readonly<Record<string, string>>;
}

/** A metric that is read from a group of sums. */
interface SummedMetric<G extends MetricGroup> {
	kind: "counter" | "histogram";
	group: G;
	labels: Readonly<Record<string, LabelSource>>;
	parts: readonly MetricPart<G>[];
	/** Only series with this label of the group. */
	needs?: string;
}

/** A metric of which the newest value counts. */
interface GaugeMetric {
	kind: "gauge";
	/** Names of its labels. */
	labels: readonly string[];
}

type MetricSource = { [G in MetricGroup]: SummedMetric<G> }[MetricGroup] | GaugeMetric;

export type MetricDefinition = MetricSource & {
	/** UCUM, as OTLP sends it. Prometheus has seconds and USD in a metric's name. */
	unit: "{token}" | "{request}" | "{call}" | "{check}" | "{span}" | "{key}" | "{pending}" | "{decision}" | "s" | "USD";
	/** How many of the stored unit make one: durations are stored in ms, costs in nano-USD. */
	divisor: number;
	description: string;
	/** Has the labels that the operator lists, too. Others are sums over them. */
	takesListed?: true;
	/** Only while the switch for the conventions' former metrics is on. */
	isFormer?: true;
};

const INFERENCE = {
	"gen_ai.operation.name": { from: "operation" },
	"gen_ai.provider.name": { from: "provider", as: "provider" },
	"gen_ai.request.model": { from: "model" },
} as const;
const WITH_ERROR = { ...INFERENCE, "error.type": { from: "error", as: "attempt error" } } as const;
const MODEL = { model: { from: "model" }, provider: { from: "provider" } } as const;
const REQUEST = { kind: { from: "kind" }, ...MODEL, outcome: { from: "outcome" } } as const;
const ERROR = { kind: { from: "kind" }, class: { from: "code", as: "class" }, code: { from: "code" } } as const;

/** Providers do not say how many of the tokens were text. */
const OF_UNKNOWN_MODALITY = { "gen_ai.token.modality": "unknown" } as const;

function tokens(slot: SlotName<"usage">, description: string) {
	return {
		kind: "counter",
		group: "usage",
		unit: "{token}",
		divisor: 1,
		description,
		labels: INFERENCE,
		parts: [{ slot, labels: OF_UNKNOWN_MODALITY }],
	} as const;
}

export const METRICS = {
	"gen_ai.client.inference.usage.input_tokens": tokens("input", "Input tokens used, including cached tokens."),
	"gen_ai.client.inference.usage.output_tokens": tokens("output", "Output tokens used, including reasoning tokens."),
	"gen_ai.client.inference.usage.cache_read.input_tokens": tokens(
		"cacheRead",
		"Input tokens served from a provider's cache: a part of the input tokens.",
	),
	"gen_ai.client.inference.usage.cache_write.input_tokens": tokens(
		"cacheWrite",
		"Input tokens written to a provider's cache: a part of the input tokens.",
	),
	"gen_ai.client.inference.usage.reasoning.output_tokens": tokens(
		"reasoning",
		"Output tokens used for reasoning: a part of the output tokens.",
	),
	"gen_ai.client.inference.duration": {
		kind: "histogram",
		group: "call",
		unit: "s",
		divisor: 1e3,
		description: "Duration of one call of a model, until its answer has come or it failed.",
		labels: WITH_ERROR,
		parts: [{ slot: "duration" }],
	},
	"gen_ai.client.inference.time_to_first_chunk": {
		kind: "histogram",
		group: "call",
		unit: "s",
		divisor: 1e3,
		description: "From a call of a model to the first chunk of its stream.",
		labels: INFERENCE,
		parts: [{ slot: "firstChunk" }],
	},
	"gen_ai.client.token.usage": {
		kind: "histogram",
		group: "usage",
		unit: "{token}",
		divisor: 1,
		description: "Input and output tokens of one model in one request, as the conventions had it before.",
		labels: INFERENCE,
		parts: [
			{ slot: "inputSizes", labels: { "gen_ai.token.type": "input" } },
			{ slot: "outputSizes", labels: { "gen_ai.token.type": "output" } },
		],
		isFormer: true,
	},
	"gen_ai.client.operation.duration": {
		kind: "histogram",
		group: "call",
		unit: "s",
		divisor: 1e3,
		description: "Duration of one call of a model, as the conventions had it before.",
		labels: WITH_ERROR,
		parts: [{ slot: "duration" }],
		isFormer: true,
	},
	"svc.requests": {
		kind: "counter",
		group: "request",
		unit: "{request}",
		divisor: 1,
		description: "Requests that ended, those that were refused included.",
		labels: REQUEST,
		parts: [{ slot: "requests" }],
		takesListed: true,
	},
	"svc.request.errors": {
		kind: "counter",
		group: "request",
		unit: "{request}",
		divisor: 1,
		description: "Requests that ended with an error, by its class and code.",
		labels: ERROR,
		parts: [{ slot: "requests" }],
		needs: "code",
	},
	"svc.request.duration": {
		kind: "histogram",
		group: "request",
		unit: "s",
		divisor: 1e3,
		description: "From the arrival of a request to the end of its answer.",
		labels: REQUEST,
		parts: [{ slot: "duration" }],
	},
	"svc.request.first_token": {
		kind: "histogram",
		group: "request",
		unit: "s",
		divisor: 1e3,
		description: "From the arrival of a request to the first token of its answer.",
		labels: { kind: { from: "kind" }, ...MODEL },
		parts: [{ slot: "firstToken" }],
	},
	"svc.request.fallbacks": {
		kind: "counter",
		group: "request",
		unit: "{request}",
		divisor: 1,
		description: "Requests that another model served than the intended one.",
		labels: MODEL,
		parts: [{ slot: "fallbacks" }],
		needs: "model",
	},
	"svc.cache.requests": {
		kind: "counter",
		group: "request",
		unit: "{request}",
		divisor: 1,
		description: "Requests whose provider reports its cache, by whether a part of the input came from it.",
		labels: MODEL,
		parts: [
			{ slot: "cacheHits", labels: { result: "hit" } },
			{ slot: "cacheMisses", labels: { result: "miss" } },
		],
		needs: "model",
	},
	"svc.tokens": {
		kind: "counter",
		group: "usage",
		unit: "{token}",
		divisor: 1,
		description: "Tokens that were billed.",
		labels: MODEL,
		parts: [
			{ slot: "input", labels: { direction: "input" } },
			{ slot: "output", labels: { direction: "output" } },
		],
		takesListed: true,
	},
	"svc.cost": {
		kind: "counter",
		group: "usage",
		unit: "USD",
		divisor: 1e9,
		description: "Cost of calls.",
		labels: MODEL,
		parts: [{ slot: "costNanoUsd" }],
		takesListed: true,
	},
	"svc.attempts": {
		kind: "counter",
		group: "call",
		unit: "{call}",
		divisor: 1,
		description: "Calls of models, by why they did not serve; no error for those that did.",
		labels: { ...MODEL, error: { from: "error" }, status: { from: "status" } },
		parts: [{ slot: "calls" }],
	},
	"svc.policy.checks": {
		kind: "counter",
		group: "check",
		unit: "{check}",
		divisor: 1,
		description: "Decisions of the policy on what agents want to do.",
		labels: { decision: { from: "decision" }, tier: { from: "tier" } },
		parts: [{ slot: "checks" }],
	},
	"svc.provider.keys": {
		kind: "gauge",
		unit: "{key}",
		divisor: 1,
		description:
			"1 for the state that a provider's key is in, as the last isolate that used it saw it; 0 for other states.",
		labels: ["provider", "key", "state"],
	},
	"svc.agent.pending": {
		kind: "gauge",
		unit: "{pending}",
		divisor: 1,
		description: "What runs of agents wait for now: client tools, approvals, plans, answers.",
		labels: ["kind"],
	},
	"svc.agent.tool_calls": {
		kind: "counter",
		group: "tool",
		unit: "{call}",
		divisor: 1,
		description: "Tool calls of runs that ended, by the state in which they ended.",
		labels: { kind: { from: "kind" }, outcome: { from: "outcome" } },
		parts: [{ slot: "calls" }],
	},
	"svc.agent.tool_call.duration": {
		kind: "histogram",
		group: "tool",
		unit: "s",
		divisor: 1e3,
		description: "From the dispatch of a run's tool call to its end.",
		labels: { kind: { from: "kind" } },
		parts: [{ slot: "duration" }],
	},
	"svc.agent.decisions": {
		kind: "counter",
		group: "tool",
		unit: "{decision}",
		divisor: 1,
		description: "Decisions on tool calls of runs that ended, by whose they were.",
		labels: { decision: { from: "decision" }, by: { from: "by" } },
		parts: [{ slot: "calls" }],
		needs: "decision",
	},
	"svc.telemetry.spans": {
		kind: "counter",
		group: "span",
		unit: "{span}",
		divisor: 1,
		description: "Spans that were sent to the collector, or dropped because it did not take them in time.",
		labels: { result: { from: "result" } },
		parts: [{ slot: "spans" }],
	},
} as const satisfies Record<string, MetricDefinition>;

export type MetricName = keyof typeof METRICS;

/** The table by name, without the narrow types of its rows. */
export const METRIC_TABLE: Readonly<Record<MetricName, MetricDefinition>> = METRICS;
