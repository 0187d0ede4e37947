import { useEffect, useState } from "react";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../frame/use-studio.ts";
import { Failure } from "../ui/Failure.tsx";
import { useTitle } from "../ui/PageHead.tsx";
import { Dispute } from "./Dispute.tsx";
import { PostFacts } from "./PostFacts.tsx";
import { PostMedia } from "./PostMedia.tsx";
import { Preview } from "./Preview.tsx";
import { SavedState } from "./SavedState.tsx";
import { useDraft } from "./use-draft.ts";

/** A post being worked on: its text in the middle, what is known of it in the margin. */
export function PostDesk({ post }: { post: Post }) {
  const { studio, may } = useStudio();
  const keeper = useDraft(post, studio.id);
  const [view, setView] = useState<"write" | "preview">("write");
  const { draft, touched, error } = keeper;
  const canWrite = may("posts.write");
  useTitle(draft.title);
  useSaveKey(keeper.save);

  return (
    <div className="desk">
      <article className="min-w-0">
        <div className="desk-bar">
          <div className="switch" role="group" aria-label="View">
            {(["write", "preview"] as const).map((one) => (
              <button key={one} type="button" className="bare" aria-pressed={view === one} onClick={() => setView(one)}>
                {one === "write" ? "Write" : "Preview"}
              </button>
            ))}
          </div>
          <SavedState keeper={keeper} />
        </div>
        {error !== undefined && <Failure error={error} onRetry={() => void keeper.save()} />}
        {keeper.theirs && <Dispute keeper={keeper} theirs={keeper.theirs} />}
        {view === "preview" ? (
          <Preview draft={draft} />
        ) : (
          <>
            <label htmlFor="post-title" className="sr-only">
              Title
            </label>
            <textarea
              id="post-title"
              className={`title-field ${touched.includes("title") ? "touched" : ""}`}
              rows={1}
              value={draft.title}
              readOnly={!canWrite}
              maxLength={300}
              aria-invalid={draft.title.trim() === ""}
              aria-describedby="title-fault"
              // A title is one line, however it is pasted.
              onChange={(event) => keeper.edit({ title: event.target.value.replace(/(?<!\s)\s*\n\s*/g, " ") })}
              onKeyDown={(event) => {
                if (event.key !== "Enter") return;
                event.preventDefault();
                document.querySelector<HTMLElement>("#post-body")?.focus();
              }}
            />
            <p id="title-fault" className="m-0 text-sm text-danger" role="status">
              {draft.title.trim() === "" && "A post needs a title; until it has one, the old one is kept."}
            </p>
            <label htmlFor="post-body" className="sr-only">
              Text
            </label>
            <textarea
              id="post-body"
              className={`body-field ${touched.includes("body") ? "touched" : ""}`}
              value={draft.body}
              readOnly={!canWrite}
              placeholder="Write…"
              maxLength={100_000}
              onChange={(event) => keeper.edit({ body: event.target.value })}
            />
          </>
        )}
        <PostMedia post={post} onChange={keeper.accept} />
      </article>
      <PostFacts keeper={keeper} />
    </div>
  );
}

/** Ctrl+S or ⌘S, which hands reach for by themselves. */
function useSaveKey(save: () => Promise<void>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      void save();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [save]);
}
