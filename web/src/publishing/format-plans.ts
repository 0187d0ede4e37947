import { formatTime } from "../ui/format-time.ts";

interface Plan {
  account: string;
  scheduledFor: string | null;
}

/** Account and time of each publication, for a sentence: "harbour, Mon 23 Nov, 09:00; quay, Tue 24 Nov, 09:00". */
export const formatPlans = (plans: readonly Plan[], timezone: string): string =>
  plans
    .map(({ account, scheduledFor }) =>
      scheduledFor === null ? account : `${account}, ${formatTime(scheduledFor, timezone)}`,
    )
    .join("; ");
