import type { SlotStore } from "#domain/ports/slots.ts";
import { deleteRows, selectRows, type Connection } from "./database.ts";
import { lockForCounting } from "./studios.ts";

export function createSlotStore({ q }: Connection): SlotStore {
  return {
    list: (studioId) =>
      selectRows(q, "slots", { studioId })
        .select(["connectionId", "weekday", "time"])
        .orderBy("connectionId")
        .orderBy("weekday")
        .orderBy("time")
        .execute(),
    async replace(studioId, slots) {
      await lockForCounting(q, studioId);
      await deleteRows(q, "slots", { studioId }).execute();
      if (slots.length === 0) return;
      const rows = slots.map((slot) => ({ ...slot, studioId }));
      await q.insertInto("slots").values(rows).execute();
    },
  };
}
