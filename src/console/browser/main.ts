// What pages do with a script: copy buttons. Every page works without it.

for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
	button.hidden = false;
	button.addEventListener("click", async () => {
		const source = document.getElementById(button.dataset["copy"] ?? "");
		if (!source) return;
		await navigator.clipboard.writeText(source.textContent ?? "");
		button.textContent = "Copied";
	});
}
