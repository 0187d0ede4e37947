import { useEffect, useRef } from "react";
import { createPreview } from "../upload/preview.ts";
import type { UploadItem } from "../upload/upload-task.ts";

/** What a file on this computer looks like, before the server has it. */
export function UploadThumbnail({ upload }: { upload: UploadItem }) {
  const frame = useRef<HTMLSpanElement>(null);
  const preview = useRef<ReturnType<typeof createPreview>>(undefined);

  useEffect(() => {
    const created = createPreview({ canShowVideos: true });
    created.element.className =
      "grid size-full place-items-center text-xs font-semibold text-muted [&>:not(span)]:size-full [&>:not(span)]:object-cover [&>:not(span)]:opacity-60";
    frame.current?.replaceChildren(created.element);
    preview.current = created;
    return () => {
      created.destroy();
      preview.current = undefined;
    };
  }, []);
  useEffect(() => preview.current?.update(upload), [upload]);

  return <span ref={frame} className="block size-full" />;
}
