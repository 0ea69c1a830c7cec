// The console as `npm run pages` builds it: a module beside the bundle.
declare module "*/console/built/console.js" {
	export const handleConsole: import("./service.ts").ConsoleModule["handleConsole"];
}
