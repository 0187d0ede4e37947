import { z } from "zod";
import type { Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { notFoundError } from "#lib/errors.ts";
import type { AccountChoices } from "#portable/post-options.ts";
import { connectionView, parseConnectionId, type PlatformConnection, toConnectionView } from "../model/connection.ts";
import { type ChoiceDeps, readAccountChoices } from "../steps/account-choices.ts";
import { getSettingsHint } from "../steps/configured-platform.ts";
import type { PlatformInfo } from "../model/platform.ts";
import { findMediaWarning } from "../model/validation/media-reachability.ts";

export const listPlatformsInput = z.strictObject({
  includeOptions: z.boolean().optional().describe("Return what posts may set in the options of a variant."),
});

export const listPlatformsOutput = z.object({
  platforms: z
    .array(
      z.object({
        id: z.string().describe("The platform's id, used to connect an account."),
        name: z.string(),
        configured: z.boolean().describe("Whether accounts can be connected on this server."),
        needsInstanceUrl: z.boolean(),
        canPublish: z.boolean().describe("Whether this server can publish posts to the platform."),
        defaultInstanceUrl: z.string().optional(),
        hint: z.string().optional().describe("What the operator must do before accounts can be connected."),
        warning: z.string().optional().describe("What can't be published to the platform from this server, and why."),
        notice: z.string().optional().describe("What the platform allows an app that it has not reviewed."),
        unreachableMedia: z
          .enum(["all", "images", "videos"])
          .optional()
          .describe("Which media the platform would fetch from this server, but can't."),
        canReply: z.boolean().describe("Whether posts can have follow-ups there."),
        options: z.array(z.looseObject({ name: z.string() })).optional(),
      }),
    )
    .describe("All platforms that this server supports."),
  connections: z.array(connectionView).describe("The studio's accounts, newest first, including disconnected ones."),
});

/** Lists the supported platforms and the studio's connections, with options as the accounts offer them now. */
export async function listCurrentPlatforms(
  deps: Parameters<typeof listPlatforms>[0] & ChoiceDeps,
  caller: Caller,
  input: z.infer<typeof listPlatformsInput>,
): Promise<z.infer<typeof listPlatformsOutput>> {
  authorize(caller, "platforms.read");
  const connections = input.includeOptions ? await deps.platformStore.listConnected(caller.studio.id) : [];
  await Promise.all(connections.map((connection) => readAccountChoices(deps, connection)));
  return listPlatforms(deps, caller, input);
}

/** Returns what an account offers now for the options whose values depend on it. */
export async function readChoices(
  deps: ChoiceDeps,
  caller: Caller,
  input: { connectionId: string },
): Promise<{ choices: AccountChoices }> {
  authorize(caller, "platforms.read");
  const connection = await deps.platformStore.find(caller.studio.id, parseConnectionId(input.connectionId));
  if (!connection) throw notFoundError("platform_connection");
  return { choices: (await readAccountChoices(deps, connection)) ?? {} };
}

/** Lists the supported platforms and the studio's connections, with what was last read of the accounts. */
export async function listPlatforms(
  deps: Pick<Deps, "platforms" | "platformStore" | "publications" | "baseUrl">,
  caller: Caller,
  { includeOptions = false }: z.infer<typeof listPlatformsInput> = {},
): Promise<z.infer<typeof listPlatformsOutput>> {
  authorize(caller, "platforms.read");
  const connections = await deps.platformStore.list(caller.studio.id);
  const toPlatformView = (platformInfo: PlatformInfo) => {
    const warning = findMediaWarning(deps.baseUrl, platformInfo);
    return {
      id: platformInfo.id,
      name: platformInfo.name,
      configured: platformInfo.isConfigured,
      canPublish: platformInfo.canPublish,
      canReply: platformInfo.canReply,
      needsInstanceUrl: platformInfo.hasInstances && platformInfo.defaultInstance === undefined,
      ...(platformInfo.defaultInstance === undefined ? {} : { defaultInstanceUrl: platformInfo.defaultInstance }),
      ...(platformInfo.isConfigured ? {} : { hint: getSettingsHint(platformInfo) }),
      ...(warning === undefined ? {} : { warning, unreachableMedia: platformInfo.fetchedMedia }),
      ...(platformInfo.notice === undefined ? {} : { notice: platformInfo.notice }),
      ...(includeOptions ? { options: platformInfo.options.map((option) => ({ ...option })) } : {}),
    };
  };
  return {
    platforms: deps.platforms.list().map(toPlatformView),
    connections: await Promise.all(
      connections.map(async (connection) => ({
        ...toConnectionView(connection, await listAffected(deps, connection)),
        ...(includeOptions && connection.choices ? { choices: connection.choices } : {}),
      })),
    ),
  };
}

const maxAffected = 100;

/** The ids of open publications that can't go out until the account is connected again. */
async function listAffected(
  { publications }: Pick<Deps, "publications">,
  { id, state, accessEndsAt }: PlatformConnection,
): Promise<string[]> {
  if (state === "connected" && accessEndsAt === null) return [];
  const openPublications = await publications.listByConnection(id, ["proposed", "scheduled"], maxAffected);
  return openPublications
    .filter(({ scheduledFor }) => state !== "connected" || (scheduledFor ?? 0) >= (accessEndsAt ?? 0))
    .map((publication) => publication.id);
}
