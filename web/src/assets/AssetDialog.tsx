import { ChevronLeft, ChevronRight, X } from "lucide-react";
import { useEffect, useEffectEvent, useRef } from "react";
import type { Asset } from "../api/queries.ts";
import { useConfirm } from "../ui/Confirm.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { IconButton } from "../ui/IconButton.tsx";
import { AssetActions } from "./AssetActions.tsx";
import { AssetForm, type AssetFormHandle } from "./AssetForm.tsx";
import { AssetMetadata } from "./AssetMetadata.tsx";
import { AssetPreview } from "./AssetPreview.tsx";
import { AssetUses } from "./AssetUses.tsx";

interface AssetDialogProps {
  asset: Asset;
  onClose: () => void;
  /** Opens the file before or after this one, if there is one. */
  onPrevious?: (() => void) | undefined;
  onNext?: (() => void) | undefined;
  /** Opens a copy of this file. By default, a link to the library opens it. */
  onOpenCopy?: ((assetId: string) => void) | undefined;
  /** Whether the page's URL names the file. */
  isInUrl?: boolean;
}

/** Shows one file, where it is used, and lets the user edit its details, copy or delete it. */
export function AssetDialog({ asset, onClose, onPrevious, onNext, onOpenCopy, isInUrl = false }: AssetDialogProps) {
  const confirm = useConfirm();
  const form = useRef<AssetFormHandle>(null);

  function closeOrConfirm(): void {
    if (form.current?.hasChanges() !== true) onClose();
    else
      confirm({
        title: "Discard changes?",
        body: <p>The changes to {asset.filename} haven’t been saved.</p>,
        action: "Discard changes",
        busyLabel: "Discarding…",
        dismiss: "Keep editing",
        run: async () => onClose(),
      });
  }

  async function saveAndOpen(openOther: () => void): Promise<void> {
    if (!form.current || (await form.current.save())) openOther();
  }

  const handleArrowKeys = useEffectEvent((event: KeyboardEvent) => {
    const isTyping = event.target instanceof Element && event.target.closest("input, textarea, video, [role=menu]");
    if (isTyping || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const isCovered = document.querySelectorAll("dialog:modal").length > 1;
    if (isCovered) return;
    const openOther = { ArrowLeft: onPrevious, ArrowRight: onNext }[event.key];
    if (openOther) void saveAndOpen(openOther);
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => handleArrowKeys(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);

  const confirmLeave = useEffectEvent((event: BeforeUnloadEvent) => {
    if (form.current?.hasChanges() === true) event.preventDefault();
  });
  useEffect(() => {
    const listener = (event: BeforeUnloadEvent) => confirmLeave(event);
    window.addEventListener("beforeunload", listener);
    return () => window.removeEventListener("beforeunload", listener);
  }, []);

  const isInList = onPrevious !== undefined || onNext !== undefined;
  return (
    <Dialog
      title={asset.filename}
      size="large"
      isTitleHidden
      shouldCloseOnBack={() => !isInUrl || form.current?.hasChanges() === true}
      onClose={closeOrConfirm}
    >
      <div className="sticky -top-5 z-1 -mx-5 -mt-5 flex items-center gap-1 rounded-t-lg bg-raised py-3.5 pr-3.5 pl-5 sm:-top-6 sm:-mx-6 sm:-mt-6 sm:pt-4.5 sm:pr-4.5 sm:pb-3 sm:pl-6">
        <p
          // Receives the initial focus. Otherwise the browser focuses a button, whose tooltip covers the dialog.
          ref={(element) => element?.setAttribute("autofocus", "")}
          tabIndex={-1}
          aria-hidden="true"
          className="m-0 min-w-0 flex-1 truncate text-lg font-semibold outline-none"
          title={asset.filename}
        >
          {asset.filename}
        </p>
        {isInList && (
          <>
            <IconButton
              icon={ChevronLeft}
              label="Previous file"
              disabled={!onPrevious}
              onClick={() => onPrevious && void saveAndOpen(onPrevious)}
            />
            <IconButton
              icon={ChevronRight}
              label="Next file"
              disabled={!onNext}
              onClick={() => onNext && void saveAndOpen(onNext)}
            />
          </>
        )}
        <IconButton icon={X} label="Close" onClick={closeOrConfirm} />
      </div>
      <div
        key={asset.id}
        className="grid grid-cols-1 gap-x-6 gap-y-5 md:grid-cols-[minmax(0,1fr)_22rem] md:grid-rows-[auto_1fr]"
      >
        <AssetPreview asset={asset} />
        <div className="grid min-w-0 content-start gap-5 md:row-span-2">
          <AssetForm ref={form} asset={asset} onSaved={onClose} />
          <AssetActions asset={asset} saveForm={async () => (await form.current?.save()) ?? true} onClose={onClose} />
        </div>
        <div className="grid min-w-0 content-start gap-5">
          <AssetUses asset={asset} onOpenCopy={onOpenCopy && ((id) => void saveAndOpen(() => onOpenCopy(id)))} />
          <AssetMetadata asset={asset} />
        </div>
      </div>
    </Dialog>
  );
}
