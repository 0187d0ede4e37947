import type { Slot } from "../model/slot.ts";

export interface SlotStore {
  /** By account, weekday and time. */
  list(studioId: string): Promise<Slot[]>;
  /** Replaces all slots of the studio. Parallel calls wait for each other until their transactions end. */
  replace(studioId: string, slots: readonly Slot[]): Promise<void>;
}
