import { toObject, toObjectList, requireText, toText } from "#connectors/call-api.ts";
import type { PlatformSetup } from "#connectors/connectors.ts";
import type { Publishing, PublishContext } from "#connectors/publishing.ts";
import { createSandboxSetup } from "#dev/sandbox-setup.ts";
import { seconds } from "#lib/clock.ts";
import type { PublicFetch } from "#lib/public-fetch.ts";

/** Platforms that use the sandbox's API, each with another way to find out what came of a lost response. */
export const variants = ["sandbox", "sandbox-record", "sandbox-container", "sandbox-read-back"] as const;
export type Variant = (typeof variants)[number];

export interface VariantOptions {
  /** The base URL of the service that runs the sandbox. */
  base: string;
  wrapFetch?: (fetch: PublicFetch) => PublicFetch;
}

/** The setups of all variants. They can't be connected: tests rename a connection of the sandbox. */
export function createSandboxVariants({ base, wrapFetch = (fetch) => fetch }: VariantOptions): PlatformSetup[] {
  const setup = createSandboxSetup({
    origin: `${base}/sandbox`,
    app: { clientId: "atelier", clientSecret: "not used" },
  });
  const { publishing } = setup.platform;
  if (!publishing) throw new Error("the sandbox can't publish");
  const publishingByVariant: Record<Variant, Publishing> = {
    sandbox: publishing,
    "sandbox-record": createRecordPublishing(publishing),
    "sandbox-container": createContainerPublishing(publishing),
    "sandbox-read-back": createReadBackPublishing(publishing),
  };
  return variants.map((id) => ({
    ...setup,
    publicFetch: wrapFetch(setup.publicFetch),
    platform: { ...setup.platform, id, name: id, publishing: publishingByVariant[id] },
  }));
}

const buildPost = ({ content, progress }: PublishContext) => ({
  text: content.text,
  mediaIds: content.assets.map(({ id }) => progress.mediaIds[id] ?? ""),
});

/** The client chooses the record's key. */
const createRecordPublishing = (publishing: Publishing): Publishing => ({
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
});

/** A container is processed, then published once. */
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

/** Ignores idempotency keys; the account's posts can be read. */
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
  },
});
