import { Pause, Play } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { UploadItem, UploadSummary } from "../upload/upload-task.ts";
import { Button } from "../ui/Button.tsx";
import { describeStatusChange, describeUploads } from "./describe-upload.ts";
import { getPauseLabel } from "../upload/pause-label.ts";
import type { Uploads } from "../upload/use-uploader.ts";

/** The total progress of all uploads, and problems with the connection. The tiles show the progress of each upload. */
export function UploadStatusBar({ uploads: { items, summary, pause, resume } }: { uploads: Uploads }) {
  const connectionMessage = summary ? describeConnection(summary) : "";
  const isPaused = summary?.state === "paused";
  return (
    <>
      {summary && (summary.state === "sending" || isPaused) && (
        <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 text-sm text-muted tabular-nums">
          <span>{describeUploads(items, summary)}</span>
          <Button
            variant="secondary"
            size="small"
            icon={isPaused ? Play : Pause}
            onClick={() => (isPaused ? resume() : pause())}
          >
            {getPauseLabel(summary)}
          </Button>
        </div>
      )}
      {connectionMessage !== "" && (
        <p className="m-0 mb-3 rounded-md border border-l-3 border-rule border-l-danger bg-raised px-3 py-2 text-sm">
          {connectionMessage}
        </p>
      )}
      <UploadAnnouncements items={items} connectionMessage={connectionMessage} />
    </>
  );
}

function describeConnection({ connection, state, reason }: UploadSummary): string {
  if (connection === "offline") return "You are offline. The upload resumes when you are back online.";
  if (connection === "good" || state !== "sending") return "";
  return reason ?? "The server isn’t responding. The upload resumes automatically.";
}

/** Tells screen readers about changes of uploads, but not about each step of their progress. */
function UploadAnnouncements({
  items,
  connectionMessage,
}: {
  items: readonly UploadItem[];
  connectionMessage: string;
}) {
  const previousItems = useRef<readonly UploadItem[]>([]);
  const [text, setText] = useState("");
  useEffect(() => {
    const announcements = items
      .map((item) =>
        describeStatusChange(
          item,
          previousItems.current.find(({ key }) => key === item.key),
        ),
      )
      .filter((announcement) => announcement !== "");
    previousItems.current = items;
    if (announcements.length > 0) setText(announcements.join(" "));
  }, [items]);
  return (
    <div className="sr-only" role="status">
      {connectionMessage} {text}
    </div>
  );
}
