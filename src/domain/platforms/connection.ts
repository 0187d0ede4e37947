import { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import type { Deps } from "../deps.ts";
import type { PlatformInfo } from "./ports.ts";

/** The platform of this name, if it can be connected here. */
export function getConfiguredPlatform({ platforms }: Pick<Deps, "platforms">, id: string): PlatformInfo {
  const platformInfo = platforms.find(id);
  if (!platformInfo) {
    const supportedIds = platforms.list().map((platform) => platform.id);
    throw new AppError("platform_unsupported", { platforms: supportedIds });
  }
  if (platformInfo.isConfigured) return platformInfo;
  throw new AppError("platform_not_configured", { name: platformInfo.name, id: platformInfo.id });
}

export function getSettingsHint({ id, name }: Pick<PlatformInfo, "id" | "name">): string {
  const prefix = `PLATFORM_${id.toUpperCase()}_CLIENT`;
  return `The operator of this server has to register it at ${name} and set ${prefix}_ID and ${prefix}_SECRET (docs/platforms.md).`;
}

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
  instanceUrl: z
    .string()
    .nullable()
    .describe("The instance that the account is on, for platforms that have instances."),
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
