import type { PlatformApp, Platforms } from "#domain/ports/platforms.ts";
import type { PlatformInfo } from "#domain/model/platform.ts";
import { isPublicUrl } from "#domain/model/validation/media-reachability.ts";
import type { Log } from "#lib/log.ts";
import type { PublicFetch } from "#lib/public-fetch.ts";
import { createAtprotoConnector, type AtprotoSetup } from "./atproto/connector.ts";
import { createOAuthConnector } from "./oauth-connector.ts";
import type { OAuthPlatform } from "./platform.ts";

/** A platform, and this server's credentials for it. */
export interface OAuthSetup {
  platform: OAuthPlatform;
  /** The credentials from the settings. Undefined if there are none, or if the server registers with each instance. */
  app?: PlatformApp | undefined;
  publicFetch: PublicFetch;
}

export type PlatformSetup = OAuthSetup | AtprotoSetup;

/** How accounts of one platform are connected. */
export type Connector = Omit<Platforms, "list" | "find">;

export function createPlatforms(base: string, setups: readonly PlatformSetup[], log?: Log): Platforms {
  const infoById = new Map(setups.map((setup) => [setup.platform.id, toPlatformInfo(setup, base)]));
  const connectorById = new Map(
    setups.map((setup) => [
      setup.platform.id,
      isAtproto(setup) ? createAtprotoConnector(base, setup) : createOAuthConnector(base, setup, log),
    ]),
  );

  function getConnector(id: string): Connector {
    const connector = connectorById.get(id);
    if (!connector) throw new Error(`unknown platform ${id}`);
    return connector;
  }

  return {
    list: () => [...infoById.values()],
    find: (id) => infoById.get(id),
    getRedirectUri: (target) => getConnector(target.platform).getRedirectUri(target),
    registerApp: async (target) => getConnector(target.platform).registerApp(target),
    startAuthorization: async (target, app) => getConnector(target.platform).startAuthorization(target, app),
    finishAuthorization: async (target, app, callback, pending) =>
      getConnector(target.platform).finishAuthorization(target, app, callback, pending),
    renew: async (target, app, tokens) => getConnector(target.platform).renew(target, app, tokens),
    revoke: async (target, app, tokens) => getConnector(target.platform).revoke(target, app, tokens),
  };
}

const isAtproto = (setup: PlatformSetup): setup is AtprotoSetup => setup.platform.protocol === "atproto";

function toPlatformInfo(setup: PlatformSetup, base: string): PlatformInfo {
  const { id, name, limits, options = [], notice, publishing } = setup.platform;
  const fetchedMedia = publishing?.fetchedMedia;
  const info = {
    id,
    name,
    canPublish: publishing !== undefined,
    canReply: publishing?.canReply ?? false,
    fetchedMedia,
    limits,
    options,
    notice,
  };
  if (isAtproto(setup))
    return { ...info, hasInstances: true, defaultInstance: setup.platform.defaultInstance, isConfigured: true };
  const { platform, app } = setup;
  return {
    ...info,
    hasInstances: typeof platform.endpoints === "function",
    isConfigured: app !== undefined || platform.appRegistration !== undefined,
    unreachableMedia: canFetchFromServer(platform, base) ? undefined : fetchedMedia,
  };
}

/**
 * A platform whose API is in a private network, such as a stand-in, can fetch from a server in the same network. Those
 * with instances are sent the files.
 */
const canFetchFromServer = ({ endpoints }: OAuthPlatform, base: string): boolean =>
  isPublicUrl(base) || typeof endpoints === "function" || !isPublicUrl(endpoints.api);
