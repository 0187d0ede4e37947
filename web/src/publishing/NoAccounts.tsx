import { Link } from "@tanstack/react-router";
import { useStudio } from "../layout/use-studio.ts";

/** Shown in place of the accounts to which the post can be published, if the studio has none. */
export function NoAccounts({
  postId,
  intendedTime,
}: {
  postId: string;
  /** In the studio's time zone: `2026-11-15T09:30`. The user gets it back after connecting an account. */
  intendedTime: string | undefined;
}) {
  const { studio, may } = useStudio();
  return (
    <p className="mt-0 text-muted">
      No account to publish to.{" "}
      {may("platforms.connect") ? (
        <>
          Connect one on the{" "}
          <Link
            to="/studios/$studioId/platforms"
            params={{ studioId: studio.id }}
            search={{ post: postId, ...(intendedTime === undefined ? {} : { at: intendedTime }) }}
          >
            Platforms page
          </Link>
          .
        </>
      ) : (
        "Ask an owner or admin to connect one."
      )}
    </p>
  );
}
