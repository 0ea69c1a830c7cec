// The console as `npm run modules` builds it: a module beside the bundle.
declare module "*/console/built/console.js" {
	export const handleConsole: import("./service.ts").ConsoleModule["handleConsole"];
}
