import { lazy, Suspense, useEffect, useState } from "react";
import { Button } from "../ui/Button.tsx";
import { Loading } from "../ui/Loading.tsx";
import { getUploadStorageKey } from "./upload-storage-key.ts";

/** Loaded on demand, so that the list does not wait for it. */
const LibraryUploader = lazy(async () => ({ default: (await import("./LibraryUploader.tsx")).LibraryUploader }));

const panelId = "library-upload";

export interface UploadPanelState {
  isOpen: boolean;
  /** Once opened, the uploader stays mounted while it is hidden, so that uploads continue. */
  wasOpened: boolean;
  toggle: () => void;
}

/** Opens when the user drags files over the page, or returns to the page with uploads that can resume. */
export function useUploadPanel(studioId: string): UploadPanelState {
  const [isOpen, setIsOpen] = useState(() => sessionStorage.getItem(getUploadStorageKey(studioId)) !== null);
  const [wasOpened, setWasOpened] = useState(isOpen);
  if (isOpen && !wasOpened) setWasOpened(true);
  useFileDrag(() => setIsOpen(true));
  return { isOpen, wasOpened, toggle: () => setIsOpen(!isOpen) };
}

export function UploadButton({ isOpen, toggle }: UploadPanelState) {
  return (
    <Button aria-expanded={isOpen} aria-controls={panelId} onClick={toggle}>
      Upload files
    </Button>
  );
}

export function UploadPanel({ isOpen, wasOpened }: UploadPanelState) {
  return (
    <section id={panelId} className="mb-10" aria-label="Upload files" hidden={!isOpen}>
      {wasOpened && (
        <Suspense fallback={<Loading />}>
          <LibraryUploader />
        </Suspense>
      )}
    </section>
  );
}

function useFileDrag(onDrag: () => void): void {
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    document.addEventListener("dragenter", (event) => hasFiles(event) && onDrag(), { signal });
    // Until the uploader is loaded, a drop must not open the file in place of the page.
    for (const type of ["dragover", "drop"] as const)
      document.addEventListener(type, (event) => hasFiles(event) && event.preventDefault(), { signal });
    return () => controller.abort();
  });
}
