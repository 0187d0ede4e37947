const fastIntervalMs = 3000;
const slowIntervalMs = 20_000;
/** Fast polling starts this long before a publication. Longer than the slow interval, so that no start is missed. */
const fastPollingLeadMs = 60_000;

interface Publication {
  state: string;
  /** When it is due, if it is scheduled for a time. */
  time: string | undefined;
}

/** How long to wait before reading the post again: shorter while a publication is about to start, or runs. */
export function getPollIntervalMs(
  post: { accounts: readonly { publication: Publication | undefined }[] } | undefined,
  now: number,
): number {
  const isChanging = post?.accounts.some(({ publication }) => publication && isAboutToChange(publication, now));
  return isChanging ? fastIntervalMs : slowIntervalMs;
}

function isAboutToChange({ state, time }: Publication, now: number): boolean {
  if (state !== "scheduled") return state === "publishing";
  // Without a time, it starts at once.
  return time === undefined || Date.parse(time) - now < fastPollingLeadMs;
}
