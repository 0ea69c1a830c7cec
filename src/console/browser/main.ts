// What pages do with a script: copy buttons, parts that change. Every page works without it.
import { followLivePart } from "./live.ts";
import { streamPlayground } from "./playground.ts";

followLivePart();
streamPlayground();

for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
	button.hidden = false;
	button.addEventListener("click", async () => {
		const source = document.getElementById(button.dataset["copy"] ?? "");
		if (!source) return;
		await navigator.clipboard.writeText(source.textContent ?? "");
		button.textContent = "Copied";
	});
}
