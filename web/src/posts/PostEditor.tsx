import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { BodyCounts } from "../publishing/BodyCounts.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { Loading } from "../ui/Loading.tsx";
import { useDocumentTitle } from "../ui/PageHeader.tsx";
import { useToast } from "../ui/Toasts.tsx";
import { ConflictResolver } from "./ConflictResolver.tsx";
import { PostDetails } from "./PostDetails.tsx";
import { PostMedia } from "./PostMedia.tsx";
import { PostPreview } from "./PostPreview.tsx";
import { SaveStatus } from "./SaveStatus.tsx";
import { useDraft } from "./use-draft.ts";
import { useStableCaret } from "./use-stable-caret.ts";

/** Loaded on demand, so that reading and editing do not wait for the comparison of texts. */
const HistoryPanel = lazy(async () => ({ default: (await import("../history/HistoryPanel.tsx")).HistoryPanel }));
const ReadyBanner = lazy(async () => ({ default: (await import("../history/ReadyBanner.tsx")).ReadyBanner }));
const PostPublishing = lazy(async () => ({
  default: (await import("../publishing/PostPublishing.tsx")).PostPublishing,
}));

const views = [
  ["write", "Write"],
  ["preview", "Preview"],
  ["history", "History"],
] as const;

const fieldClasses =
  "-ml-[calc(1rem+2px)] block w-[calc(100%+1rem+2px)] resize-none rounded-none border-0 border-l-2 border-transparent p-0 pl-4 [field-sizing:content] focus-visible:border-accent focus-visible:outline-hidden forced-colors:border-[Canvas]";

/** Briefly highlights a field that a remote change updated. */
const getHighlightClasses = (isHighlighted: boolean): string =>
  isHighlighted ? "bg-wash" : "bg-transparent transition-[background-color] duration-1000";

export function PostEditor({ post }: { post: Post }) {
  const { studio, may } = useStudio();
  const showToast = useToast();
  const reportMerge = useCallback(
    (authors: string) => showToast({ text: `Merged with changes by ${authors}` }),
    [showToast],
  );
  const controller = useDraft(post, studio.id, reportMerge);
  const [view, setView] = useState<(typeof views)[number][0]>("write");
  const { base, draft, recentlyUpdated, error } = controller;
  const changedSinceReady = getRevisionIfChanged(base);
  const bodyField = useStableCaret(draft.body);
  const canWrite = may("posts.write");
  useDocumentTitle(draft.title);
  useSaveShortcut(controller.save);

  return (
    <div className="grid grid-cols-1 gap-x-[clamp(2rem,5vw,4rem)] gap-y-8 lg:grid-cols-[minmax(0,1fr)_13rem]">
      <article className="min-w-0">
        <div className="mb-7 flex items-center justify-between gap-4 border-b border-rule pb-3">
          <div className="flex gap-3 sm:gap-5" role="group" aria-label="View">
            {views.map(([option, label]) => (
              <button
                key={option}
                type="button"
                className="min-h-8 cursor-pointer text-muted aria-pressed:font-semibold aria-pressed:text-ink"
                aria-pressed={view === option}
                onClick={() => setView(option)}
              >
                {label}
              </button>
            ))}
          </div>
          <SaveStatus controller={controller} />
        </div>
        {error !== undefined && <ErrorMessage error={error} onRetry={() => void controller.save()} />}
        {controller.theirs && <ConflictResolver controller={controller} theirs={controller.theirs} />}
        {view !== "history" && changedSinceReady !== undefined && (
          <Suspense>
            <ReadyBanner controller={controller} readyRevision={changedSinceReady} />
          </Suspense>
        )}
        {view === "preview" && <PostPreview draft={draft} />}
        {view === "history" && (
          <Suspense fallback={<Loading />}>
            <HistoryPanel controller={controller} />
          </Suspense>
        )}
        {view === "write" && (
          <>
            <label htmlFor="post-title" className="sr-only">
              Title
            </label>
            <textarea
              id="post-title"
              className={`min-h-0 overflow-hidden font-serif text-[clamp(1.9rem,1.3rem+2.2vw,2.8rem)]/[1.15] tracking-[-0.015em] ${fieldClasses} ${getHighlightClasses(recentlyUpdated.includes("title"))}`}
              rows={1}
              value={draft.title}
              readOnly={!canWrite}
              maxLength={300}
              aria-invalid={draft.title.trim() === ""}
              aria-describedby="title-error"
              // A title is a single line, even if the pasted text is not.
              onChange={(event) => controller.edit({ title: event.target.value.replace(/(?<!\s)\s*\n\s*/g, " ") })}
              onKeyDown={(event) => {
                if (event.key !== "Enter") return;
                event.preventDefault();
                document.querySelector<HTMLElement>("#post-body")?.focus();
              }}
            />
            <p id="title-error" className="m-0 text-sm text-danger" role="status">
              {draft.title.trim() === "" && "Enter a title. The previous title is kept until you do."}
            </p>
            <label htmlFor="post-body" className="sr-only">
              Text
            </label>
            <textarea
              id="post-body"
              ref={bodyField}
              className={`mt-5 min-h-56 text-[1.1rem]/[1.7] ${fieldClasses} ${getHighlightClasses(recentlyUpdated.includes("body"))}`}
              value={draft.body}
              readOnly={!canWrite}
              placeholder="Write…"
              maxLength={100_000}
              onChange={(event) => controller.edit({ body: event.target.value })}
            />
            <BodyCounts post={base} body={draft.body} />
          </>
        )}
        {/* Hidden rather than removed, so that uploads continue. */}
        <div hidden={view === "history"}>
          <PostMedia post={post} onChange={controller.accept} />
          <Suspense fallback={<Loading />}>
            <PostPublishing post={post} controller={controller} />
          </Suspense>
        </div>
      </article>
      <PostDetails post={post} controller={controller} />
    </div>
  );
}

/** The revision at which the post was marked ready, if it changed since. */
const getRevisionIfChanged = ({ status, revision, readyRevision }: Post): number | undefined =>
  status === "ready" && readyRevision !== null && revision > readyRevision ? readyRevision : undefined;

/** Saves on Ctrl+S or ⌘S. */
function useSaveShortcut(save: () => Promise<void>): void {
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
