// Fits the classifier of statements: hashed features, a few hidden units that also see what was said before, and an output a
// class. A text counts as its strongest unit. AdaGrad; deterministic.
import { featureNorm } from "../../../src/compliance/statements/model.ts";
import { createRandom, shuffle } from "../random.ts";

/** A unit of text as rows of features, and those of the units before it. */
export interface FitUnit {
	readonly own: Int32Array;
	readonly before: Int32Array;
}

export interface FitExample {
	readonly units: readonly FitUnit[];
	/** 0 or 1 by class. */
	readonly targets: readonly number[];
	readonly weight: number;
}

export interface FitOptions {
	readonly hidden: number;
	readonly outputs: number;
	readonly epochs: number;
	readonly learningRate: number;
	readonly decay: number;
	/** The share of features that a step leaves out, so that no word decides alone. */
	readonly dropout: number;
}

/** The parameters, row by row. */
export interface FittedStatements {
	/** By feature: `hidden` weights. */
	readonly features: Float32Array;
	/** By hidden unit, its bias. */
	readonly bias: Float32Array;
	/** hidden × hidden: what was said before, by hidden unit. */
	readonly context: Float32Array;
	/** outputs × hidden. */
	readonly outputs: Float32Array;
	readonly outputBias: Float32Array;
}

class Network {
	readonly #options: FitOptions;
	readonly fitted: FittedStatements;
	readonly #squares: { [name in keyof FittedStatements]: Float32Array };
	readonly #random = createRandom(7);
	#rate = 0;
	readonly before: Float64Array;
	readonly hidden: Float64Array;
	readonly sums: Float64Array;
	#own: Int32Array = new Int32Array(0);
	#ownLength = 0;
	#prior: Int32Array = new Int32Array(0);
	#priorLength = 0;
	readonly #buffers = [new Int32Array(8192), new Int32Array(16384)] as const;

	constructor(rows: number, options: FitOptions, start: FittedStatements | null) {
		const { hidden, outputs } = options;
		this.#options = options;
		const random = (size: number, spread: number) =>
			Float32Array.from({ length: size }, () => (this.#random() * 2 - 1) * spread);
		this.fitted = start ?? {
			features: random(rows * hidden, 0.1),
			bias: new Float32Array(hidden).fill(0.1),
			context: random(hidden * hidden, 0.1),
			outputs: random(outputs * hidden, 0.5),
			outputBias: new Float32Array(outputs).fill(-1),
		};
		const squares = (size: number) => new Float32Array(size).fill(1e-2);
		this.#squares = {
			features: squares(rows),
			bias: squares(hidden),
			context: squares(hidden * hidden),
			outputs: squares(outputs * hidden),
			outputBias: squares(outputs),
		};
		this.before = new Float64Array(hidden);
		this.hidden = new Float64Array(hidden);
		this.sums = new Float64Array(outputs);
	}

	set rate(rate: number) {
		this.#rate = rate;
	}

	#drop(rows: Int32Array, buffer: Int32Array, dropout: number): number {
		let length = 0;
		for (let at = 0; at < rows.length; at++)
			if (dropout === 0 || this.#random() >= dropout) buffer[length++] = rows[at] ?? 0;
		return length;
	}

	#addRows(rows: Int32Array, length: number, sums: Float64Array, scale: number): void {
		const { hidden } = this.#options;
		const { features } = this.fitted;
		for (let at = 0; at < length; at++) {
			const start = (rows[at] ?? 0) * hidden;
			for (let k = 0; k < hidden; k++) sums[k] = (sums[k] ?? 0) + scale * (features[start + k] ?? 0);
		}
	}

	/** The hidden units of what was said before; zeros if nothing was. */
	#readPrior(): void {
		const { before } = this;
		before.fill(0);
		if (this.#priorLength === 0) return;
		for (let k = 0; k < before.length; k++) before[k] = this.fitted.bias[k] ?? 0;
		this.#addRows(this.#prior, this.#priorLength, before, featureNorm(this.#priorLength));
		for (let k = 0; k < before.length; k++) before[k] = Math.max(0, before[k] ?? 0);
	}

	/** Sums of the outputs for a unit. */
	forward(unit: FitUnit, dropout: number): Float64Array {
		const { hidden, outputs } = this.#options;
		const { fitted, before, sums } = this;
		[this.#own, this.#prior] = this.#buffers;
		this.#ownLength = this.#drop(unit.own, this.#own, dropout);
		this.#priorLength = this.#drop(unit.before, this.#prior, dropout);
		this.#readPrior();
		const own = this.hidden;
		for (let k = 0; k < hidden; k++) {
			let sum = fitted.bias[k] ?? 0;
			for (let j = 0; j < hidden; j++) sum += (fitted.context[k * hidden + j] ?? 0) * (before[j] ?? 0);
			own[k] = sum;
		}
		this.#addRows(this.#own, this.#ownLength, own, featureNorm(this.#ownLength));
		for (let k = 0; k < hidden; k++) own[k] = Math.max(0, own[k] ?? 0);
		for (let output = 0; output < outputs; output++) {
			let sum = fitted.outputBias[output] ?? 0;
			for (let k = 0; k < hidden; k++) sum += (fitted.outputs[output * hidden + k] ?? 0) * (own[k] ?? 0);
			sums[output] = sum;
		}
		return sums;
	}

	#update(name: "bias" | "context" | "outputs" | "outputBias", at: number, gradient: number): void {
		if (gradient === 0) return;
		const squares = this.#squares[name];
		const square = (squares[at] ?? 0) + gradient * gradient;
		squares[at] = square;
		const weights = this.fitted[name];
		weights[at] = (weights[at] ?? 0) - (this.#rate / Math.sqrt(square)) * gradient;
	}

	#updateRows(rows: Int32Array, length: number, gradients: Float64Array, scale: number): void {
		const { hidden, decay } = this.#options;
		const { features } = this.fitted;
		const squares = this.#squares.features;
		let norm = 0;
		for (let k = 0; k < hidden; k++) norm += (gradients[k] ?? 0) ** 2;
		norm *= scale * scale;
		if (norm === 0) return;
		for (let at = 0; at < length; at++) {
			const row = rows[at] ?? 0;
			const square = (squares[row] ?? 0) + norm;
			squares[row] = square;
			const rate = this.#rate / Math.sqrt(square);
			for (let k = 0; k < hidden; k++) {
				const weight = features[row * hidden + k] ?? 0;
				features[row * hidden + k] = weight - rate * (scale * (gradients[k] ?? 0) + decay * weight);
			}
		}
	}

	/** The gradients of the hidden units of a unit, and of what was said before it. */
	#hiddenGradients(gradients: Float64Array): readonly [own: Float64Array, prior: Float64Array] {
		const { hidden, outputs } = this.#options;
		const { fitted, before } = this;
		const own = new Float64Array(hidden);
		const prior = new Float64Array(hidden);
		for (let k = 0; k < hidden; k++) {
			if ((this.hidden[k] ?? 0) <= 0) continue;
			let sum = 0;
			for (let output = 0; output < outputs; output++)
				sum += (gradients[output] ?? 0) * (fitted.outputs[output * hidden + k] ?? 0);
			own[k] = sum;
			for (let j = 0; j < hidden; j++)
				if ((before[j] ?? 0) > 0) prior[j] = (prior[j] ?? 0) + sum * (fitted.context[k * hidden + j] ?? 0);
		}
		return [own, prior];
	}

	/** One step from the gradients of the outputs after `forward`. */
	backward(gradients: Float64Array): void {
		const { hidden, outputs } = this.#options;
		const [own, prior] = this.#hiddenGradients(gradients);
		for (let output = 0; output < outputs; output++) {
			const gradient = gradients[output] ?? 0;
			this.#update("outputBias", output, gradient);
			for (let k = 0; k < hidden; k++) this.#update("outputs", output * hidden + k, gradient * (this.hidden[k] ?? 0));
		}
		for (let k = 0; k < hidden; k++) {
			this.#update("bias", k, own[k] ?? 0);
			for (let j = 0; j < hidden; j++) this.#update("context", k * hidden + j, (own[k] ?? 0) * (this.before[j] ?? 0));
		}
		this.#updateRows(this.#own, this.#ownLength, own, featureNorm(this.#ownLength));
		this.#updateRows(this.#prior, this.#priorLength, prior, featureNorm(this.#priorLength));
	}
}

function sigmoid(sum: number): number {
	return 1 / (1 + Math.exp(-sum));
}

/** By output: the unit with the largest sum. */
function findStrongest(network: Network, { units }: FitExample, outputs: number): Int32Array {
	const strongest = new Int32Array(outputs);
	if (units.length === 1) return strongest;
	const best = new Float64Array(outputs).fill(Number.NEGATIVE_INFINITY);
	for (const [at, unit] of units.entries()) {
		const sums = network.forward(unit, 0);
		for (let output = 0; output < outputs; output++)
			if ((sums[output] ?? 0) > (best[output] ?? 0)) {
				best[output] = sums[output] ?? 0;
				strongest[output] = at;
			}
	}
	return strongest;
}

function stepExample(network: Network, example: FitExample, { outputs, dropout }: FitOptions): void {
	const strongest = findStrongest(network, example, outputs);
	const gradients = new Float64Array(outputs);
	for (const [at, unit] of example.units.entries()) {
		if (!strongest.includes(at)) continue;
		const sums = network.forward(unit, dropout);
		for (let output = 0; output < outputs; output++)
			gradients[output] =
				strongest[output] === at ? example.weight * (sigmoid(sums[output] ?? 0) - (example.targets[output] ?? 0)) : 0;
		network.backward(gradients);
	}
}

/**
 * Fits the parameters.
 * @param rows how many features there are.
 * @param start parameters to go on from.
 */
export function fitStatements(
	examples: readonly FitExample[],
	rows: number,
	options: FitOptions,
	start: FittedStatements | null = null,
): FittedStatements {
	const network = new Network(rows, options, start);
	const random = createRandom(1);
	const order = Int32Array.from(examples.keys());
	for (let epoch = 0; epoch < options.epochs; epoch++) {
		shuffle(order, random);
		network.rate = options.learningRate * (1 - (0.9 * epoch) / options.epochs);
		for (const at of order) {
			const example = examples[at];
			if (example) stepExample(network, example, options);
		}
	}
	return network.fitted;
}
