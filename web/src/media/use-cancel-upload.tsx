import { useState } from "react";
import type { UploadItem } from "../upload/upload-task.ts";
import { useConfirm } from "../ui/Confirm.tsx";
import type { Uploads } from "../upload/use-uploader.ts";

/** Cancels an upload of this page. Asks first if it has started, because canceling can't be undone. */
export function useCancelUpload({ cancel }: Uploads, onCanceled: () => void) {
  const confirm = useConfirm();
  /** The server still lists these assets for a moment. */
  const [canceledIds, setCanceledIds] = useState<ReadonlySet<string>>(new Set());

  function cancelNow({ key, id }: UploadItem): void {
    if (id !== undefined) setCanceledIds((current) => new Set(current).add(id));
    cancel(key);
    onCanceled();
  }

  const cancelUpload = (upload: UploadItem): void => {
    const hasStarted = upload.status !== "waiting" || upload.sentBytes > 0;
    if (!hasStarted || upload.status === "failed") cancelNow(upload);
    else
      confirm({
        title: `Cancel upload of ${upload.name}?`,
        body: <p>The upload hasn’t finished. The part uploaded so far will be deleted.</p>,
        action: "Discard upload",
        busyLabel: "Discarding…",
        dismiss: "Keep uploading",
        run: async () => cancelNow(upload),
      });
  };
  return { cancelUpload, canceledIds };
}
