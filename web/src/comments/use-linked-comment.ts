import { useSearch } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

/** The id of the comment in the page's URL, if a link to a comment opened the page. */
export const useLinkedCommentId = (): string | undefined => useSearch({ strict: false }).comment;

/** Scrolls to the comment if a link led to it. */
export function useScrollToComment(commentId: string) {
  const item = useRef<HTMLElement>(null);
  const isLinked = useLinkedCommentId() === commentId;
  useEffect(() => {
    if (isLinked) item.current?.scrollIntoView({ block: "center" });
  }, [isLinked]);
  return { item, isLinked };
}
