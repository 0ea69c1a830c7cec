// What is heavy and seldom needed, loaded on first use: start-up and runs without such files pay nothing for it.

/** The TOML parser. */
export function loadToml() {
	return import("smol-toml");
}
