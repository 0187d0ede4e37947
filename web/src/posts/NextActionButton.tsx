import type { PostStatus } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { askLabel, type NextAction } from "./next-action.ts";

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
      return (
        <Button onClick={() => void onSetStatus("draft")}>
          <Label full="Restore as draft" short="Restore" />
        </Button>
      );
    case "markReady":
      return (
        <Button
          title="Tells your team that the post is finished. It can be published without it."
          onClick={() => void onSetStatus("ready")}
        >
          Mark ready
        </Button>
      );
    case "publish":
      return (
        <Button onClick={onPublish}>
          <Label full={action.label} short={action.label === askLabel ? "Ask…" : action.label} />
        </Button>
      );
    case "connect":
      return (
        <ButtonLink
          to="/studios/$studioId/platforms"
          params={params}
          search={({ at }) => ({ post: postId, ...(at === undefined ? {} : { at }) })}
        >
          <Label full="Connect an account" short="Connect" isShortOnPhone />
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

/** The short label is for the header beside an open panel, and on a phone if the full one would not fit there. */
function Label({ full, short, isShortOnPhone = false }: { full: string; short: string; isShortOnPhone?: boolean }) {
  if (full === short) return full;
  return (
    <>
      <span className={`md:@max-lg:sr-only ${isShortOnPhone ? "max-sm:sr-only" : ""}`}>{full}</span>
      <span aria-hidden="true" className={`hidden md:@max-lg:inline ${isShortOnPhone ? "max-sm:inline" : ""}`}>
        {short}
      </span>
    </>
  );
}
