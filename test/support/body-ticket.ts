// A ticket for a body that is read without a service, for tests of reading.
import { type BodyTicket, BodyTickets } from "../../src/http/body-tickets.ts";

/** A ticket that nobody else's body can be in the way of. */
export function anyTicket(): BodyTicket {
	const ticket = new BodyTickets().take("anybody", 0, Date.now());
	if (!ticket.ok) throw new Error("the first ticket was refused");
	return ticket.value;
}
