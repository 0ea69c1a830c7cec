// Buttons that copy a text of the page: `data-copy` names its element, whose id with `-copied` is that of what says so.

/** Copies the element's text. @returns what to say of it. */
async function copyText(source: HTMLElement): Promise<string> {
	try {
		await navigator.clipboard.writeText(source.textContent ?? "");
		return "Copied to the clipboard.";
	} catch {
		// A page that is not secure has no clipboard, and people may forbid it.
		getSelection()?.selectAllChildren(source);
		return "The browser does not allow it. The text is selected: copy it as you are used to.";
	}
}

/** Shows the copy buttons of the page. */
export function offerCopies(): void {
	for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
		const id = button.dataset["copy"] ?? "";
		const source = document.getElementById(id);
		const said = document.getElementById(`${id}-copied`);
		if (!source || !said) continue;
		button.hidden = false;
		button.addEventListener("click", async () => {
			said.textContent = await copyText(source);
		});
	}
}
