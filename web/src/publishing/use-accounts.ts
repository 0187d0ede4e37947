import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { selectForAccount } from "#portable/select-for-account.ts";
import { openStates } from "../api/post-stage.ts";
import {
  platformsQuery,
  type Platform,
  type PlatformConnection,
  type PlatformList,
  type Post,
  type Validation,
} from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { describeFileChoice } from "./describe-file-choice.ts";
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
  /** Which of the post's files the account gets, such as "4 of 10 files"; undefined if it gets all of them. */
  fileChoice: string | undefined;
  /** Whether a publication of the post to this account is planned or under way, so that no other one can start. */
  hasOpenPublication: boolean;
  /** When the post was last published there; undefined if it never was. */
  publishedAt: string | undefined;
}

export type AccountsQuery = UseQueryResult<PlatformList>;

/** The studio's accounts, except disconnected ones, with the problems of this post on each platform. */
export function useAccounts(post: Post): { accounts: readonly Account[]; query: AccountsQuery } {
  const { studio } = useStudio();
  const query = useQuery(platformsQuery(studio.id));
  const { data } = query;
  if (!data) return { accounts: [], query };
  const accounts = data.connections
    .filter(({ state }) => state !== "disconnected")
    .map((connection): Account => {
      const validation = post.validation?.find(({ connectionId }) => connectionId === connection.id);
      const hasOpenPublication = findOpenPublication(post, connection) !== undefined;
      // What a new post lacks is the next step, not a problem.
      const missingContent =
        hasOpenPublication || hasContent(post, connection.id) ? [] : listMissingContent(validation);
      const problems = validation?.problems.filter((problem) => !missingContent.includes(problem)) ?? [];
      const platform = data.platforms.find(({ id }) => id === connection.platform);
      const isRejected = problems.some(({ level }) => level === "rejected");
      const obstacle =
        findObstacle(post, connection, platform) ??
        (isRejected ? undefined : describeMissingContent(post, connection, missingContent));
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
        fileChoice: findFileChoice(post, connection),
        hasOpenPublication,
        publishedAt: findPublishedTime(post, connection.id),
      };
    });
  // Accounts that can be published to come first.
  const sortedAccounts = accounts.toSorted((a, b) => Number(b.isAvailable) - Number(a.isAvailable));
  return { accounts: sortedAccounts, query };
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

/** Whether the account would get any text or files. */
export function hasContent(post: Post, connectionId: string): boolean {
  const { body, assets } = selectForAccount(post, connectionId);
  return body.trim() !== "" || assets.length > 0;
}

/** The problems with text or files that the post does not have. */
const listMissingContent = (validation: Validation | undefined): AccountProblem[] =>
  validation?.problems.filter(({ code }) => code.endsWith("_missing")) ?? [];

/** The server rejects a publication without text and files for every platform, so the validation does not list it. */
function describeMissingContent(
  post: Post,
  { id }: PlatformConnection,
  missingContent: readonly AccountProblem[],
): string | undefined {
  if (hasContent(post, id)) return undefined;
  if (missingContent.length > 0) return missingContent.map(({ message }) => message).join(" ");
  return `Write some text or ${post.assets.length === 0 ? "add" : "choose"} a file first.`;
}

function findFileChoice(post: Post, { id }: PlatformConnection): string | undefined {
  const { assets } = selectForAccount(post, id);
  return assets.length === post.assets.length ? undefined : describeFileChoice(assets.length, post.assets.length);
}

const findPublishedTime = ({ publications = [] }: Post, id: string): string | undefined =>
  publications.find(({ connectionId, publishedAt }) => connectionId === id && publishedAt !== null)?.publishedAt ??
  undefined;
