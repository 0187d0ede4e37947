import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { createPost } from "../api/mutations.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { requiredTextProps } from "../ui/required-text.ts";
import { PageHeader } from "../ui/PageHeader.tsx";

export function NewPostPage() {
  const { studio } = useStudio();
  const navigate = useNavigate();
  const [title, setTitle] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  // One key per visit, so that a repeated submission creates one post.
  const [key] = useState(() => crypto.randomUUID());

  async function create(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      const post = await createPost(studio.id, { title, idempotencyKey: `${key} ${title}`.slice(0, 200) });
      await navigate({ to: "/studios/$studioId/posts/$postId", params: { studioId: studio.id, postId: post.id } });
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
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
          void create();
        }}
      >
        <label htmlFor="title">Title</label>
        <input
          id="title"
          className="mt-2 font-serif text-xl"
          value={title}
          onChange={(event) => setTitle(event.target.value)}
          maxLength={300}
          {...requiredTextProps}
          // The title is the only input on this page.
          autoFocus
        />
        {error !== undefined && <ErrorMessage error={error} />}
        <p className="flex flex-wrap gap-3">
          <Button type="submit" busyLabel={busy && "Creating…"}>
            Create draft
          </Button>
          <Link className="button secondary" to="/studios/$studioId/posts" params={{ studioId: studio.id }}>
            Cancel
          </Link>
        </p>
      </form>
    </>
  );
}
