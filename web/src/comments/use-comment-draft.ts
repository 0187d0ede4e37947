import { useState } from "react";

/** The text of a comment that was not sent yet. It survives closing the panel and reloading the page. */
export function useCommentDraft(key: string): [text: string, setText: (text: string) => void] {
  const storageKey = `comment-draft ${key}`;
  const [text, setText] = useState(() => sessionStorage.getItem(storageKey) ?? "");
  return [
    text,
    (newText) => {
      setText(newText);
      if (newText === "") sessionStorage.removeItem(storageKey);
      else sessionStorage.setItem(storageKey, newText);
    },
  ];
}
