import { useState, type ReactNode } from "react";
import { useStudio } from "../../layout/use-studio.ts";
import { resolveLocalTime } from "../../publishing/zoned-time.ts";
import { useToast } from "../../ui/Toasts.tsx";
import { formatPostTime } from "../format-post-time.ts";
import { NewPostDialog } from "./NewPostDialog.tsx";
import { suggestTimeAt } from "./suggest-time.ts";

/** Creates posts for a day or hour of the calendar; `onCreate` is undefined for users who may not. */
export function useNewPost(): { onCreate: ((place: string) => void) | undefined; newPostDialog: ReactNode } {
  const { studio, may } = useStudio();
  const showToast = useToast();
  const [newPost, setNewPost] = useState<{ localTime: string; timeLabel: string }>();

  function create(place: string): void {
    const localTime = suggestTimeAt(place, studio.timezone);
    const time = resolveLocalTime(localTime ?? "", studio.timezone);
    if (localTime === undefined) showToast({ text: "That time is in the past. Choose a later time." });
    else if (time.kind !== "valid")
      showToast({ text: "Clocks skip this time on that day. Choose an earlier or later time." });
    else setNewPost({ localTime, timeLabel: formatPostTime(time.iso, studio.timezone) });
  }

  return {
    onCreate: may("posts.write") ? create : undefined,
    newPostDialog: newPost && <NewPostDialog {...newPost} onClose={() => setNewPost(undefined)} />,
  };
}
