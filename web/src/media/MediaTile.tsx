import {
  ArrowLeft,
  ArrowLeftToLine,
  ArrowRight,
  ArrowRightToLine,
  Ban,
  Ellipsis,
  FileText,
  Pencil,
  Play,
  Unlink,
} from "lucide-react";
import { useRef, type MouseEvent, type ReactNode } from "react";
import { flushSync } from "react-dom";
import type { Asset } from "../api/queries.ts";
import { Filename } from "../assets/Filename.tsx";
import { formatMediaMetadata, listMediaMetadata } from "../assets/labels.ts";
import { Checkbox } from "../ui/Checkbox.tsx";
import { DotSeparated } from "../ui/DotSeparated.tsx";
import { IconButton } from "../ui/IconButton.tsx";
import { Menu, MenuItem, MenuSeparator } from "../ui/Menu.tsx";
import { MediaThumbnail } from "./MediaThumbnail.tsx";
import { captionClasses, frameClasses, overlayButtonClasses, revealClasses } from "./tile-classes.ts";
import type { FileSelection } from "./use-file-selection.ts";

export type MoveTarget = "first" | "earlier" | "later" | "last";

export interface TileActions {
  open: (asset: Asset) => void;
  play: (asset: Asset) => void;
  /** Absent if the user may not change files. */
  edit?: {
    /** Returns a function that moves the file; undefined if the file is already at the end that it would move to. */
    getMove: (asset: Asset, target: MoveTarget) => (() => void) | undefined;
    detach: (asset: Asset) => void;
    discardPendingAsset: (asset: Asset) => void;
    selection: Pick<FileSelection, "isAvailable" | "isActive" | "ids" | "start" | "toggle">;
  };
}

/** A file of the post. Choosing it opens its details or, in the selection mode, selects it. */
export function MediaTile({
  asset,
  isUnreadable,
  actions,
  dragHandle,
}: {
  asset: Asset;
  /** Whether the image can't be decoded. Its thumbnail, if there is one, shows only a part of it, or is black. */
  isUnreadable: boolean;
  actions: TileActions;
  dragHandle?: ReactNode;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const { filename, kind, status, altText, url } = asset;
  const { edit } = actions;
  const isSelectable = status === "ready" && edit?.selection.isActive === true;
  const isMissingAltText = kind === "image" && status === "ready" && altText === undefined;
  const note = (isUnreadable && "Can’t be opened") || (isMissingAltText && "No alt text");

  /** Opens the file; with Shift, Ctrl or ⌘, selects it instead. */
  function handleClick(event: MouseEvent): void {
    const hasModifier = event.shiftKey || event.ctrlKey || event.metaKey;
    const selection = edit?.selection;
    if (!hasModifier || status !== "ready" || selection?.isAvailable !== true) return actions.open(asset);
    flushSync(() => {
      selection.start();
      selection.toggle(asset.id, true, false);
    });
    // The focused button is now inert.
    frame.current?.querySelector<HTMLInputElement>("input[type=checkbox]")?.focus({ preventScroll: true });
  }

  return (
    <>
      <div ref={frame} className={frameClasses}>
        <button
          type="button"
          inert={isSelectable}
          className={`size-full cursor-pointer focus-visible:outline-offset-[-3px] group-hover/tile:brightness-95 ${isUnreadable ? "pb-8" : ""}`}
          aria-label={`${filename}, ${formatMediaMetadata(asset)}${note === false ? "" : `, ${note.toLowerCase()}`}`}
          onClick={handleClick}
        >
          <MediaThumbnail asset={isUnreadable ? { ...asset, thumbnailUrl: undefined } : asset} />
        </button>
        {dragHandle}
        {edit && !isSelectable && <TileMenu asset={asset} edit={edit} onOpen={() => actions.open(asset)} />}
        {kind === "video" && status === "ready" && url !== undefined && !isSelectable && (
          <IconButton
            icon={Play}
            label={`Play ${filename}`}
            className="absolute! inset-0 m-auto size-11! rounded-full! bg-black/60! text-white! hover:bg-black/80!"
            onClick={() => actions.play(asset)}
          />
        )}
        {status !== "ready" && (
          <span className="pointer-events-none absolute inset-x-2 bottom-2 h-1.5 animate-pulse rounded-full bg-accent" />
        )}
        {note !== false && (
          <span
            className={`pointer-events-none absolute bottom-1 left-1 mr-1 rounded-sm bg-raised/90 px-1.5 text-xs font-medium ${isUnreadable ? "text-danger" : "text-ink"}`}
          >
            {note}
          </span>
        )}
        {edit && isSelectable && <TileCheckbox asset={asset} selection={edit.selection} />}
      </div>
      <p className={captionClasses}>
        <Filename name={filename} />
      </p>
      <p className="m-0 text-xs text-muted">
        <DotSeparated parts={listMediaMetadata(asset)} />
      </p>
    </>
  );
}

/**
 * Covers the tile, so that a click anywhere on it selects the file. The inner ring separates the outer one from images of
 * the same color.
 */
function TileCheckbox({
  asset: { id, filename },
  selection,
}: {
  asset: Asset;
  selection: Pick<FileSelection, "ids" | "toggle">;
}) {
  const isSelected = selection.ids.has(id);
  return (
    <span
      className={`absolute inset-0 rounded-md ring-inset [&>label]:size-full [&>label]:items-start [&>label]:justify-start [&>label]:p-2 [&>label]:before:absolute [&>label]:before:top-1 [&>label]:before:left-1 [&>label]:before:size-6 [&>label]:before:rounded-md [&>label]:before:bg-raised [&_input]:relative [&_input]:border-muted ${isSelected ? "inset-ring-3 inset-ring-accent ring-5 ring-raised" : ""}`}
    >
      <Checkbox
        checked={isSelected}
        label={`Select ${filename}`}
        isLabelHidden
        // A range always adds to the selection, even if the clicked file was already selected.
        onChange={(_, isRange) => selection.toggle(id, isRange || !isSelected, isRange)}
      />
    </span>
  );
}

function TileMenu({
  asset,
  edit,
  onOpen,
}: {
  asset: Asset;
  edit: NonNullable<TileActions["edit"]>;
  onOpen: () => void;
}) {
  const moveToFirst = edit.getMove(asset, "first");
  const moveToLast = edit.getMove(asset, "last");
  const steps = [
    ["Move earlier", ArrowLeft, edit.getMove(asset, "earlier")],
    ["Move later", ArrowRight, edit.getMove(asset, "later")],
  ] as const;
  return (
    <div className="absolute top-1 right-1 pointer-coarse:top-0 pointer-coarse:right-0">
      <Menu
        label={`Actions for ${asset.filename}`}
        trigger={
          <IconButton
            icon={Ellipsis}
            label={`Actions for ${asset.filename}`}
            className={`${overlayButtonClasses} ${revealClasses}`}
          />
        }
      >
        <MenuItem icon={asset.kind === "document" ? FileText : Pencil} onSelect={onOpen}>
          {asset.kind === "document" ? "Details" : "Alt text and details"}
        </MenuItem>
        {moveToFirst && (
          <MenuItem icon={ArrowLeftToLine} onSelect={moveToFirst}>
            Move to first
          </MenuItem>
        )}
        {steps.map(([label, icon, run]) => (
          <MenuItem key={label} icon={icon} onSelect={() => run?.()} disabled={run === undefined}>
            {label}
          </MenuItem>
        ))}
        {moveToLast && (
          <MenuItem icon={ArrowRightToLine} onSelect={moveToLast}>
            Move to last
          </MenuItem>
        )}
        <MenuSeparator />
        {asset.status === "pending" ? (
          <MenuItem icon={Ban} onSelect={() => edit.discardPendingAsset(asset)} isDestructive>
            Cancel upload
          </MenuItem>
        ) : (
          <MenuItem icon={Unlink} onSelect={() => edit.detach(asset)}>
            Remove from post
          </MenuItem>
        )}
      </Menu>
    </div>
  );
}
