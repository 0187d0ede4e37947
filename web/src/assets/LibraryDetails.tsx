import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { assetQuery, type Asset } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog, DialogActions } from "../ui/Dialog.tsx";
import { AssetDialog } from "./AssetDialog.tsx";

/** The details of the file in the URL, which may not be in the list. */
export function LibraryDetails({
  openId,
  assets,
  onOpen,
  onNearEnd,
  onClose,
}: {
  openId: string;
  assets: readonly Asset[];
  onOpen: (id: string) => void;
  /** Called when the user gets near the last listed file. */
  onNearEnd: () => void;
  onClose: () => void;
}) {
  const { studio } = useStudio();
  const index = assets.findIndex(({ id }) => id === openId);
  const { data, isError } = useQuery({ ...assetQuery(studio.id, openId), enabled: index < 0 });
  const asset = assets[index] ?? data;
  const isNearEnd = index >= assets.length - 3;
  useEffect(() => {
    if (isNearEnd) onNearEnd();
  });

  if (!asset) {
    if (!isError) return null;
    return (
      <Dialog title="This file isn’t in the library" shouldCloseOnBack={() => false} onClose={onClose}>
        <p className="mt-2 text-muted">It may be in the trash, or someone deleted it.</p>
        <DialogActions>
          <Button onClick={onClose}>Close</Button>
        </DialogActions>
      </Dialog>
    );
  }
  const [previous, next] = index < 0 ? [] : [assets[index - 1], assets[index + 1]];
  return (
    <AssetDialog
      asset={asset}
      onClose={onClose}
      onPrevious={previous && (() => onOpen(previous.id))}
      onNext={next && (() => onOpen(next.id))}
      onOpenCopy={onOpen}
      isInUrl
    />
  );
}
