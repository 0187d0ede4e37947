import { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import { notFoundError } from "#lib/errors.ts";
import type { AccountChoices } from "#portable/post-options.ts";
import { isId } from "#lib/ids.ts";
import type { InstanceLimits } from "./platform-limits.ts";

/** `needs_reconnect`: the platform no longer accepts the credentials. */
export const connectionStates = ["connected", "needs_reconnect", "disconnected"] as const;
export type ConnectionState = (typeof connectionStates)[number];

/** The platform of an account and the origin of its platform instance (empty for platforms without instances). */
export interface PlatformTarget {
  platform: string;
  instance: string;
}

export interface Account {
  id: string;
  handle: string | null;
  name: string | null;
  avatarUrl: string | null;
  profileUrl: string | null;
}

/** A studio's account on a platform, as stored in the database. */
export interface PlatformConnection extends PlatformTarget {
  id: string;
  studioId: string;
  account: Account;
  state: ConnectionState;
  /** Sealed; null unless connected. */
  credential: string | null;
  /** Incremented with every change of the credential. */
  credentialGeneration: number;
  /** When the access token expires; null if it does not. */
  tokenExpiresAt: number | null;
  /** When the platform ends the access, because it does not renew the credential; null until that is near. */
  accessEndsAt: number | null;
  connectedBy: string | null;
  connectedAt: number;
  limits: InstanceLimits | null;
  /** What the account offers for some options; null before it was read. */
  choices: AccountChoices | null;
  choicesReadAt: number | null;
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
  health: z.enum(["ok", "expires_soon", "broken"]).describe("Unless ok, an owner or admin must connect it again."),
  expiresAt: z.string().optional().describe("When the platform ends the access, if health is expires_soon."),
  reason: z.string().optional().describe("Why it is broken."),
  choices: z
    .record(z.string(), z.array(z.object({ value: z.string(), label: z.string() })))
    .optional()
    .describe("What the account offers, by option."),
  affectedPublications: z
    .array(z.string())
    .optional()
    .describe("Ids of open publications that can't go out until it is connected again; at most 100."),
});

export type ConnectionView = z.infer<typeof connectionView>;

const brokenReasons = {
  needs_reconnect: "The platform no longer accepts the account's credentials.",
  disconnected: "The account was disconnected.",
} as const;

function describeHealth({
  state,
  accessEndsAt,
}: PlatformConnection): Pick<ConnectionView, "health" | "expiresAt" | "reason"> {
  if (state !== "connected") return { health: "broken", reason: brokenReasons[state] };
  return accessEndsAt === null ? { health: "ok" } : { health: "expires_soon", expiresAt: toIsoTime(accessEndsAt) };
}

export function toConnectionView(
  connection: PlatformConnection,
  affectedPublications: readonly string[] = [],
): ConnectionView {
  const { id, platform, instance, account, state, connectedAt } = connection;
  return {
    id,
    platform,
    instanceUrl: instance === "" ? null : instance,
    account: { id: account.id, handle: account.handle, name: account.name, profileUrl: account.profileUrl },
    state,
    connectedAt: toIsoTime(connectedAt),
    ...describeHealth(connection),
    ...(affectedPublications.length > 0 ? { affectedPublications: [...affectedPublications] } : {}),
  };
}

/** What we call the account: its handle, otherwise its name or id. */
export function getAccountLabel({ handle, name, id }: Pick<Account, "id" | "handle" | "name">): string {
  return handle ?? name ?? id;
}

/** A malformed id yields the same `not_found` error as an id of another studio. */
export function parseConnectionId(connectionId: string): string {
  if (!isId("platformConnection", connectionId)) throw notFoundError("platform_connection");
  return connectionId;
}
