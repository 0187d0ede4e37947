import type { PostStatus } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import type { NextAction } from "./next-action.ts";

export function NextActionButton({
  postId,
  action,
  onPublish,
  onSetStatus,
}: {
  postId: string;
  action: NextAction;
  onPublish: () => void;
  onSetStatus: (status: PostStatus) => Promise<void>;
}) {
  const { studio } = useStudio();
  const params = { studioId: studio.id };
  switch (action.kind) {
    case "restore":
      return <Button onClick={() => void onSetStatus("draft")}>Restore as draft</Button>;
    case "markReady":
      return (
        <Button
          title="Tells your team that the post is finished. You can publish it without marking it ready."
          onClick={() => void onSetStatus("ready")}
        >
          Mark ready
        </Button>
      );
    case "publish":
    case "askAgain":
      return <Button onClick={onPublish}>{action.label}</Button>;
    case "connect":
      return (
        <ButtonLink
          to="/studios/$studioId/platforms"
          params={params}
          search={({ at }) => ({ post: postId, ...(at === undefined ? {} : { at }) })}
        >
          {/* A phone has room for the verb only. */}
          Connect<span className="max-sm:sr-only"> an account</span>
        </ButtonLink>
      );
    case "review":
      return action.publicationId === undefined ? (
        <ButtonLink to="/studios/$studioId/publications/approvals" params={params}>
          {action.label}
        </ButtonLink>
      ) : (
        <ButtonLink
          to="/studios/$studioId/publications/$publicationId"
          params={{ ...params, publicationId: action.publicationId }}
        >
          {action.label}
        </ButtonLink>
      );
  }
}
