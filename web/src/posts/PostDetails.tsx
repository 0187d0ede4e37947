import { useQuery } from "@tanstack/react-query";
import { updatePost } from "../api/mutations.ts";
import { describeError } from "../api/api-error.ts";
import { membersQuery, type Post, type PostStatus } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { countCharacters } from "../publishing/measure-text.ts";
import { postStatuses } from "../search-params.ts";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { formatActor } from "../ui/format-actor.ts";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { TagField } from "../ui/TagField.tsx";
import { useToast } from "../ui/Toasts.tsx";
import { PostChecks } from "./PostChecks.tsx";
import { statusLabels } from "./status-labels.ts";
import { useDeletePost } from "./use-delete-post.ts";
import type { DraftController } from "./use-draft.ts";
import { usePostTags } from "./use-post-tags.ts";

/** The sidebar of a post: status, length, dates, author, tags and platform checks. */
export function PostDetails({ post: serverPost, controller }: { post: Post; controller: DraftController }) {
  const { studio, may } = useStudio();
  const { base: post, draft } = controller;
  const postTags = usePostTags(serverPost, controller.accept);
  const setStatus = useSetStatus(controller);
  const members = useQuery(membersQuery(studio.id));
  const author = members.data?.members.find(({ userId }) => userId === post.createdBy);
  const deletePost = useDeletePost(controller);
  const isArchived = post.status === "archived";
  const wordCount = draft.body.split(/\s+/).filter(Boolean).length;

  return (
    <aside aria-label="About this post">
      <dl className="mb-6 grid gap-y-0.5 max-lg:grid-cols-[auto_minmax(0,1fr)] max-lg:items-baseline max-lg:gap-x-6 max-lg:gap-y-2 max-lg:border-t max-lg:border-rule max-lg:pt-6 lg:[&>dd]:mb-4 [&>dt]:text-sm [&>dt]:text-muted">
        <dt id="status-label">Status</dt>
        <dd>
          <select
            className="max-lg:w-auto"
            aria-labelledby="status-label"
            value={post.status}
            disabled={!may("posts.write")}
            onChange={(event) => void setStatus(event.target.value as PostStatus)}
          >
            {postStatuses.map((status) => (
              <option key={status} value={status}>
                {statusLabels[status].singular}
              </option>
            ))}
          </select>
        </dd>
        <dt>Length</dt>
        <dd>
          {countCharacters(draft.body).toLocaleString("en")} characters, {wordCount.toLocaleString("en")} words
        </dd>
        <dt>Updated</dt>
        <dd>
          <RelativeTime at={post.updatedAt} timezone={studio.timezone} />,{" "}
          <span className="whitespace-nowrap">revision {post.revision}</span>
        </dd>
        <dt>Created</dt>
        <dd>
          <RelativeTime at={post.createdAt} timezone={studio.timezone} />{" "}
          {members.isSuccess && `by ${formatActor(author, toNamed(post.createdByClient))}`}
        </dd>
      </dl>
      <div className="mb-6">
        <TagField tags={postTags.tags} isReadOnly={!may("posts.write")} onChange={postTags.save} />
        {postTags.error !== undefined && <ErrorMessage error={postTags.error} />}
      </div>
      {may("posts.write") && (
        <p className="m-0 flex flex-wrap gap-2">
          <Button variant="quiet" onClick={() => void setStatus(isArchived ? "draft" : "archived")}>
            {isArchived ? "Restore as draft" : "Archive"}
          </Button>
          <Button variant="quiet" onClick={() => void deletePost()}>
            Delete
          </Button>
        </p>
      )}
      <PostChecks validation={post.validation} />
    </aside>
  );
}

const toNamed = (name: string | null) => (name === null ? null : { name });

/** Changes the status at once; after archiving, a toast offers Undo. */
function useSetStatus(controller: DraftController): (status: PostStatus) => Promise<void> {
  const { studio } = useStudio();
  const showToast = useToast();
  const { id, status: previousStatus } = controller.base;

  async function saveStatus(status: PostStatus): Promise<void> {
    controller.accept(await updatePost(studio.id, id, { status }));
  }

  return async (status) => {
    try {
      await saveStatus(status);
      if (status !== "archived") return;
      const undo = (): void => void saveStatus(previousStatus).catch(showError);
      showToast({ text: "Archived.", undo: { label: "Undo", run: undo } });
    } catch (error) {
      showError(error);
    }
  };

  function showError(error: unknown): void {
    const { message, hint } = describeError(error);
    showToast({ text: `${message} ${hint}` });
  }
}
