// The one alarm of an object: the earliest of its deadlines, also over a wake-up.
import { expect, it } from "vitest";
import { Outbox } from "../../../src/durable/outbox.edge.ts";

/** An object whose alarm is set at a time; null: none. */
function objectWithAlarm(atMs: number | null) {
	const set: number[] = [];
	const storage = {
		getAlarm: async () => atMs,
		setAlarm: async (at: number) => {
			set.push(at);
		},
	};
	const state = { storage, waitUntil: () => undefined } as unknown as DurableObjectState;
	return { set, outbox: new Outbox(state, { failureEvent: "not_written", writeRound: async () => false }) };
}

it("takes the earlier of two deadlines, and no later one", () => {
	const { set, outbox } = objectWithAlarm(null);
	for (const atMs of [500, 900, 300, 300]) outbox.arm(atMs);
	expect(set).toEqual([500, 300]);
});

it("sets any deadline once its alarm has fired", () => {
	const { set, outbox } = objectWithAlarm(null);
	outbox.arm(500);
	outbox.alarmFired();
	outbox.arm(900);
	expect(set).toEqual([500, 900]);
});

it("keeps the earlier alarm that an object had before it woke", async () => {
	const { set, outbox } = objectWithAlarm(500);
	await outbox.learnAlarm();
	for (const atMs of [900, 500, 400]) outbox.arm(atMs);
	expect(set).toEqual([400]);
});

it("sets a deadline where the object had no alarm", async () => {
	const { set, outbox } = objectWithAlarm(null);
	await outbox.learnAlarm();
	outbox.arm(900);
	expect(set).toEqual([900]);
});
