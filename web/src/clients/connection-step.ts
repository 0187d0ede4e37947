const minuteMs = 60_000;
const weekMs = 7 * 24 * 60 * minuteMs;

/** The times of an AI client. */
export interface ClientTimes {
  grantedAt: string;
  unusedTokenAt: string | null;
  lastUsedAt: string | null;
  revokedAt: string | null;
}

/** How far a client came, until its first call. A client needs seconds from one step to the next. */
export function findConnectionStep(
  client: ClientTimes,
  now: number,
): "" | "approved" | "noToken" | "token" | "unusedToken" {
  const sinceApproval = now - Date.parse(client.grantedAt);
  if (client.lastUsedAt !== null || client.revokedAt !== null || sinceApproval > weekMs) return "";
  if (client.unusedTokenAt === null) return sinceApproval < minuteMs ? "approved" : "noToken";
  return now - Date.parse(client.unusedTokenAt) < minuteMs ? "token" : "unusedToken";
}
