import { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import { notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";

/** `needs_reconnect`: the platform does not honour the credentials any more. */
export const connectionStates = ["connected", "needs_reconnect", "disconnected"] as const;
export type ConnectionState = (typeof connectionStates)[number];

/** Where an account is: the platform, and the origin of its instance (empty where there is only one). */
export interface PlatformTarget {
  platform: string;
  instance: string;
}

export interface Account {
  id: string;
  handle: string | null;
  name: string | null;
  pictureUrl: string | null;
  profileUrl: string | null;
}

/** An account of a studio on a platform, as the database keeps it. */
export interface PlatformConnection extends PlatformTarget {
  id: string;
  studioId: string;
  account: Account;
  state: ConnectionState;
  /** Sealed; null unless connected. */
  credential: string | null;
  generation: number;
  expiresAt: number | null;
  connectedBy: string | null;
  connectedAt: number;
}

export const connectionView = z.object({
  id: z.string(),
  platform: z.string(),
  instanceUrl: z.string().nullable().describe("Where the account lives, on platforms that have many instances."),
  account: z.object({
    id: z.string(),
    handle: z.string().nullable(),
    name: z.string().nullable(),
    profileUrl: z.string().nullable(),
  }),
  state: z
    .enum(connectionStates)
    .describe(
      "connected: ready. needs_reconnect: an owner or admin must connect it again. disconnected: its credentials were deleted.",
    ),
  connectedAt: z.string(),
});

export type ConnectionView = z.infer<typeof connectionView>;

export function toConnectionView({
  id,
  platform,
  instance,
  account,
  state,
  connectedAt,
}: PlatformConnection): ConnectionView {
  return {
    id,
    platform,
    instanceUrl: instance === "" ? null : instance,
    account: { id: account.id, handle: account.handle, name: account.name, profileUrl: account.profileUrl },
    state,
    connectedAt: toIsoTime(connectedAt),
  };
}

/** The account as people know it. */
export function getAccountLabel({ handle, name, id }: Account): string {
  return handle ?? name ?? id;
}

/** An id that cannot be one of ours does not exist, here as in any other studio. */
export function parseConnectionId(connectionId: string): string {
  if (!isId("platformConnection", connectionId)) throw notFoundError("platform_connection");
  return connectionId;
}
