import { sha256 } from "#lib/digest.ts";
import { readContent } from "../changes/read-content.ts";
import type { Asset } from "../model/asset.ts";
import { hasTitle } from "../model/platform-limits.ts";
import type { PlatformConnection } from "../model/connection.ts";
import type { Post } from "../model/post.ts";
import { digestContent, type PublicationContent } from "../model/publication-content.ts";
import { openStates } from "../model/publication-states.ts";
import type { CoveredAccount } from "../model/review.ts";
import type { Deps, Stores } from "../ports/deps.ts";

/** What one account would receive. */
export interface ReviewedAccount extends CoveredAccount {
  /** Undefined if the studio has no account: the post as such is reviewed. */
  connection: PlatformConnection | undefined;
  content: PublicationContent;
  scheduledFor: number | null;
}

export interface ReviewedContent {
  accounts: ReviewedAccount[];
  /** Identifies the accounts and what each of them would receive, but not when. */
  digest: string;
}

/**
 * What a guest sees of a post: the accounts with an open publication or a variant, otherwise all connected ones, and what
 * each would receive.
 */
export async function readReviewedContent(
  { platforms }: Pick<Deps, "platforms">,
  stores: Pick<Stores, "platformStore" | "publications">,
  post: Post,
  assets: readonly Asset[],
): Promise<ReviewedContent> {
  const accounts: ReviewedAccount[] = [];
  for (const { connection, scheduledFor } of await selectAccounts(stores, post)) {
    const limits = connection && platforms.find(connection.platform)?.limits;
    const target = {
      connectionId: connection?.id ?? "",
      // Without an account, the title is part of what is reviewed.
      includesTitle: !connection || (limits !== undefined && hasTitle(limits)),
    };
    const content = await readContent(stores, { ...target, studioId: post.studioId }, post, assets);
    accounts.push({ ...target, connection, content, scheduledFor, digest: digestContent(content) });
  }
  const digest = sha256(JSON.stringify(accounts.map(toCoveredAccount)));
  return { accounts, digest };
}

export const toCoveredAccount = ({ connectionId, includesTitle, digest }: CoveredAccount): CoveredAccount => ({
  connectionId,
  includesTitle,
  digest,
});

async function selectAccounts(
  { platformStore, publications }: Pick<Stores, "platformStore" | "publications">,
  post: Post,
): Promise<{ connection: PlatformConnection | undefined; scheduledFor: number | null }[]> {
  const connections = (await platformStore.list(post.studioId))
    .filter(({ state }) => state !== "disconnected")
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const openPublications = await publications.listByPost(post.id, openStates);
  const times = new Map(openPublications.map(({ connectionId, scheduledFor }) => [connectionId, scheduledFor]));
  const chosenIds = new Set([...times.keys(), ...post.variants.map(({ connectionId }) => connectionId)]);
  const chosen = connections.filter(({ id }) => chosenIds.has(id));
  const shown = chosen.length > 0 ? chosen : connections.filter(({ state }) => state === "connected");
  const accounts = shown.map((connection) => ({ connection, scheduledFor: times.get(connection.id) ?? null }));
  return accounts.length > 0 ? accounts : [{ connection: undefined, scheduledFor: null }];
}
