// The detector as `npm run modules` builds it: a module beside the bundle.
declare module "*/compliance/built/detector.js" {
	type Detector = import("./detector.ts").Detector;
	export const detectInSteps: Detector["detectInSteps"];
	export const secretSpans: Detector["secretSpans"];
	export const loadStatements: Detector["loadStatements"];
}
