import { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import { notFoundError } from "#lib/errors.ts";
import { listSlotTimes } from "#portable/slot-times.ts";
import type { Caller } from "../caller.ts";
import { recordActivity } from "../changes/record-activity.ts";
import { getAccountLabel, type PlatformConnection } from "../model/connection.ts";
import { maxSlotsPerStudio, type Slot, slotHorizonDays, slotHorizonMs } from "../model/slot.ts";
import { id } from "../model/text.ts";
import { authorize } from "../policy.ts";
import type { Deps, Tx } from "../ports/deps.ts";

const slot = z.strictObject({
  connectionId: id,
  weekday: z.int().min(1).max(7),
  time: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: "HH:MM" }),
});

const toKey = ({ connectionId, weekday, time }: Slot): string => `${connectionId} ${weekday} ${time}`;

export const setSlotsInput = z.strictObject({
  slots: z
    .array(slot)
    .max(maxSlotsPerStudio)
    .refine(
      (slots) => new Set(slots.map(toKey)).size === slots.length,
      "each account at most once per weekday and time",
    ),
});

export async function getSlots(deps: Pick<Deps, "slots">, caller: Caller): Promise<{ slots: Slot[] }> {
  authorize(caller, "slots.read");
  return { slots: await deps.slots.list(caller.studio.id) };
}

/** Replaces all slots of the studio. What is scheduled stays where it is. */
export async function setSlots(
  deps: Pick<Deps, "transact" | "newId" | "clock">,
  caller: Caller,
  { slots }: z.infer<typeof setSlotsInput>,
): Promise<{ slots: Slot[] }> {
  authorize(caller, "slots.update");
  const { studio } = caller;
  return deps.transact(caller, async (tx) => {
    const connections = await tx.platformStore.list(studio.id);
    const connectionIds = new Set(connections.map((connection) => connection.id));
    if (slots.some(({ connectionId }) => !connectionIds.has(connectionId))) throw notFoundError("platform_connection");
    await tx.slots.replace(studio.id, slots);
    await recordActivity(deps, tx, caller, "studio.updated", studio.id, { slots: slots.length });
    return { slots: await tx.slots.list(studio.id) };
  });
}

/** The account's slots that no open publication occupies, earliest first. */
export async function listFreeSlots(
  { clock }: Pick<Deps, "clock">,
  tx: Pick<Tx, "slots" | "studios" | "publications">,
  connection: Pick<PlatformConnection, "id" | "studioId">,
): Promise<number[]> {
  const now = clock();
  const studio = await tx.studios.find(connection.studioId);
  const slots = (await tx.slots.list(connection.studioId)).filter(({ connectionId }) => connectionId === connection.id);
  const occupied = new Set(await tx.publications.listOpenTimes(connection.id, now, now + slotHorizonMs));
  return listSlotTimes(slots, studio?.timezone ?? "UTC", { after: now, days: slotHorizonDays }).filter(
    (time) => !occupied.has(time),
  );
}

/** A slot of the calendar that a post can be scheduled for. */
export interface FreeSlot extends Pick<Slot, "connectionId"> {
  account: string;
  platform: string;
  at: string;
}

/** The free slots of all connected accounts in a range of time, earliest first. */
export async function listStudioFreeSlots(
  deps: Pick<Deps, "clock" | "slots" | "studios" | "publications" | "platformStore">,
  studioId: string,
  { from, to }: { from: number; to: number },
): Promise<FreeSlot[]> {
  const accountsWithSlots = new Set((await deps.slots.list(studioId)).map(({ connectionId }) => connectionId));
  if (accountsWithSlots.size === 0) return [];
  const freeSlots = [];
  for (const connection of await deps.platformStore.list(studioId)) {
    if (connection.state !== "connected" || !accountsWithSlots.has(connection.id)) continue;
    const { id: connectionId, account, platform } = connection;
    for (const at of await listFreeSlots(deps, deps, connection))
      if (at >= from && at <= to) freeSlots.push({ connectionId, account: getAccountLabel(account), platform, at });
  }
  return freeSlots.toSorted((a, b) => a.at - b.at).map((freeSlot) => ({ ...freeSlot, at: toIsoTime(freeSlot.at) }));
}
