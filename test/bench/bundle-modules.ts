// Which module of the sources a line of the bundle comes from.

/** The module of each line of an unminified bundle, in which the bundler names every module in a comment. */
export function modulesByLine(bundle: string): string[] {
	let module = "";
	return bundle.split("\n").map((line) => {
		module =
			/^\/\/ ((?:\S*node_modules|src|test|\.\.)\/\S+|\S+:\S+)$/.exec(line)?.[1]?.replace(/^.*node_modules\//, "") ??
			module;
		return module;
	});
}
