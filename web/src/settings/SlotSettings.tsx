import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useState } from "react";
import { setSlots } from "../api/mutations.ts";
import { slotsQuery, type Slot } from "../api/planning-queries.ts";
import { platformsQuery } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { formatAccount } from "../platforms/format-account.ts";
import { getPlatformName } from "../platforms/platform-name.ts";
import { getAccountLabel } from "../publishing/use-accounts.ts";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { SelectField, TextField } from "../ui/Field.tsx";
import { Section } from "../ui/Section.tsx";
import { useAction } from "../ui/use-action.ts";

const weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

const isSame = (a: Slot, b: Slot): boolean =>
  a.connectionId === b.connectionId && a.weekday === b.weekday && a.time === b.time;

/** The weekly posting times of each account. Every change is saved at once. */
export function SlotSettings() {
  const { studio } = useStudio();
  const { data: saved } = useQuery(slotsQuery(studio.id));
  const { data: platforms } = useQuery(platformsQuery(studio.id));
  const accounts = platforms?.connections.filter(({ state }) => state !== "disconnected") ?? [];
  const [connectionId = accounts[0]?.id ?? "", setConnectionId] = useState<string>();
  const [weekday, setWeekday] = useState(1);
  const [time, setTime] = useState("09:00");
  const { isRunning, error, run } = useAction();
  if (!saved || !platforms) return null;
  const { slots } = saved;
  const save = (changed: Slot[]): void => void run(() => setSlots({ studioId: studio.id }, { slots: changed }));
  const newSlot = { connectionId, weekday, time };
  const isKnown = slots.some((slot) => isSame(slot, newSlot));

  return (
    <Section title="Slots">
      <p className="mt-0 mb-4 max-w-[38rem] text-muted">
        Weekly times at which each account publishes, in {studio.timezone}. Schedule a post at the next free slot
        instead of picking a time. Changes here move nothing that is scheduled.
      </p>
      {accounts.length === 0 && <p>Connect an account on the Platforms page first.</p>}
      {accounts.map((account) => (
        <div key={account.id} className="not-first:mt-4">
          <h3>{formatAccount(getAccountLabel(account), getPlatformName(account.platform))}</h3>
          <ul className="mt-2 flex flex-wrap gap-2 empty:hidden">
            {slots
              .filter((slot) => slot.connectionId === account.id)
              .map((slot) => {
                const label = `${weekdays[slot.weekday - 1]} ${slot.time}`;
                return (
                  <li key={label}>
                    <Button
                      variant="secondary"
                      size="small"
                      icon={X}
                      disabled={isRunning}
                      aria-label={`Remove ${label}`}
                      onClick={() => save(slots.filter((other) => !isSame(other, slot)))}
                    >
                      {label}
                    </Button>
                  </li>
                );
              })}
          </ul>
        </div>
      ))}
      {accounts.length > 0 && (
        <form
          className="mt-5 max-w-[30rem]"
          onSubmit={(event) => {
            event.preventDefault();
            save([...slots, newSlot]);
          }}
        >
          <SelectField
            label="Account"
            value={connectionId}
            onChange={({ target }) => setConnectionId(target.value)}
            options={accounts.map((account) => [account.id, getAccountLabel(account)])}
          />
          <SelectField
            label="Weekday"
            value={String(weekday)}
            onChange={({ target }) => setWeekday(Number(target.value))}
            options={weekdays.map((name, i) => [String(i + 1), name])}
          />
          <TextField label="Time" type="time" value={time} onChange={({ target }) => setTime(target.value)} required />
          {error !== undefined && <ErrorMessage error={error} />}
          <p className="mt-4">
            <Button type="submit" disabled={isKnown} busyLabel={isRunning && "Saving…"}>
              Add slot
            </Button>
          </p>
        </form>
      )}
    </Section>
  );
}
