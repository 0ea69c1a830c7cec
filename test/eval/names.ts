// Prints how many names of src mean more than one thing: `npm run eval:names`. It judges nothing; the test of the layers does.
import { findHomonyms, readDefinitions } from "../support/definitions.ts";

const definitions = readDefinitions();
const homonyms = findHomonyms(definitions);
const exported = findHomonyms(definitions.filter(({ isExported }) => isExported));

console.table({
	"top-level definitions": definitions.length,
	"names declared in more than one file": homonyms.size,
	"names exported by more than one file": exported.size,
	"names that end in …Of": definitions.filter(({ name }) => /[a-z]Of$/.test(name)).length,
});
for (const [name, files] of [...homonyms].toSorted(([, a], [, b]) => b.length - a.length))
	console.log(`${name}: ${files.join(", ")}`);
