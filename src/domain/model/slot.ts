import { days } from "#lib/clock.ts";
import type { SlotTime } from "#portable/slot-times.ts";

/** A weekly time at which an account publishes. */
export interface Slot extends SlotTime {
  connectionId: string;
}

export const maxSlotsPerStudio = 500;
/** A slot is free or not only in the next 60 days. */
export const slotHorizonDays = 60;
export const slotHorizonMs = days(slotHorizonDays);
