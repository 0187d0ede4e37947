import { toObject, toObjectList, requireText, toText } from "#connectors/call-api.ts";
import type { PlatformSetup } from "#connectors/connectors.ts";
import type { Publishing, PublishContext } from "#connectors/publishing.ts";
import { keyLifetimeMs } from "#dev/sandbox-api.ts";
import { createSandboxSetup } from "#dev/sandbox-setup.ts";
import { minutes, seconds } from "#lib/clock.ts";
import type { PublicFetch } from "#lib/public-fetch.ts";

/** Platforms that use the sandbox's API. Each has a different way to reconcile a commit whose response was lost. */
export const sandboxPlatformIds = ["sandbox", "sandbox-keyed", "sandbox-container", "sandbox-read-back"] as const;
export type SandboxPlatformId = (typeof sandboxPlatformIds)[number];

export interface SandboxPlatformOptions {
  /** The base URL of the service that runs the sandbox. */
  base: string;
  wrapFetch?: (fetch: PublicFetch) => PublicFetch;
}

/**
 * The setups of all sandbox platforms. No account can be connected to the additional ones in the web app; tests add
 * connections with the credentials of a sandbox account (`addConnections`).
 */
export function createSandboxPlatforms({
  base,
  wrapFetch = (fetch) => fetch,
}: SandboxPlatformOptions): PlatformSetup[] {
  const setup = createSandboxSetup({
    origin: `${base}/sandbox`,
    app: { clientId: "atelier", clientSecret: "not used" },
  });
  const { publishing } = setup.platform;
  if (!publishing) throw new Error("the sandbox can't publish");
  const publishingById: Record<SandboxPlatformId, Publishing> = {
    sandbox: publishing,
    "sandbox-keyed": createKeyedPublishing(publishing),
    "sandbox-container": createContainerPublishing(publishing),
    "sandbox-read-back": createReadBackPublishing(publishing),
  };
  return sandboxPlatformIds.map((id) => ({
    ...setup,
    publicFetch: wrapFetch(setup.publicFetch),
    platform: { ...setup.platform, id, name: id, publishing: publishingById[id] },
  }));
}

const buildPost = ({ content, progress }: PublishContext) => ({
  text: content.text,
  mediaIds: content.assets.map(({ id }) => progress.mediaIds[id] ?? ""),
});

/** Atelier chooses the record's key (`commitKey`), so repeating the request cannot create a second post. */
const createKeyedPublishing = (publishing: Publishing): Publishing => ({
  ...publishing,
  commit: {
    ...publishing.commit,
    buildCall: (context) => ({
      method: "POST",
      url: `${context.endpoints.api}/api/records/${context.commitKey}`,
      bearer: context.accessToken,
      json: buildPost(context),
    }),
  },
  reconcile: { repeatWithinMs: keyLifetimeMs - minutes(5) },
});

/** The platform processes a container, which can then be published once. Its status shows whether it was published. */
const createContainerPublishing = (publishing: Publishing): Publishing => ({
  ...publishing,
  container: {
    buildCall: (context) => ({
      method: "POST",
      url: `${context.endpoints.api}/api/containers`,
      bearer: context.accessToken,
      json: buildPost(context),
    }),
    parseId: (body) => requireText(body["id"], "id"),
    buildStatusCall: ({ accessToken, endpoints, progress }) => ({
      method: "GET",
      url: `${endpoints.api}/api/containers/${progress.containerId}`,
      bearer: accessToken,
    }),
    parseStatus: (body) => {
      if (body["status"] === "IN_PROGRESS") return "in_progress";
      if (body["status"] === "FINISHED") return "ready";
      return { id: requireText(body["id"], "id"), url: toText(body["url"]) ?? null };
    },
  },
  commit: {
    ...publishing.commit,
    buildCall: ({ accessToken, endpoints, progress }) => ({
      method: "POST",
      url: `${endpoints.api}/api/publish`,
      bearer: accessToken,
      json: { containerId: progress.containerId ?? "" },
    }),
  },
  reconcile: "container",
});

/** Sends no idempotency key. After a lost response, looks for the post among the account's posts. */
const createReadBackPublishing = (publishing: Publishing): Publishing => ({
  ...publishing,
  commit: {
    ...publishing.commit,
    buildCall: (context) => ({
      method: "POST",
      url: `${context.endpoints.api}/api/posts`,
      bearer: context.accessToken,
      json: buildPost(context),
    }),
  },
  reconcile: {
    buildCall: ({ accessToken, endpoints }) => ({
      method: "GET",
      url: `${endpoints.api}/api/posts`,
      bearer: accessToken,
    }),
    findPosts: (body, { content, committedAt = 0 }) =>
      toObjectList(body["posts"])
        .filter(
          ({ text, media, createdAt }) =>
            text === content.text &&
            toObjectList(media).length === content.assets.length &&
            Number(createdAt) >= committedAt - seconds(1),
        )
        .map((post) => ({ id: requireText(post["id"], "id"), url: toText(toObject(post)["url"]) ?? null })),
    // The sandbox lists a post at once, so tests need not wait as long as for a platform.
    getAppearanceDelayMs: () => seconds(3),
  },
});
