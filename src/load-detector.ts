// Loads the detector of sensitive data, which stands beside the bundle, on first use: neither start-up nor calls without a policy read
// it. Built JavaScript must be imported by the path that it has in `src` (wrangler.toml), hence from here.

type Detector = typeof import("./compliance/built/detector.js");

let detector: Detector | null = null;

/** The detector (compliance/detector.ts). @throws where it is missing from the deployment; the next call tries again. */
export async function loadDetector(): Promise<Detector> {
	// What is kept is the module, not the promise, which may end with the request that made it.
	detector ??= await import("./compliance/built/detector.js");
	return detector;
}
