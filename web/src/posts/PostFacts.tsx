import { useQuery } from "@tanstack/react-query";
import { updatePost } from "../api/changes.ts";
import { describeFailure } from "../api/failure.ts";
import { membersQuery, type PostStatus } from "../api/queries.ts";
import { useStudio } from "../frame/use-studio.ts";
import { postStatuses } from "../search.ts";
import { Button } from "../ui/Button.tsx";
import { Time } from "../ui/Time.tsx";
import { useToast } from "../ui/Toasts.tsx";
import { PostChecks } from "./PostChecks.tsx";
import { statusWords } from "./status.ts";
import type { DraftKeeper } from "./use-draft.ts";

/** The margin of a post: its status, its size, who made it and when. */
export function PostFacts({ keeper }: { keeper: DraftKeeper }) {
  const { studio, may } = useStudio();
  const { base: post, draft } = keeper;
  const setStatus = useSetStatus(keeper);
  const members = useQuery(membersQuery(studio.id));
  const author = members.data?.members.find(({ userId }) => userId === post.createdBy)?.name;
  const isArchived = post.status === "archived";
  const words = draft.body.split(/\s+/).filter(Boolean).length;

  return (
    <aside className="facts" aria-label="About this post">
      <dl>
        <dt id="status-label">Status</dt>
        <dd>
          <select
            aria-labelledby="status-label"
            value={post.status}
            disabled={!may("posts.write")}
            onChange={(event) => void setStatus(event.target.value as PostStatus)}
          >
            {postStatuses.map((status) => (
              <option key={status} value={status}>
                {statusWords[status].one}
              </option>
            ))}
          </select>
        </dd>
        <dt>Length</dt>
        <dd>
          {countCharacters(draft.body).toLocaleString("en")} characters, {words.toLocaleString("en")} words
        </dd>
        <dt>Changed</dt>
        <dd>
          <Time at={post.updatedAt} timezone={studio.timezone} />,{" "}
          <span className="whitespace-nowrap">revision {post.revision}</span>
        </dd>
        <dt>Created</dt>
        <dd>
          <Time at={post.createdAt} timezone={studio.timezone} /> {author !== undefined && `by ${author}`}
        </dd>
      </dl>
      {may("posts.write") && (
        <Button look="quiet" onClick={() => void setStatus(isArchived ? "draft" : "archived")}>
          {isArchived ? "Bring back as draft" : "Archive"}
        </Button>
      )}
      <PostChecks validation={post.validation} />
    </aside>
  );
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** As a reader counts: an emoji is one. Very long texts are counted by code units, which is quick. */
function countCharacters(text: string): number {
  return text.length > 10_000 ? text.length : Array.from(graphemes.segment(text)).length;
}

/** Changes the status at once; archiving can be taken back from the notice that tells of it. */
function useSetStatus(keeper: DraftKeeper): (status: PostStatus) => Promise<void> {
  const { studio } = useStudio();
  const say = useToast();
  const { id, status: before } = keeper.base;

  async function put(status: PostStatus): Promise<void> {
    keeper.accept(await updatePost(studio.id, id, { status }));
  }

  return async (status) => {
    try {
      await put(status);
      if (status !== "archived") return;
      const undo = (): void => void put(before).catch(fail);
      say({ text: "Archived.", undo: { label: "Undo", run: undo } });
    } catch (error) {
      fail(error);
    }
  };

  function fail(error: unknown): void {
    const { message, hint } = describeFailure(error);
    say({ text: `${message} ${hint}` });
  }
}
