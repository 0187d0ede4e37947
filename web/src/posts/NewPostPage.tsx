import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { createPost } from "../api/mutations.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { TextField } from "../ui/Field.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { requiredTextProps } from "../ui/required-text.ts";
import { useAction } from "../ui/use-action.ts";
import { readLastPostsView } from "./last-posts-view.ts";

export function NewPostPage() {
  const { studio } = useStudio();
  const navigate = useNavigate();
  const [title, setTitle] = useState("");
  const { isRunning, error, run } = useAction();
  // One key per visit, so that a repeated submission creates one post.
  const [key] = useState(() => crypto.randomUUID());

  async function create(): Promise<void> {
    const post = await createPost(studio.id, { title, idempotencyKey: `${key} ${title}`.slice(0, 200) });
    await navigate({
      to: "/studios/$studioId/posts/$postId",
      params: { studioId: studio.id, postId: post.id },
      state: { isNewPost: true },
    });
  }

  return (
    <>
      <PageHeader title="New post">
        It starts as a draft, visible only to members of this studio and their AI clients.
      </PageHeader>
      <form
        className="max-w-[38rem]"
        onSubmit={(event) => {
          event.preventDefault();
          void run(create);
        }}
      >
        <TextField
          label="Title"
          className="font-serif text-xl"
          value={title}
          onChange={(event) => setTitle(event.target.value)}
          maxLength={300}
          {...requiredTextProps}
          // The title is the only input on this page.
          autoFocus
        />
        {error !== undefined && <ErrorMessage error={error} />}
        <p className="flex flex-wrap gap-3">
          <Button type="submit" busyLabel={isRunning && "Creating…"}>
            Create draft
          </Button>
          <ButtonLink
            variant="secondary"
            to="/studios/$studioId/posts"
            params={{ studioId: studio.id }}
            search={readLastPostsView(studio.id).search}
          >
            Cancel
          </ButtonLink>
        </p>
      </form>
    </>
  );
}
