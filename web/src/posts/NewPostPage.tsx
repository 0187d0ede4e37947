import { useLocation } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useStudio } from "../layout/use-studio.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { TextAreaField, TextField } from "../ui/Field.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { useAction } from "../ui/use-action.ts";
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
  const [kept] = useState(() => JSON.parse(sessionStorage.getItem(key) ?? "{}") as { title?: string; body?: string });
  const [title, setTitle] = useState(initialTitle || (kept.title ?? ""));
  const [body, setBody] = useState(kept.body ?? "");
  // Kept on the device, also when the page is left, until the draft is created.
  useEffect(() => sessionStorage.setItem(key, JSON.stringify({ title, body })), [key, title, body]);
  const discard = (): void => sessionStorage.removeItem(key);
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
            discard();
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
            onClick={discard}
          >
            Cancel
          </ButtonLink>
        </p>
      </form>
    </>
  );
}
