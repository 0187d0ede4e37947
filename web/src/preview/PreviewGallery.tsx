import type { Asset } from "../api/queries.ts";
import { getTypeLabel } from "../assets/labels.ts";
import { Carousel } from "./Carousel.tsx";
import type { Size } from "./crop-window.ts";
import type { PlatformDisplay } from "./platform-displays.ts";
import { RenditionImage, type ImageFit } from "./RenditionImage.tsx";

export interface PreviewFile {
  asset: Asset;
  /** The rendition; absent for a file that is not a publishable image. */
  url: string | undefined;
  /** The size of the rendition; before it is loaded, the expected one, if it is known. */
  size: Size | undefined;
  /** Why the platform would reject the file. */
  rejection: string | undefined;
  onLoad: (size: Size) => void;
}

/** More files are shown as a carousel. */
const maxGridFiles = 4;

export function PreviewGallery({
  files,
  layout,
}: {
  files: readonly PreviewFile[];
  layout: PlatformDisplay["gallery"];
}) {
  const [firstFile] = files;
  if (!firstFile) return null;
  if (files.length === 1)
    return (
      <div className="border-y border-rule bg-sunken">
        <Tile file={firstFile} />
      </div>
    );
  if (layout === "carousel" || files.length > maxGridFiles)
    return (
      <Carousel
        slides={files.map((file) => ({ key: file.asset.id, content: <Tile file={file} fit="contain" /> }))}
        // Platforms show every slide in the frame of the first one.
        aspectRatio={firstFile.size ? firstFile.size.width / firstFile.size.height : 1}
      />
    );
  return (
    <ul
      className="grid aspect-[3/2] grid-cols-2 grid-rows-2 gap-0.5 border-y border-rule"
      aria-label="Files of the post"
    >
      {files.map((file, i) => {
        // The first of three files is as tall as the other two together.
        const isTall = files.length === 2 || (files.length === 3 && i === 0);
        return (
          <li key={file.asset.id} className={`min-h-0 min-w-0 ${isTall ? "row-span-2" : ""}`}>
            <Tile file={file} fit="cover" />
          </li>
        );
      })}
    </ul>
  );
}

function Tile({ file, fit }: { file: PreviewFile; fit?: ImageFit }) {
  const { asset, url, size, rejection, onLoad } = file;
  if (url !== undefined)
    return <RenditionImage url={url} altText={asset.altText ?? ""} expectedSize={size} fit={fit} onLoad={onLoad} />;
  return (
    <span className="grid size-full min-h-28 content-center justify-items-center gap-1 bg-paper p-3 text-center text-sm">
      <span className="font-medium text-muted">{getTypeLabel(asset)}</span>
      <span className="max-w-full [overflow-wrap:anywhere]">{asset.filename}</span>
      {rejection !== undefined && <span className="text-danger">Can’t publish</span>}
      {asset.status === "pending" && <span className="text-muted">Uploading</span>}
    </span>
  );
}
