// A text put together from pieces of a conversation's texts, so that they are read as one. Pure.

/** A span of a text of the conversation. */
export interface SourceSpan {
	readonly text: number;
	readonly start: number;
	readonly end: number;
}

interface JoinedPiece {
	readonly at: number;
	readonly length: number;
	/** Null for words that are put between pieces, and for context. */
	readonly source: SourceSpan | null;
}

/** Builds a text from pieces, and says where each part of it comes from. */
export class JoinedText {
	readonly #pieces: JoinedPiece[] = [];
	#text = "";

	/** Adds words that stand nowhere, or whose place does not matter. */
	addWords(words: string): void {
		this.#add(words, null);
	}

	/** Adds a span of a text as it is written. */
	addSpan(text: string, index: number, start: number, end: number): void {
		this.#add(text.slice(start, end), { text: index, start, end });
	}

	/** Adds words in place of a span. */
	addReplaced(words: string, source: SourceSpan): void {
		this.#add(words, source);
	}

	#add(words: string, source: SourceSpan | null): void {
		if (words === "") return;
		this.#pieces.push({ at: this.#text.length, length: words.length, source });
		this.#text += words;
	}

	get text(): string {
		return this.#text;
	}

	/** How many pieces have a source. */
	get sourceCount(): number {
		return this.#pieces.filter(({ source }) => source !== null).length;
	}

	/** The spans of the conversation that a span of this text comes from, in order. */
	locate(start: number, end: number): SourceSpan[] {
		const spans: SourceSpan[] = [];
		for (let position = this.#findPiece(start); position < this.#pieces.length; position++) {
			const piece = this.#pieces[position];
			if (piece === undefined || piece.at >= end) break;
			if (piece.source !== null) spans.push(toSourceSpan(piece, piece.source, start, end));
		}
		return spans;
	}

	/** The position of the piece that has an offset. */
	#findPiece(offset: number): number {
		let low = 0;
		for (let high = this.#pieces.length - 1; low < high; ) {
			const middle = (low + high + 1) >> 1;
			if ((this.#pieces[middle]?.at ?? 0) <= offset) low = middle;
			else high = middle - 1;
		}
		return low;
	}
}

function toSourceSpan({ at, length }: JoinedPiece, source: SourceSpan, start: number, end: number): SourceSpan {
	// A replaced span counts as a whole.
	if (length !== source.end - source.start) return source;
	const from = Math.max(0, start - at);
	return { text: source.text, start: source.start + from, end: source.start + Math.min(length, end - at) };
}
