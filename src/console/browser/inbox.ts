// Takes keys in the inbox: from card to card, and to what is done with one. None of them decides anything: Enter on a button does.

const STORED = "svc-inbox-keys";

function cards(): HTMLElement[] {
	return [...document.querySelectorAll<HTMLElement>("[data-pending]")];
}

function currentCard(): HTMLElement | null {
	return document.activeElement?.closest<HTMLElement>("[data-pending]") ?? null;
}

function showCard(card: HTMLElement | undefined): void {
	card?.focus();
	card?.scrollIntoView({ block: "nearest" });
}

function move(step: 1 | -1): void {
	const all = cards();
	const current = currentCard();
	const at = current ? all.indexOf(current) + step : step > 0 ? 0 : all.length - 1;
	showCard(all[Math.min(Math.max(at, 0), all.length - 1)]);
}

/** Opens a disclosure of the card and goes to its first field. */
function openPart(card: HTMLElement, name: "edit" | "reject"): void {
	const part = card.querySelector<HTMLDetailsElement>(`[data-${name}]`);
	if (part) part.open = true;
	const field = part ? "textarea, input:not([type=hidden])" : "[data-answer]";
	(part ?? card).querySelector<HTMLElement>(field)?.focus();
}

/** Closes what is open around the focus, and goes back to the card. */
function leavePart(card: HTMLElement): void {
	const open = document.activeElement?.closest<HTMLDetailsElement>("details[open]");
	if (open && card.contains(open)) open.open = false;
	showCard(card);
}

function isTyping(target: EventTarget | null): boolean {
	return target instanceof HTMLElement && target.matches("input, textarea, select");
}

function takeKey(event: KeyboardEvent): void {
	if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
	const card = currentCard();
	if (event.key === "Escape") {
		if (card) leavePart(card);
		return;
	}
	if (isTyping(event.target)) return;
	switch (event.key) {
		case "j":
			move(1);
			break;
		case "k":
			move(-1);
			break;
		case "a":
			card?.querySelector<HTMLElement>("[data-approve], [data-answer]")?.focus();
			break;
		case "e":
			if (card) openPart(card, "edit");
			break;
		case "r":
			if (card) openPart(card, "reject");
			break;
		default:
			return;
	}
	event.preventDefault();
}

/** What the browser remembers of the switch. A browser that keeps nothing has the keys. */
function isOn(): boolean {
	try {
		return localStorage.getItem(STORED) !== "off";
	} catch {
		return true;
	}
}

function remember(on: boolean): void {
	try {
		localStorage.setItem(STORED, on ? "on" : "off");
	} catch {
		// Then it holds for this page.
	}
}

/** Takes the keys of the inbox, if the page has one. */
export function steerInbox(): void {
	const legend = document.getElementById("inbox-keys");
	const button = legend?.querySelector("button");
	if (!legend || !button) return;
	let on = isOn();
	const show = () => {
		button.ariaPressed = String(on);
	};
	button.addEventListener("click", () => {
		on = !on;
		remember(on);
		show();
	});
	document.addEventListener("keydown", (event) => {
		if (on) takeKey(event);
	});
	show();
	legend.hidden = false;
}
