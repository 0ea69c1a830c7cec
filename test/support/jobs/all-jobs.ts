// The 21 jobs: 20 with an answer, and one that a person stops. Each is made of data of its own.
import { Draw, type Job } from "./job.ts";
import * as office from "./office-jobs.ts";
import * as table from "./table-jobs.ts";

const MAKERS: readonly ((draw: Draw) => Job)[] = [
	table.extractRows,
	table.reconcileTables,
	office.triageIssues,
	office.mendRepository,
	table.overdueInvoices,
	table.convertCurrencies,
	office.repayLoan,
	office.breachedTickets,
	table.findDuplicates,
	table.bestMargins,
	office.reorderStock,
	office.editRefund,
	office.findMeeting,
	office.askWhich,
	office.readInbox,
	table.followPages,
	table.analyseLog,
	office.payWages,
	office.migrateSettings,
	office.sumTaxes,
];

/** More of their kind, beside the 20. */
const MORE = [office.rejectedMail];

/** The jobs of a seed. */
export function makeJobs(seed: number): Job[] {
	return [...MAKERS, ...MORE].map((make, at) => make(new Draw(seed * 1_000 + at)));
}
