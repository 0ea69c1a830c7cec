// The one table of metrics: those of the GenAI conventions (open-telemetry/semantic-conventions-genai, docs/gen-ai/client-inference.md
// and gen-ai-token-metrics.md at 024a4f94) and our own. Pure.

/** How many of the stored unit make one of the unit that is sent. */
type UnitDivisor = 1 | 1e3 | 1e9;

export interface MetricDefinition {
	kind: "counter" | "histogram" | "gauge";
	/** UCUM, as OTLP sends it; Prometheus names its words behind the metric's name. */
	unit: "{token}" | "{request}" | "{call}" | "{check}" | "{approval}" | "{span}" | "{key}" | "s" | "USD";
	/** Values are stored as whole numbers: ms of durations, nano-USD of costs. */
	divisor: UnitDivisor;
	description: string;
	/** Names of all labels that a series may have, in order. */
	labels: readonly string[];
	/** Bounds of a histogram, in the stored unit. */
	bounds?: readonly number[];
	/** Only while the switch for the conventions' former metrics is on. */
	isFormer?: true;
	/** May have the labels that the operator lists, too. */
	takesListed?: true;
}

/** The bounds that the conventions ask for: durations in ms, tokens. */
const DURATION_BOUNDS = [10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 5_120, 10_240, 20_480, 40_960, 81_920];
const TOKEN_BOUNDS = Array.from({ length: 14 }, (_, i) => 4 ** i);
/** Whole requests take longer than calls: runs of agents up to half an hour. */
const REQUEST_BOUNDS = [
	50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000,
];

const INFERENCE = ["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model"] as const;
const TOKENS = [...INFERENCE, "gen_ai.token.modality"] as const;

export const METRICS = {
	"gen_ai.client.inference.usage.input_tokens": {
		kind: "counter",
		unit: "{token}",
		divisor: 1,
		description: "Input tokens used, including cached tokens.",
		labels: TOKENS,
	},
	"gen_ai.client.inference.usage.output_tokens": {
		kind: "counter",
		unit: "{token}",
		divisor: 1,
		description: "Output tokens used, including reasoning tokens.",
		labels: TOKENS,
	},
	"gen_ai.client.inference.usage.cache_read.input_tokens": {
		kind: "counter",
		unit: "{token}",
		divisor: 1,
		description: "Input tokens served from a provider's cache: a part of the input tokens.",
		labels: TOKENS,
	},
	"gen_ai.client.inference.usage.cache_write.input_tokens": {
		kind: "counter",
		unit: "{token}",
		divisor: 1,
		description: "Input tokens written to a provider's cache: a part of the input tokens.",
		labels: TOKENS,
	},
	"gen_ai.client.inference.usage.reasoning.output_tokens": {
		kind: "counter",
		unit: "{token}",
		divisor: 1,
		description: "Output tokens used for reasoning: a part of the output tokens.",
		labels: TOKENS,
	},
	"gen_ai.client.inference.duration": {
		kind: "histogram",
		unit: "s",
		divisor: 1e3,
		description: "Duration of one call of a model, until its answer has come or it failed.",
		labels: [...INFERENCE, "error.type"],
		bounds: DURATION_BOUNDS,
	},
	"gen_ai.client.inference.time_to_first_chunk": {
		kind: "histogram",
		unit: "s",
		divisor: 1e3,
		description: "From one call of a model to the first chunk of its stream.",
		labels: INFERENCE,
		bounds: DURATION_BOUNDS,
	},
	"gen_ai.client.token.usage": {
		kind: "histogram",
		unit: "{token}",
		divisor: 1,
		description: "Input and output tokens of a request, as the conventions had it before.",
		labels: [...INFERENCE, "gen_ai.token.type"],
		bounds: TOKEN_BOUNDS,
		isFormer: true,
	},
	"gen_ai.client.operation.duration": {
		kind: "histogram",
		unit: "s",
		divisor: 1e3,
		description: "Duration of one call of a model, as the conventions had it before.",
		labels: [...INFERENCE, "error.type"],
		bounds: DURATION_BOUNDS,
		isFormer: true,
	},
	"svc.requests": {
		kind: "counter",
		unit: "{request}",
		divisor: 1,
		description: "Requests that ended, those that were refused included.",
		labels: ["kind", "model", "provider", "outcome"],
		takesListed: true,
	},
	"svc.request.errors": {
		kind: "counter",
		unit: "{request}",
		divisor: 1,
		description: "Requests that ended with an error, by its class and code.",
		labels: ["kind", "class", "code"],
	},
	"svc.request.duration": {
		kind: "histogram",
		unit: "s",
		divisor: 1e3,
		description: "From the arrival of a request to the end of its answer.",
		labels: ["kind", "model", "provider", "outcome"],
		bounds: REQUEST_BOUNDS,
	},
	"svc.request.first_token": {
		kind: "histogram",
		unit: "s",
		divisor: 1e3,
		description: "From the arrival of a request to the first token of its answer.",
		labels: ["kind", "model", "provider"],
		bounds: REQUEST_BOUNDS,
	},
	"svc.tokens": {
		kind: "counter",
		unit: "{token}",
		divisor: 1,
		description: "Tokens that were billed.",
		labels: ["model", "provider", "direction"],
		takesListed: true,
	},
	"svc.cost": {
		kind: "counter",
		unit: "USD",
		divisor: 1e9,
		description: "Cost of calls.",
		labels: ["model", "provider"],
		takesListed: true,
	},
	"svc.attempts": {
		kind: "counter",
		unit: "{call}",
		divisor: 1,
		description: "Calls of models, by why they did not serve; no error for those that did.",
		labels: ["model", "provider", "error", "status"],
	},
	"svc.fallbacks": {
		kind: "counter",
		unit: "{request}",
		divisor: 1,
		description: "Requests that another model served than the intended one.",
		labels: ["model", "provider"],
	},
	"svc.cache.requests": {
		kind: "counter",
		unit: "{request}",
		divisor: 1,
		description: "Requests that were served, by whether a part of their input came from a provider's cache.",
		labels: ["model", "provider", "result"],
	},
	"svc.policy.checks": {
		kind: "counter",
		unit: "{check}",
		divisor: 1,
		description: "Decisions of the policy on what agents want to do.",
		labels: ["decision", "tier"],
	},
	"svc.policy.pending_approvals": {
		kind: "gauge",
		unit: "{approval}",
		divisor: 1,
		description: "Checks that wait for a person.",
		labels: [],
	},
	"svc.provider.keys": {
		kind: "gauge",
		unit: "{key}",
		divisor: 1,
		description:
			"1 for the state that a provider's key is in, as the last isolate that used it saw it; 0 for the others.",
		labels: ["provider", "key", "state"],
	},
	"svc.telemetry.spans": {
		kind: "counter",
		unit: "{span}",
		divisor: 1,
		description: "Spans that were sent to the collector, or dropped because it did not take them.",
		labels: ["result"],
	},
} as const satisfies Record<string, MetricDefinition>;

export type MetricName = keyof typeof METRICS;

/** The labels that an operator may list for the metrics that take them: they may have as many values as there are users. */
export const LISTED_LABELS = ["user", "key", "tag"] as const;
export type ListedLabel = (typeof LISTED_LABELS)[number];
