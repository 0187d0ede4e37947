import { Link2 } from "lucide-react";
import type { MouseEvent, ReactNode } from "react";
import type { Asset } from "../api/queries.ts";
import { Checkbox } from "../ui/Checkbox.tsx";
import { Filename } from "./Filename.tsx";
import { formatDuration, formatMediaMetadata, getTypeLabel, kindIcons } from "./labels.ts";
import { TileTags } from "./TileTags.tsx";
import { TileImage } from "./TileImage.tsx";

interface LibraryItemProps {
  asset: Asset;
  index: number;
  isSelected: boolean;
  /** Undefined if the user may not change files. */
  onToggle: ((isRange: boolean) => void) | undefined;
  onOpen: () => void;
}

/** Opens the file; with Shift, Ctrl or ⌘, selects it instead. */
function handleTileClick(event: MouseEvent, { asset, onToggle, onOpen }: LibraryItemProps): void {
  if (onToggle && asset.status === "ready" && (event.shiftKey || event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    onToggle(event.shiftKey);
  } else onOpen();
}

/** A file in the grid. */
export function LibraryTile({ frameHeight, ...item }: LibraryItemProps & { frameHeight: number }) {
  const { asset, index, isSelected, onToggle } = item;
  return (
    <div className="group/tile relative" data-selected={isSelected || undefined}>
      <button
        type="button"
        data-tile={index}
        className="block w-full cursor-pointer rounded-md text-left"
        onClick={(event) => handleTileClick(event, item)}
      >
        <span
          className="relative grid w-full place-items-center overflow-hidden rounded-md bg-sunken group-data-selected/tile:bg-wash"
          style={{ height: frameHeight }}
        >
          <TileImage asset={asset} />
          {/* An inset ring on the frame itself would be painted under the image. The inner ring separates the outer one
              from images of the same color. */}
          <span className="absolute inset-0 rounded-md ring-1 ring-rule transition-shadow duration-(--motion-fast) ring-inset group-hover/tile:ring-control group-data-selected/tile:inset-ring-3 group-data-selected/tile:inset-ring-accent group-data-selected/tile:ring-5 group-data-selected/tile:ring-raised" />
          <span className="absolute right-1.5 bottom-1.5 flex items-center gap-1">
            {asset.durationMs !== undefined && <Chip>{formatDuration(asset.durationMs)}</Chip>}
            {asset.kind === "document" && <Chip>{getTypeLabel(asset)}</Chip>}
          </span>
          {asset.postId !== null && (
            <span
              className="absolute top-1.5 right-1.5 grid size-6 place-items-center rounded-full bg-raised text-muted shadow-raised"
              title="Used in a post"
            >
              <Link2 size={14} aria-hidden="true" />
            </span>
          )}
        </span>
        <Filename name={asset.filename} className="mt-1.5 leading-5 font-medium" />
        <span className="block truncate text-sm leading-5 text-muted">
          {formatMediaMetadata({ ...asset, durationMs: undefined })}
          {asset.postId !== null && <span className="sr-only"> · Used in a post</span>}
        </span>
      </button>
      {/* On touch screens, the tap targets extend into the gaps, so that the tile keeps its height. */}
      <TileTags tags={asset.tags} className="mt-1 pointer-coarse:-mt-1 pointer-coarse:-mb-2" />
      {onToggle && asset.status === "ready" && (
        <span
          // The plate makes the box visible on every image. On touch screens, the target is larger than the plate.
          className={`absolute top-1.5 left-1.5 isolate leading-none before:absolute before:inset-0 before:-z-1 before:rounded-md before:bg-raised before:shadow-raised focus-within:opacity-100 group-hover/tile:opacity-100 pointer-coarse:-top-0.5 pointer-coarse:-left-0.5 pointer-coarse:opacity-100 pointer-coarse:before:inset-2 [&_input]:border-muted ${isSelected ? "" : "opacity-0 [[data-selecting]_&]:opacity-100"}`}
        >
          <Checkbox
            checked={isSelected}
            label={`Select ${asset.filename}`}
            isLabelHidden
            onChange={(_, isRange) => onToggle(isRange)}
          />
        </span>
      )}
    </div>
  );
}

function Chip({ children }: { children: ReactNode }) {
  return (
    <span className="rounded-sm bg-black/70 px-1 text-xs/4.5 font-medium text-white tabular-nums">{children}</span>
  );
}

/** The columns that the rows and the headings of the list view share. */
export const rowColumns = {
  type: "w-24 flex-none max-xl:hidden",
  size: "w-52 flex-none max-sm:hidden",
  usage: "w-16 flex-none max-sm:w-auto",
  tags: "w-56 flex-none max-xl:hidden",
};

/** A file in the list view. */
export function LibraryRow({
  areTagsBelow,
  ...item
}: LibraryItemProps & {
  /** Whether the tags are in a line of their own, because there is no room for their column. */
  areTagsBelow: boolean;
}) {
  const { asset, index, isSelected, onToggle } = item;
  const Icon = kindIcons[asset.kind];
  return (
    <div
      className="group/tile flex h-full items-center gap-2 border-b border-rule hover:bg-hover sm:px-1 data-selected:bg-wash"
      data-selected={isSelected || undefined}
    >
      {onToggle && (
        // On a phone, the box starts at the page's margin, and its target continues into the margin. The bottom margin has
        // the height of the tags, so that the box is beside the name.
        <span
          className={`flex-none max-sm:-ml-1.5 max-sm:pointer-coarse:-ml-3.5 ${areTagsBelow && asset.tags?.length ? "mb-7 pointer-coarse:mb-7.5" : ""}`}
        >
          <Checkbox
            checked={isSelected}
            label={`Select ${asset.filename}`}
            isLabelHidden
            disabled={asset.status !== "ready"}
            onChange={(_, isRange) => onToggle(isRange)}
          />
        </span>
      )}
      <div className="flex h-full min-w-0 flex-1 flex-col">
        <button
          type="button"
          data-tile={index}
          className="flex min-h-0 w-full flex-1 cursor-pointer items-center gap-3 rounded-md text-left"
          onClick={(event) => handleTileClick(event, item)}
        >
          <span className="relative grid size-9 flex-none place-items-center overflow-hidden rounded-sm bg-sunken">
            <TileImage asset={asset} isSmall />
          </span>
          <span className="min-w-0 flex-1">
            <Filename name={asset.filename} className="leading-5 font-medium" />
            <span className="block truncate text-sm leading-5 text-muted sm:hidden">{formatMediaMetadata(asset)}</span>
          </span>
          <span className={`flex items-center gap-1.5 text-sm text-muted ${rowColumns.type}`}>
            <Icon size={15} aria-hidden="true" />
            {getTypeLabel(asset)}
          </span>
          <span className={`truncate text-sm text-muted tabular-nums ${rowColumns.size}`}>
            {formatMediaMetadata(asset)}
          </span>
          <span className={`flex items-center gap-1.5 text-sm text-muted ${rowColumns.usage}`}>
            {asset.postId !== null && (
              <>
                <Link2 size={15} aria-hidden="true" />
                <span className="max-sm:sr-only">Used</span>
                <span className="sr-only"> in a post</span>
              </>
            )}
          </span>
        </button>
        {areTagsBelow && (
          // Aligned with the name, after the thumbnail.
          <TileTags tags={asset.tags} className="-mt-1 mb-1 ml-12 pointer-coarse:-mt-3 pointer-coarse:-mb-0.5" />
        )}
      </div>
      {!areTagsBelow && (
        <span className={`overflow-hidden ${rowColumns.tags}`}>
          <TileTags tags={asset.tags} />
        </span>
      )}
    </div>
  );
}
