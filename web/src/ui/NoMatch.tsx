import { SearchX } from "lucide-react";
import type { ReactNode } from "react";
import { describeNoMatch } from "./describe-no-match.ts";
import { EmptyState } from "./EmptyState.tsx";

/** Shown above a list of which nothing contains the searched words, but similar ones. */
export const SimilarMatches = ({ noun, query }: { noun: "files" | "posts"; query: string | undefined }) => (
  <p role="status" className="mt-0 mb-2 text-sm text-muted [overflow-wrap:anywhere] sm:px-2">
    No {noun} match “{query}” exactly. These have similar words.
  </p>
);

/** Shown in place of a list whose search or filters match nothing: what was looked for, and how to clear it. */
export function NoMatch({
  noun,
  search,
  itemsText = noun,
  clear,
}: {
  noun: "files" | "posts";
  search: { q?: string | undefined; tag?: string | undefined };
  /** What the user looks for, such as "unused images". */
  itemsText?: string;
  /** The button that clears the search and the filters. */
  clear: ReactNode;
}) {
  return (
    <EmptyState title={`No matching ${noun}`} icon={SearchX} actions={clear}>
      <span className="[overflow-wrap:anywhere]">
        {describeNoMatch(noun, search, itemsText) ?? `No ${itemsText} match these filters.`}
      </span>
    </EmptyState>
  );
}
