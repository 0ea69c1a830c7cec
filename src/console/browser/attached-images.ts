// Images and PDF files that go with a prompt: chosen, listed, taken away again.
import { make, place } from "./elements.ts";

/** A form of the console takes two million bytes, and base64 is longer than what it stands for. */
const MAX_IMAGE_BYTES = 1_200_000;

const PDF = "application/pdf";

interface Attached {
	name: string;
	/** A data URL. */
	url: string;
}

function toDataUrl(file: File): Promise<string> {
	return new Promise((resolve, reject) => {
		const reader = new FileReader();
		reader.onload = () => resolve(String(reader.result));
		reader.onerror = () => reject(reader.error ?? new Error("the file cannot be read"));
		reader.readAsDataURL(file);
	});
}

export class AttachedImages {
	#images: Attached[] = [];

	/** @param say what went wrong, to the reader. */
	constructor(say: (text: string) => void) {
		const input = place<HTMLInputElement>("images");
		input.addEventListener("change", async () => {
			for (const file of input.files ?? []) await this.#add(file, say);
			input.value = "";
			this.#draw();
		});
	}

	async #add(file: File, say: (text: string) => void): Promise<void> {
		if (!file.type.startsWith("image/") && file.type !== PDF) return say(`${file.name} is neither an image nor a PDF.`);
		const url = await toDataUrl(file).catch(() => null);
		if (url === null) return say(`${file.name} cannot be read.`);
		const length = this.#images.reduce((sum, image) => sum + image.url.length, url.length);
		if (length > MAX_IMAGE_BYTES) return say(`${file.name} is too large: all files together may have 900 KB.`);
		this.#images.push({ name: file.name, url });
	}

	/** As data URLs. */
	get urls(): string[] {
		return this.#images.map(({ url }) => url);
	}

	clear(): void {
		this.#images = [];
		this.#draw();
	}

	#draw(): void {
		const entries = this.#images.map((image) => {
			const picture = image.url.startsWith(`data:${PDF}`) ? make("bdi", "", image.name) : make("img");
			if (picture instanceof HTMLImageElement) {
				picture.src = image.url;
				picture.alt = image.name;
			}
			const remove = make("button", "quiet small", "Remove");
			remove.type = "button";
			remove.setAttribute("aria-label", `Remove ${image.name}`);
			remove.addEventListener("click", () => {
				this.#images = this.#images.filter((other) => other !== image);
				this.#draw();
				place("images").focus();
			});
			return make("li", "", picture, remove);
		});
		place("attached").replaceChildren(...entries);
	}
}
