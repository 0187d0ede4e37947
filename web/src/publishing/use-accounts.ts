import { useQuery } from "@tanstack/react-query";
import { openStates } from "../api/post-stage.ts";
import { platformsQuery, type Platform, type PlatformConnection, type Post, type Validation } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import type { TextRule } from "./measure-text.ts";
import type { AccountProblem } from "./ProblemList.tsx";
import { stateLabels } from "./publication-states.ts";

/** An account that a post can be published to. */
export interface Account {
  connectionId: string;
  label: string;
  /** The platform's id. */
  platform: string;
  platformName: string;
  /** Whether this server can publish to the platform. */
  isAvailable: boolean;
  /** Whether the account does not need reconnecting. */
  isConnected: boolean;
  /** How the platform counts; undefined if no limit is known or the account needs reconnecting. */
  textRule: TextRule | undefined;
  /** From the server's validation of the saved text. */
  problems: readonly AccountProblem[];
  /** Where the platform documents its rules; undefined if the account needs reconnecting. */
  rulesSource: Validation["source"] | undefined;
  /** Why the post can't be published there now; undefined if it can, or if `problems` contains the reason. */
  obstacle: string | undefined;
  /** Whether the post can be published there now. */
  canPublish: boolean;
  /** Whether a publication of the post to this account is planned or under way, so that no other one can start. */
  hasOpenPublication: boolean;
  /** When the post was last published there; undefined if it never was. */
  publishedAt: string | undefined;
}

/** The studio's accounts, except disconnected ones, with the problems of this post on each platform. */
export function useAccounts(post: Post): { accounts: readonly Account[]; isLoaded: boolean } {
  const { studio } = useStudio();
  const { data } = useQuery(platformsQuery(studio.id));
  if (!data) return { accounts: [], isLoaded: false };
  const accounts = data.connections
    .filter(({ state }) => state !== "disconnected")
    .map((connection): Account => {
      const validation = post.validation?.find(({ connectionId }) => connectionId === connection.id);
      const problems = validation?.problems ?? [];
      const platform = data.platforms.find(({ id }) => id === connection.platform);
      const isRejected = problems.some(({ level }) => level === "rejected");
      const obstacle =
        findObstacle(post, connection, platform) ?? (isRejected ? undefined : findMissingContent(post, connection));
      return {
        connectionId: connection.id,
        label: getAccountLabel(connection),
        platform: connection.platform,
        platformName: platform?.name ?? connection.platform,
        isAvailable: platform?.canPublish === true,
        isConnected: connection.state === "connected",
        textRule: validation?.text,
        problems,
        rulesSource: validation?.source,
        obstacle,
        canPublish: obstacle === undefined && !isRejected,
        hasOpenPublication: findOpenPublication(post, connection) !== undefined,
        publishedAt: findPublishedTime(post, connection.id),
      };
    });
  // Accounts that can be published to come first.
  const sortedAccounts = accounts.toSorted((a, b) => Number(b.isAvailable) - Number(a.isAvailable));
  return { accounts: sortedAccounts, isLoaded: true };
}

/** Whether no account is left to choose, because all that work have an open publication of the post. */
export function doAllHaveOpenPublications(accounts: readonly Account[]): boolean {
  const workingAccounts = accounts.filter(({ isAvailable, isConnected }) => isAvailable && isConnected);
  return workingAccounts.length > 0 && workingAccounts.every(({ hasOpenPublication }) => hasOpenPublication);
}

export const getAccountLabel = ({ account }: PlatformConnection): string =>
  account.handle ?? account.name ?? account.id;

const findOpenPublication = ({ publications }: Post, { id }: PlatformConnection) =>
  publications?.find(({ connectionId, state }) => connectionId === id && openStates.includes(state));

function findObstacle(post: Post, connection: PlatformConnection, platform: Platform | undefined): string | undefined {
  const { state, platform: platformId } = connection;
  if (platform?.canPublish !== true) return `Publishing to ${platform?.name ?? platformId} is not available yet.`;
  if (state !== "connected") return "Needs reconnecting on the Platforms page.";
  const openPublication = findOpenPublication(post, connection);
  return openPublication && `${stateLabels[openPublication.state]} already.`;
}

/** The server rejects a publication without text and files for every platform, so the validation does not list it. */
function findMissingContent({ body, variants, assets }: Post, { id }: PlatformConnection): string | undefined {
  const text = variants.find(({ connectionId }) => connectionId === id)?.body ?? body;
  return text.trim() === "" && assets.length === 0 ? "Write some text or add a file first." : undefined;
}

const findPublishedTime = ({ publications = [] }: Post, id: string): string | undefined =>
  publications.find(({ connectionId, publishedAt }) => connectionId === id && publishedAt !== null)?.publishedAt ??
  undefined;
