import type { PostStatus } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import type { NextAction } from "./next-action.ts";

export function NextActionButton({
  postId,
  action,
  isPrimary,
  onPublish,
  onSetStatus,
}: {
  postId: string;
  action: NextAction;
  /** Whether nothing else has to be done first. */
  isPrimary: boolean;
  onPublish: () => void;
  onSetStatus: (status: PostStatus) => Promise<void>;
}) {
  const { studio } = useStudio();
  const params = { studioId: studio.id };
  const variant = isPrimary ? "primary" : "secondary";
  switch (action.kind) {
    case "restore":
      return (
        <Button variant={variant} onClick={() => void onSetStatus("draft")}>
          Restore as draft
        </Button>
      );
    case "markReady":
      return (
        <Button
          variant={variant}
          title="Tells your team that the post is finished. You can publish it without marking it ready."
          onClick={() => void onSetStatus("ready")}
        >
          Mark ready
        </Button>
      );
    case "publish":
    case "askAgain":
      return (
        <Button variant={variant} onClick={onPublish}>
          {action.label}
        </Button>
      );
    case "connect":
      return (
        <ButtonLink
          variant={variant}
          to="/studios/$studioId/platforms"
          params={params}
          search={({ at }) => ({ post: postId, ...(at === undefined ? {} : { at }) })}
        >
          {/* A phone has no room for the article. */}
          <span>
            Connect <span className="max-sm:sr-only">an </span>account
          </span>
        </ButtonLink>
      );
    case "review":
      return action.publicationId === undefined ? (
        <ButtonLink
          variant={variant}
          to="/studios/$studioId/publications/approvals"
          params={params}
          search={{ post: postId }}
        >
          {action.label}
        </ButtonLink>
      ) : (
        <ButtonLink
          variant={variant}
          to="/studios/$studioId/publications/$publicationId"
          params={{ ...params, publicationId: action.publicationId }}
        >
          {action.label}
        </ButtonLink>
      );
  }
}
