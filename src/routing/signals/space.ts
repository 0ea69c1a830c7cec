// Space for the sparse features of one conversation at a time, reused from call to call. Pure.
import { mixHash } from "../../text/hash.ts";

/** N-grams are hashed to this many buckets. */
export const BUCKETS = 1 << 16;

/** More than the n-grams of all turns that are read, plus cues and properties. */
const CAPACITY = 1 << 13;

/** Sparse features. An index may occur more than once; its values add up. */
export interface Features {
	readonly indices: Int32Array;
	readonly values: Float32Array;
	length: number;
}

export interface FeatureSpace extends Features {
	/** The last text in which each bucket occurred. */
	readonly seenIn: Uint32Array;
	/** How many texts were read so far. */
	texts: number;
}

export function createFeatureSpace(): FeatureSpace {
	return {
		indices: new Int32Array(CAPACITY),
		values: new Float32Array(CAPACITY),
		length: 0,
		seenIn: new Uint32Array(BUCKETS),
		texts: 0,
	};
}

export function addFeature(space: FeatureSpace, index: number, value: number): void {
	space.indices[space.length] = index;
	space.values[space.length] = value;
	space.length++;
}

/** Adds an n-gram, unless the text had it already. Its value is left to the caller, who knows the text's norm at its end. */
export function addGram(space: FeatureSpace, hash: number): void {
	const bucket = mixHash(hash) & (BUCKETS - 1);
	if (space.seenIn[bucket] === space.texts) return;
	space.seenIn[bucket] = space.texts;
	space.indices[space.length] = bucket;
	space.length++;
}
