// Trajectories: the bytes of docs/proofs.md, the same verdicts as the second implementation, and every change is found.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	appendStep,
	emptyTrajectory,
	type TrajectoryBundle,
	trajectoryProof,
	verifyTrajectory,
} from "../../../src/agents/trajectory.ts";
import { parseBundle } from "../../../src/agents/verify-request.ts";
import { hashText } from "../../../src/proof/hash.ts";
import { type Bundle, issueBundle, type Step, verifyBundle } from "../../support/second-trajectory.ts";

const hash = fc.string({ unit: "grapheme" }).map(hashText);
const amount = fc.oneof(
	fc.integer({ min: 0, max: 10_000_000_000 }).map((nano) => nano / 1e9),
	fc.constantFrom(0, 1e-9, 0.1 + 0.2, 1e21, 5e-324),
);
const text = fc.string({ unit: "grapheme", maxLength: 20 });

function stepAt(index: number): fc.Arbitrary<Step> {
	return fc.record({
		index: fc.constant(index),
		model: fc.oneof(fc.constantFrom("glm-5.2", "claude-opus-4.8"), text),
		input_hash: hash,
		output_hash: hash,
		cost_usd: amount,
		confidence: fc.integer({ min: 0, max: 10_000 }).map((share) => share / 10_000),
		timestamp: fc.constantFrom("2026-07-22T10:00:00.000Z", "2026-07-22T10:00:01.250Z"),
	});
}

const header = fc.record({
	run_id: fc.constantFrom("agt_01ARZ3NDEKTSV4RRFFQ69G5FAV", "agt_01ARZ3NDEKTSV4RRFFQ69G5FAW", "é\u2028"),
	policy: fc.constantFrom("balanced", "depth", "efficiency"),
	strategy: fc.constantFrom("single", "cascade"),
});

/** An issued bundle of `min` to `max` steps. */
function issuedBundle(min: number, max: number): fc.Arbitrary<Required<Bundle>> {
	const steps = fc
		.integer({ min, max })
		.chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => stepAt(index))));
	return fc.tuple(header, steps, text).map(([run, taken, output]) => issueBundle(run, taken, output));
}

const RUNS = { numRuns: 300 };

/** The bundle without its optional members. */
function withoutOptionals({
	run_id,
	policy,
	strategy,
	trajectory_proof,
	steps,
	output_hash,
}: Required<Bundle>): Bundle {
	return { run_id, policy, strategy, trajectory_proof, steps, output_hash };
}

function without<K extends keyof Bundle>(bundle: Bundle, ...members: K[]): Bundle {
	const rest = { ...bundle };
	for (const member of members) delete rest[member];
	return rest;
}

/** The service's verdict, checked against the second implementation's. */
function checkedVerdict(bundle: Bundle) {
	const verdict = verifyTrajectory(bundle);
	expect(verdict).toEqual(verifyBundle(bundle));
	return verdict;
}

/** Another value of the same kind. */
function changeValue<T>(value: T): T {
	if (typeof value === "number") return (value === 0 ? 1 : value * 2) as T;
	const was = String(value);
	if (!was.startsWith("sha256:")) return `${was}x` as T;
	return `${was.slice(0, -1)}${was.endsWith("0") ? "1" : "0"}` as T;
}

const MEMBERS = [
	"index",
	"model",
	"input_hash",
	"output_hash",
	"cost_usd",
	"confidence",
	"timestamp",
] as const satisfies readonly (keyof Step)[];

describe("a trajectory", () => {
	it("has the bytes that are fixed for version 1", () => {
		const step = (index: number): Step => ({
			index,
			model: "glm-5.2",
			input_hash: hashText("in"),
			output_hash: hashText(`out ${index}`),
			cost_usd: 0.000123,
			confidence: 0.75,
			timestamp: "2026-07-22T10:00:00.000Z",
		});
		const run = { run_id: "agt_01ARZ3NDEKTSV4RRFFQ69G5FAV", policy: "balanced", strategy: "single" };
		const begun = emptyTrajectory(run);
		const first = appendStep(begun, step(0));
		const second = appendStep(first, step(1));
		expect([begun.last, first.last, second.last, trajectoryProof(second, hashText("done"))]).toEqual([
			"sha256:03cf439959d31c8f958e05fd6996c787f391ea732bcc744d008ec4958dee13e3",
			"sha256:a308d902499abe5c7c8c9161c19a435921e4cbdc88fc75d97dd77fae03349786",
			"sha256:52b20dcaa76d3b7efbf5976803d8f2d239da12a6a384aa181b120edec6c7b054",
			"sha256:6287717857fcfb0eb1f7674512cbbce0175b15c996480405ae33e2a5145bb764",
		]);
	});

	it("that grows step by step has the proofs and the root of the second implementation", () => {
		fc.assert(
			fc.property(issuedBundle(0, 20), (bundle) => {
				let trajectory = emptyTrajectory(bundle);
				for (const [index, step] of bundle.steps.entries()) {
					trajectory = JSON.parse(JSON.stringify(appendStep(trajectory, step)));
					expect(trajectory.last).toBe(bundle.step_proofs[index]);
				}
				expect(trajectoryProof(trajectory, bundle.output_hash)).toBe(bundle.trajectory_proof);
			}),
			RUNS,
		);
	});

	it("takes a step only in its turn", () => {
		const [run] = fc.sample(header, { numRuns: 1, seed: 1 });
		const [step] = fc.sample(stepAt(1), { numRuns: 1, seed: 1 });
		if (!run || !step) throw new Error("nothing was drawn");
		expect(() => appendStep(emptyTrajectory(run), step)).toThrow(RangeError);
	});
});

describe("an issued bundle", () => {
	it("is valid, with and without what may be left out", () => {
		fc.assert(
			fc.property(issuedBundle(0, 20), (bundle) => {
				const expected = {
					valid: true,
					recomputed_proof: bundle.trajectory_proof,
					mismatched_steps: [],
					faults: [],
				};
				for (const given of [
					bundle,
					withoutOptionals(bundle),
					without(bundle, "output"),
					without(bundle, "output_hash"),
				])
					expect(checkedVerdict(given)).toEqual(expected);
			}),
			RUNS,
		);
	});

	it("without output and hash stands for its last step's output, and without a step for the empty text", () => {
		fc.assert(
			fc.property(issuedBundle(0, 5), text, (bundle, other) => {
				const last = bundle.steps.at(-1);
				const output = last ? other : "";
				const steps = last ? bundle.steps.with(-1, { ...last, output_hash: hashText(other) }) : [];
				const closing = issueBundle(bundle, steps, output);
				expect(checkedVerdict(without(closing, "output", "output_hash")).valid).toBe(true);
			}),
			RUNS,
		);
	});
});

describe("a changed bundle", () => {
	it("is found, whichever member of whichever step was changed, and with step proofs the step is named alone", () => {
		fc.assert(
			fc.property(issuedBundle(1, 12), (bundle) => {
				for (const [position, step] of bundle.steps.entries()) {
					for (const member of MEMBERS) {
						const steps = bundle.steps.with(position, { ...step, [member]: changeValue(step[member]) });
						const named = checkedVerdict({ ...bundle, steps });
						expect([named.valid, named.mismatched_steps], member).toEqual([false, [position]]);
						expect(checkedVerdict({ ...withoutOptionals(bundle), steps })).toMatchObject({
							valid: false,
							mismatched_steps: [],
						});
					}
				}
			}),
			{ numRuns: 60 },
		);
	});

	it("is found when its run, policy, strategy, claim, output or output's hash was changed", () => {
		fc.assert(
			fc.property(issuedBundle(0, 8), (bundle) => {
				for (const member of ["run_id", "policy", "strategy", "trajectory_proof", "output", "output_hash"] as const) {
					const tampered = { ...bundle, [member]: changeValue(bundle[member]) };
					expect(checkedVerdict(tampered).valid, member).toBe(false);
					if (member === "output") continue;
					expect(checkedVerdict({ ...withoutOptionals(bundle), [member]: changeValue(bundle[member]) }).faults).toEqual(
						["root_mismatch"],
					);
				}
			}),
			RUNS,
		);
	});

	it("is found when output and output_hash are each other's no more, though one of them is the run's", () => {
		const [bundle] = fc.sample(issuedBundle(2, 2), { numRuns: 1, seed: 2 });
		if (!bundle) throw new Error("nothing was drawn");
		const faultsOf = (members: Partial<Bundle>) => checkedVerdict({ ...bundle, ...members }).faults;
		expect(faultsOf({ output_hash: hashText("another") })).toEqual(["output_hash_mismatch"]);
		expect(faultsOf({ output: "another" })).toEqual(["output_hash_mismatch", "root_mismatch"]);
	});

	it("is found when a step was dropped, doubled, inserted or moved, with and without renumbering", () => {
		fc.assert(
			fc.property(issuedBundle(2, 12), fc.nat(), fc.nat(), stepAt(0), (bundle, one, two, stranger) => {
				const { steps } = bundle;
				const from = one % steps.length;
				const to = two % steps.length;
				const step = steps[from] as Step;
				const rest = steps.toSpliced(from, 1);
				const arrangements = [
					rest,
					steps.toSpliced(from, 0, step),
					steps.toSpliced(to, 0, { ...stranger, index: to }),
					...(from === to ? [] : [rest.toSpliced(to, 0, step)]),
					steps.slice(0, from),
				];
				for (const arranged of arrangements) {
					const renumbered = arranged.map((each, index) => ({ ...each, index }));
					for (const tampered of [arranged, renumbered])
						expect(checkedVerdict({ ...withoutOptionals(bundle), steps: tampered }).faults).toContain("root_mismatch");
				}
			}),
			RUNS,
		);
	});

	it("names the places where its indices have a gap", () => {
		const [bundle] = fc.sample(issuedBundle(6, 6), { numRuns: 1, seed: 3 });
		if (!bundle) throw new Error("nothing was drawn");
		const { steps } = bundle;
		const faultsOf = (tampered: Step[]) =>
			checkedVerdict({ ...withoutOptionals(bundle), steps: tampered }).faults.filter(
				(fault) => fault !== "root_mismatch",
			);
		expect(faultsOf(steps.toSpliced(3, 1))).toEqual(["index_gap:3"]);
		expect(faultsOf(steps.slice(1))).toEqual(["index_gap:0"]);
		expect(faultsOf(steps.map((step) => ({ ...step, index: step.index + 1 })))).toEqual(["index_gap:0"]);
		expect(faultsOf(steps.toSpliced(2, 0, steps[2] as Step))).toEqual(["index_gap:3"]);
		expect(faultsOf(steps.with(1, { ...(steps[1] as Step), index: 1.5 }))).toEqual(["index_gap:1", "index_gap:2"]);
	});

	it("is found when its numbering is a consistent lie, though its root is its own", () => {
		fc.assert(
			fc.property(issuedBundle(2, 8), (bundle) => {
				const gapped = bundle.steps.map((step) => ({ ...step, index: step.index * 2 }));
				const lie = issueBundle(bundle, gapped, bundle.output);
				const faults = gapped.slice(1).map((_, at) => `index_gap:${at + 1}`);
				expect(checkedVerdict(lie)).toMatchObject({ valid: false, mismatched_steps: [], faults });
			}),
			RUNS,
		);
	});

	it("is found when a step proof is another's, and whoever stands on it is named with it", () => {
		fc.assert(
			fc.property(issuedBundle(1, 12), fc.nat(), (bundle, place) => {
				const at = place % bundle.steps.length;
				const step_proofs = bundle.step_proofs.with(at, hashText("another"));
				const expected = [at, at + 1].filter((position) => position < bundle.steps.length);
				expect(checkedVerdict({ ...bundle, step_proofs })).toMatchObject({
					valid: false,
					recomputed_proof: bundle.trajectory_proof,
					mismatched_steps: expected,
					faults: [],
				});
			}),
			RUNS,
		);
	});

	it("is found when the steps are those of another run", () => {
		fc.assert(
			fc.property(issuedBundle(1, 8), issuedBundle(1, 8), (mine, theirs) => {
				fc.pre(JSON.stringify(mine.steps) !== JSON.stringify(theirs.steps) || mine.run_id !== theirs.run_id);
				const { run_id, policy, strategy, trajectory_proof } = mine;
				const swapped = { ...theirs, run_id, policy, strategy, trajectory_proof };
				expect(checkedVerdict(swapped).valid).toBe(false);
			}),
			RUNS,
		);
	});
});

describe("a verification", () => {
	it("of twice the steps reads them twice as often, not four times", () => {
		const run = { run_id: "agt_1", policy: "balanced", strategy: "single" };
		const [step] = fc.sample(stepAt(0), { numRuns: 1, seed: 4 });
		const readsOf = (count: number) => {
			let reads = 0;
			const steps = Array.from({ length: count }, (_, index) => ({
				...(step as Step),
				get index() {
					reads++;
					return index;
				},
			}));
			const bundle: TrajectoryBundle = { ...run, trajectory_proof: "", steps, step_proofs: steps.map(() => "x") };
			expect(verifyTrajectory(bundle).mismatched_steps).toHaveLength(count);
			return reads;
		};
		expect(readsOf(400)).toBeLessThanOrEqual(2 * readsOf(200) + 2);
	});
});

describe("the request", () => {
	const [bundle] = fc.sample(issuedBundle(3, 3), { numRuns: 1, seed: 5 }) as [Required<Bundle>];
	const issuesOf = (members: object) => {
		const read = parseBundle({ ...bundle, ...members });
		return "issues" in read ? read.issues : [];
	};

	it("is read as it is, unknown members apart, with the defaults of a run", () => {
		const { policy: _, strategy: __, ...rest } = bundle;
		const steps = bundle.steps.map((step) => ({ ...step, role: "subtask", step_proof: "sha256:cut" }));
		expect(parseBundle({ ...rest, steps, object: "x" })).toEqual({
			bundle: { ...bundle, policy: "balanced", strategy: "single" },
		});
	});

	it("has whole hashes and a proof for every step, or is refused with the place", () => {
		const cut = "sha256:0123456789ab";
		const capital = bundle.trajectory_proof.toUpperCase();
		const first = bundle.steps[0] as Step;
		for (const wrong of [cut, capital, "", null]) {
			expect(issuesOf({ trajectory_proof: wrong })[0]).toMatch(/^trajectory_proof: /);
			expect(issuesOf({ steps: bundle.steps.with(0, { ...first, input_hash: `${wrong}` }) })[0]).toMatch(
				/^steps\.0\.input_hash: must be a whole hash/,
			);
			expect(issuesOf({ step_proofs: [`${wrong}`, cut, cut] })[0]).toMatch(/^step_proofs\.0: must be a whole hash/);
		}
		expect(issuesOf({ output_hash: cut })[0]).toMatch(/^output_hash: must be a whole hash/);
		for (const step_proofs of [[], bundle.step_proofs.slice(1), [...bundle.step_proofs, cut.padEnd(71, "0")]])
			expect(issuesOf({ step_proofs })).toEqual([
				`step_proofs: has ${step_proofs.length} entries for 3 steps; there must be one for each`,
			]);
	});

	it("has at most 2,000 steps", () => {
		const steps = Array.from({ length: 2_001 }, () => bundle.steps[0]);
		expect(issuesOf({ steps, step_proofs: null })).toEqual(["steps: must have at most 2000 steps"]);
		expect(issuesOf({ steps: steps.slice(1), step_proofs: null })).toEqual([]);
	});
});
