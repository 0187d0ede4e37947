import { useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { useStudio } from "../layout/use-studio.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { TextField } from "../ui/Field.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { requiredTextProps } from "../ui/required-text.ts";
import { useAction } from "../ui/use-action.ts";
import { readLastPostsView } from "./last-posts-view.ts";
import { useCreateDraft } from "./use-create-draft.ts";

export function NewPostPage() {
  const title = useLocation({ select: ({ state }) => state.newPostTitle ?? "" });
  // The command palette can open this page again with another title.
  return <NewPostForm key={title} initialTitle={title} />;
}

function NewPostForm({ initialTitle }: { initialTitle: string }) {
  const { studio } = useStudio();
  const createDraft = useCreateDraft();
  const [title, setTitle] = useState(initialTitle);
  const { isRunning, error, run } = useAction();

  return (
    <>
      <PageHeader title="New post">
        It starts as a draft, visible only to members of this studio and their AI clients.
      </PageHeader>
      <form
        className="max-w-[38rem]"
        onSubmit={(event) => {
          event.preventDefault();
          void run(() => createDraft(title));
        }}
      >
        <TextField
          label="Title"
          className="text-xl"
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
