import { requireText, toObjectList, toText } from "#connectors/call-api.ts";
import type { PlatformSetup } from "#connectors/connectors.ts";
import type { JsonObject } from "#connectors/platform.ts";
import { awaitProcessing, listMediaIds, type ProcessingStatus } from "#connectors/publishing/upload-files.ts";
import { StepFailure, orIfRejected, stillProcessingOutcome } from "#connectors/publishing/step-failure.ts";
import type {
  CallContext,
  CommitContext,
  ModuleProgress,
  LookUpContext,
  PrepareContext,
  PublishModule,
} from "#connectors/publishing/publish-module.ts";
import { excludeOtherPosts, toPublished, type RemotePost } from "#connectors/publishing/read-back.ts";
import { keyLifetimeMs } from "#dev/sandbox-api.ts";
import * as sandbox from "#dev/sandbox-publish.ts";
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
  return sandboxPlatformIds.map((id) => ({
    ...setup,
    publicFetch: wrapFetch(setup.publicFetch),
    platform: { ...setup.platform, id, name: id, publishing: modules[id] },
  }));
}

const parsePost = ({ id, url }: JsonObject): RemotePost => ({ id: requireText(id, "id"), url: toText(url) ?? null });

function post({ call }: CommitContext, path: string, json: JsonObject): Promise<RemotePost> {
  return call({ method: "POST", path, json }, parsePost);
}

const buildPost = (context: CallContext) => ({ text: context.content.text, mediaIds: listMediaIds(context) });

/** Atelier chooses the record's key (`commitKey`), so repeating the request cannot create a second post. */
const keyed: PublishModule = {
  ...sandbox,
  commit: async (context) => toPublished(await post(context, `/api/records/${context.commitKey}`, buildPost(context))),
  lookUp: async ({ elapsedMs }) =>
    elapsedMs < keyLifetimeMs - minutes(5)
      ? { kind: "repeatable", ifRejected: "unconfirmed" }
      : { kind: "undecidable" },
};

interface ContainerProgress extends ModuleProgress {
  containerId?: string;
}

type ContainerStatus = ProcessingStatus | { kind: "public"; post: RemotePost };

function readContainer({ call, progress }: CallContext<ContainerProgress>): Promise<ContainerStatus> {
  return call<ContainerStatus>({ method: "GET", path: `/api/containers/${progress.containerId}` }, (body) => {
    if (body["status"] === "IN_PROGRESS") return { kind: "in_progress" };
    return body["status"] === "FINISHED" ? { kind: "ready" } : { kind: "public", post: parsePost(body) };
  });
}

/** The platform processes a container, which can then be published once. Its status shows whether it was published. */
const container: PublishModule = {
  ...sandbox,
  canCheckCommit: ({ containerId }: ContainerProgress) => containerId !== undefined,
  async prepare(context: PrepareContext<ContainerProgress>) {
    await sandbox.prepare(context);
    const isNew = context.progress.containerId === undefined;
    if (isNew) {
      const json = buildPost(context);
      const containerId = await context.call({ method: "POST", path: "/api/containers", json }, ({ id }) =>
        requireText(id, "id"),
      );
      await context.save({ containerId });
    }
    const { kind } = await awaitProcessing(context, async (): Promise<ProcessingStatus> => {
      const status = await (isNew
        ? readContainer(context)
        : orIfRejected(readContainer(context), { kind: "expired" } as const));
      return status.kind === "public" ? { kind: "published" } : status;
    });
    if (kind === "published") return "already_committed";
    return kind === "ready" ? "prepared" : "expired";
  },
  async commit(context: CommitContext<ContainerProgress>) {
    const { containerId = "" } = context.progress;
    try {
      return toPublished(await post(context, "/api/publish", { containerId }));
    } catch (error) {
      // An earlier request, whose response was lost, may have published the container.
      const isRejected = error instanceof StepFailure && error.outcome.kind === "rejected";
      const status = isRejected ? await readContainer(context) : undefined;
      if (status?.kind === "public") return toPublished(status.post);
      throw error;
    }
  },
  async lookUp(context: LookUpContext<ContainerProgress>) {
    const status = await readContainer(context);
    if (status.kind === "public") return toPublished(status.post);
    return status.kind === "ready" ? { kind: "repeatable", ifRejected: "unconfirmed" } : stillProcessingOutcome;
  },
};

/** Sends no idempotency key. After a lost response, looks for the post among the account's posts. */
const readBack: PublishModule = {
  ...sandbox,
  commit: async (context) => toPublished(await post(context, "/api/posts", buildPost(context))),
  async lookUp(context) {
    const { call, content, committedAt } = context;
    const posts = await call({ method: "GET", path: "/api/posts" }, (body) =>
      toObjectList(body["posts"])
        .filter(
          ({ text, media, createdAt }) =>
            text === content.text &&
            toObjectList(media).length === content.assets.length &&
            Number(createdAt) >= committedAt - seconds(1),
        )
        .map(parsePost),
    );
    const [match] = await excludeOtherPosts(context, posts);
    // The sandbox lists a post at once, so tests need not wait as long as for a platform.
    return match ? toPublished(match) : { kind: "not_found", appearsWithinMs: seconds(3) };
  },
};

const modules: Record<SandboxPlatformId, PublishModule> = {
  sandbox,
  "sandbox-keyed": keyed,
  "sandbox-container": container,
  "sandbox-read-back": readBack,
};
