import { useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { useStudio } from "../layout/use-studio.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { TextAreaField, TextField } from "../ui/Field.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { useAction } from "../ui/use-action.ts";
import { readKeptEdits, useKeptEdits } from "./kept-edits.ts";
import { readLastPostsView } from "./last-posts-view.ts";
import { useCreateDraft } from "./use-create-draft.ts";

export function NewPostPage() {
  const title = useLocation({ select: ({ state }) => state.newPostTitle ?? "" });
  // The command palette can open this page again with another title.
  return <NewPostForm key={title} initialTitle={title} />;
}

/** The text comes first. Files, accounts and times follow in the editor, which opens with the draft. */
function NewPostForm({ initialTitle }: { initialTitle: string }) {
  const { studio } = useStudio();
  const createDraft = useCreateDraft();
  const key = `new post ${studio.id}`;
  const [kept] = useState(() => readKeptEdits(key) as { title: string; body: string } | undefined);
  const [title, setTitle] = useState(initialTitle || (kept?.title ?? ""));
  const [body, setBody] = useState(kept?.body ?? "");
  const [isDiscarded, setIsDiscarded] = useState(false);
  useKeptEdits(key, isDiscarded || (title === "" && body === "") ? undefined : { title, body });
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
          void run(async () => {
            await createDraft({ title, body });
            sessionStorage.removeItem(key);
          });
        }}
      >
        <TextAreaField
          label="Text"
          rows={8}
          className="min-h-40 [field-sizing:content]"
          value={body}
          onChange={(event) => setBody(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) event.currentTarget.form?.requestSubmit();
          }}
          autoFocus={initialTitle === ""}
        />
        <TextField
          label="Title (optional)"
          hint="For your team’s lists. A platform shows it only if its posts have titles."
          value={title}
          onChange={(event) => setTitle(event.target.value)}
          maxLength={300}
          autoFocus={initialTitle !== ""}
        />
        {error !== undefined && <ErrorMessage error={error} />}
        <p className="flex flex-wrap gap-3">
          <Button type="submit" busyLabel={isRunning && "Creating…"}>
            Continue
          </Button>
          <ButtonLink
            variant="secondary"
            to="/studios/$studioId/posts"
            params={{ studioId: studio.id }}
            search={readLastPostsView(studio.id).search}
            onClick={() => setIsDiscarded(true)}
          >
            Cancel
          </ButtonLink>
        </p>
      </form>
    </>
  );
}
