import { useQuery } from "@tanstack/react-query";
import { revisionQuery } from "../api/history-queries.ts";
import type { Post } from "../api/queries.ts";
import { RevisionDiff } from "../history/RevisionDiff.tsx";
import { useStudio } from "../layout/use-studio.ts";
import { Disclosure } from "../ui/Disclosure.tsx";

/** The difference between what a guest saw and the post as it is now. */
export function ChangesSince({ post, revision }: { post: Post; revision: number }) {
  const { studio } = useStudio();
  const before = useQuery(revisionQuery(studio.id, post.id, revision)).data;
  if (!before) return null;
  const current = { ...post, assets: post.assets.filter(({ status }) => status === "ready") };
  return (
    <Disclosure className="mt-1" summary="What changed since">
      <div
        className="mt-2 border-l-2 border-rule pl-4 sm:max-h-[70dvh] sm:overflow-auto"
        tabIndex={0}
        role="group"
        aria-label="What changed"
      >
        <RevisionDiff before={before} after={current} currentAssets={post.assets} />
      </div>
    </Disclosure>
  );
}
