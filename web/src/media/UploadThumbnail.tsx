import { useEffect, useRef } from "react";
import { createPreview } from "../upload/preview.ts";
import type { UploadItem } from "../upload/upload-task.ts";

/** The thumbnail of a file that is not uploaded yet, made in the browser. */
export function UploadThumbnail({ upload }: { upload: UploadItem }) {
  const frame = useRef<HTMLSpanElement>(null);
  const preview = useRef<ReturnType<typeof createPreview>>(undefined);

  useEffect(() => {
    const newPreview = createPreview({ canShowVideos: true });
    newPreview.element.className =
      "grid size-full place-items-center text-xs font-semibold text-muted [&>:not(span)]:size-full [&>:not(span)]:object-cover [&>:not(span)]:opacity-60";
    frame.current?.replaceChildren(newPreview.element);
    preview.current = newPreview;
    return () => {
      newPreview.destroy();
      preview.current = undefined;
    };
  }, []);
  useEffect(() => preview.current?.update(upload), [upload]);

  return <span ref={frame} className="block size-full" />;
}
