// Finds what only layout tells: the machine-readable zone of passports and magnetic stripes.
import { icao9303 } from "./checksums.ts";
import type { DataKind } from "./kinds.ts";
import type { StretchReader } from "./stretches.ts";

type ReportRecord = (kind: DataKind, start: number, end: number) => void;

/** ICAO 9303-4 and -5: the line with the names, and the line with the number, each padded with `<`. */
const MRZ_NAMES = /(?<![A-Z<])[PIACV][A-Z<][A-Z<]{3}[A-Z]{1,30}(?:<[A-Z]{1,30}){0,3}<<[A-Z<]{2,36}/g;
const MRZ_NUMBER = /(?<![A-Z\d<])[A-Z\d<]{9}\d[A-Z<]{3}\d{7}[MFX<]\d{7}[A-Z\d<]{2,16}/g;
/** ISO/IEC 7813: track 1 begins with %B, track 2 with a semicolon. */
const TRACK = /(?:%?B(?<first>\d{13,19})\^[A-Z][A-Z /.'-]{1,26}\^?|;(?<second>\d{13,19})=\d{4,30})/g;

function hasCheckedNumber(line: string): boolean {
	const value = line.replaceAll("<", "0");
	return icao9303(value.slice(0, 10)) || icao9303(value.slice(13, 20)) || icao9303(value.slice(21, 28));
}

/** A record that begins in one stretch is found as far as it is not longer. */
const MAX_RECORD_CHARS = 512;

/** Reports the lines of passports and the stripes of cards in a text. */
export function createRecordReader(text: string, report: ReportRecord): StretchReader {
	let from = 0;
	return (to) => {
		const stretch = text.slice(from, to + MAX_RECORD_CHARS);
		const start = from;
		const add = (kind: DataKind, index: number, line: string) =>
			report(kind, start + index, start + index + line.length);
		if (stretch.includes("<<"))
			for (const { index, 0: line } of stretch.matchAll(MRZ_NAMES)) add("passport", index, line);
		for (const { index, 0: line } of stretch.matchAll(MRZ_NUMBER))
			if (hasCheckedNumber(line)) add("passport", index, line);
		if (stretch.includes("^") || stretch.includes(";"))
			for (const { index, 0: track } of stretch.matchAll(TRACK)) add("credit_card", index, track);
		from = to;
	};
}
