import { Link } from "@tanstack/react-router";
import type { Publication } from "../api/publication-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import type { NextAction } from "../posts/next-action.ts";
import type { EditorController } from "../posts/use-editor.ts";
import { cardListClasses, List } from "../ui/List.tsx";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { AccountList } from "./AccountList.tsx";
import { isWaiting } from "./find-blocking-problem.ts";
import { NoAccounts } from "./NoAccounts.tsx";
import { IntendedTime } from "./IntendedTime.tsx";
import { PostPublication } from "./PostPublication.tsx";
import { PublishButtons, type PublishMode } from "./PublishButtons.tsx";
import { repeatableStates } from "./publication-states.ts";
import { doAllHaveOpenPublications, type Account, type AccountsQuery } from "./use-accounts.ts";
import { isOwnSentBack } from "./sent-back.ts";

/** The most publications on the post page; the Publications page shows all. */
const maxPublications = 6;

/** The accounts that the post can be published to, and its publications. */
export function PostPublishing({
  editor,
  isDeleted,
  accounts,
  accountsQuery,
  nextAction,
  intendedTime,
  onClearIntendedTime,
  onPublish,
  onOpenAccount,
}: {
  editor: EditorController;
  /** Whether the post is in the trash. */
  isDeleted: boolean;
  accounts: readonly Account[];
  accountsQuery: AccountsQuery;
  /** The next action for the post, which has its own button at the top of the page. */
  nextAction: NextAction | undefined;
  /** In the studio's time zone: `2026-11-15T09:30`. */
  intendedTime: string | undefined;
  onClearIntendedTime: () => void;
  /** Without ids, the user chooses the accounts in the dialog. */
  onPublish: (mode: PublishMode, connectionIds?: readonly string[]) => void;
  onOpenAccount: (connectionId: string) => void;
}) {
  const { studio, me, may } = useStudio();
  const { status, id: postId, publications = [] } = editor.post;
  const isArchived = status === "archived";
  const hasAccounts = accounts.length > 0;
  // The list is sorted, newest first.
  const findNewest = ({ connectionId }: Publication): Publication | undefined =>
    publications.find((other) => other.connectionId === connectionId);
  const shownPublications = publications
    .filter((publication) => publication.state !== "canceled" || findNewest(publication) === publication)
    .slice(0, maxPublications);
  const listedAccounts = accounts.filter((account) => !isShownByPublication(account, shownPublications));
  const rows = shownPublications.map((publication) => {
    const isSuperseded = findNewest(publication) !== publication;
    const account = accounts.find(({ connectionId }) => connectionId === publication.connectionId);
    return {
      publication,
      isSuperseded,
      fileChoice: isWaiting(publication) ? account?.fileChoice : undefined,
      mode: isOwnSentBack(publication, me.user.id) ? ("ask" as const) : ("publish" as const),
      canPublishAgain: !isArchived && !isSuperseded && isRepeatable(publication, account),
    };
  });
  const availableIds = accounts.filter((account) => account.canPublish).map(({ connectionId }) => connectionId);
  const rowWithOnlyButton = rows.find(
    ({ canPublishAgain, publication }) =>
      canPublishAgain && availableIds.length === 1 && availableIds[0] === publication.connectionId,
  );
  const canPublish = hasAccounts && !isArchived && !doAllHaveOpenPublications(accounts) && may("publications.request");
  return (
    <section aria-labelledby="publishing">
      <div className="mb-3 flex min-h-control flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <h2 id="publishing" className="flex min-h-control items-center text-base">
          Publishing
        </h2>
        {canPublish && (
          <PublishButtons
            rowMode={rowWithOnlyButton?.mode}
            isNextAction={nextAction?.kind === "publish"}
            hasIntendedTime={intendedTime !== undefined}
            onPublish={onPublish}
          />
        )}
      </div>
      {intendedTime !== undefined && (
        <IntendedTime
          localTime={intendedTime}
          onSchedule={canPublish ? () => onPublish("schedule") : undefined}
          onDismiss={onClearIntendedTime}
        />
      )}
      {isDeleted && (
        <p className="mt-0 mb-4 text-muted last:mb-0">This post is in the trash. Restore it to publish it.</p>
      )}
      {isArchived && !isDeleted && (
        <p className="mt-0 mb-4 text-muted last:mb-0">
          This post is archived. To publish it, restore it as a draft first.
        </p>
      )}
      {!accountsQuery.data && !isDeleted && publications.length === 0 && (
        <div className="min-h-14 [&>p]:mt-0">
          <QueryStatus query={accountsQuery} />
        </div>
      )}
      {accountsQuery.data && !hasAccounts && !isDeleted && <NoAccounts postId={postId} intendedTime={intendedTime} />}
      {publications.length > 0 && (
        <List className={cardListClasses} aria-label="Publications of this post">
          {rows.map(({ mode, ...row }) => (
            <PostPublication
              key={row.publication.id}
              {...row}
              onPublishAgain={() => onPublish(mode, [row.publication.connectionId])}
            />
          ))}
        </List>
      )}
      {publications.length > shownPublications.length && (
        <p className="mt-0 mb-2 text-sm">
          <Link to="/studios/$studioId/publications" params={{ studioId: studio.id }} search={{ postId }}>
            Show all publications of this post
          </Link>
        </p>
      )}
      {!isDeleted && <AccountList post={editor.post} accounts={listedAccounts} onOpen={onOpenAccount} />}
    </section>
  );
}

const isRepeatable = ({ state }: Publication, account: Account | undefined): boolean =>
  state === "published" ? account?.canPublish === true : repeatableStates.includes(state);

/**
 * Whether the account need not be listed, because a publication names it, and nothing keeps the post from being
 * published there. Its text and notes have their own tab.
 */
const isShownByPublication = (
  { connectionId, canPublish, hasOpenPublication, isConnected, problems }: Account,
  publications: readonly Publication[],
): boolean =>
  (canPublish || (hasOpenPublication && isConnected && problems.every(({ level }) => level !== "rejected"))) &&
  publications.some((publication) => publication.connectionId === connectionId);
