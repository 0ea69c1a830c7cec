// Checks the form and the promises of the skills, as far as a machine can see them, and prints a table. Ends with 1 on a fault.
import { readLibrary, reportOn } from "../support/skill-library.ts";

const COLUMNS = [28, 7, 7, 10, 9, 0];

function row(cells: readonly (string | number)[]): string {
	return cells.map((cell, at) => String(cell).padEnd(COLUMNS[at] ?? 0)).join("");
}

const library = readLibrary();
const reports = library.map((skill) => reportOn(skill, library));

console.log(row(["skill", "words", "steps", "pitfalls", "example", "most in common with"]));
for (const { id, words, steps, pitfalls, exampleWords, nearest, faults } of reports) {
	const share = `${(100 * nearest.share).toFixed(2)} % ${nearest.with}`;
	console.log(row([id, words, steps, pitfalls, exampleWords, share]));
	for (const fault of faults) console.log(`    ${fault}`);
}
const words = reports.reduce((sum, report) => sum + report.words, 0);
const bytes = library.reduce((sum, { raw }) => sum + Buffer.byteLength(raw), 0);
const faulty = reports.filter(({ faults }) => faults.length > 0).length;
console.log(`\n${reports.length} skills, ${words} words, ${(bytes / 1024).toFixed(0)} KiB; ${faulty} with a fault`);
process.exitCode = faulty > 0 ? 1 : 0;
