import { TextAlignStart } from "lucide-react";

/** In place of the thumbnail of a post without files, so that the titles of a list are aligned. */
export const TextThumbnail = ({ className }: { className: string }) => (
  <span className={`grid flex-none place-items-center rounded-sm bg-sunken text-muted ${className}`}>
    <TextAlignStart size={16} strokeWidth={1.5} aria-hidden="true" />
  </span>
);
