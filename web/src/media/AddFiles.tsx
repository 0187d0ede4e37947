import { Camera, Ellipsis, FolderUp, Images, Link2, Upload } from "lucide-react";
import { useRef, useState, type RefObject } from "react";
import type { ChosenFile } from "../upload/upload-task.ts";
import { Button } from "../ui/Button.tsx";
import { IconButton } from "../ui/IconButton.tsx";
import { Menu, MenuItem, MenuSeparator } from "../ui/Menu.tsx";

/** The ways to add files: from this device, its camera, the library, or someone with an upload link. */
export function AddFiles({
  uploadButton,
  onFiles,
  onOpenLibrary,
  onRequestFiles,
}: {
  uploadButton: RefObject<HTMLButtonElement | null>;
  onFiles: (files: readonly ChosenFile[]) => void;
  onOpenLibrary: () => void;
  onRequestFiles: () => void;
}) {
  const fileInput = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  const cameraInput = useRef<HTMLInputElement>(null);
  const [isTouch] = useState(() => matchMedia("(pointer: coarse)").matches);

  function addFilesFrom(input: HTMLInputElement): void {
    const files = [...(input.files ?? [])];
    input.value = ""; // so that choosing the same file again fires `change`
    onFiles(files.map((file) => ({ file })));
  }

  function openCamera(): void {
    if (isTouch) cameraInput.current?.click();
    else
      void Promise.all([import("../upload/camera.ts"), import("../upload/strings.ts")]).then(
        ([{ takePhoto }, { english }]) => takePhoto(english, (file) => onFiles([{ file }])),
      );
  }

  const inputProps = {
    type: "file",
    className: "sr-only min-h-0",
    tabIndex: -1,
    "aria-hidden": true,
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) => addFilesFrom(currentTarget),
  } as const;
  return (
    <div className="relative flex items-center gap-1">
      <input {...inputProps} ref={fileInput} multiple />
      <input {...inputProps} ref={folderInput} multiple {...{ webkitdirectory: "" }} />
      <input {...inputProps} ref={cameraInput} accept="image/*,video/*" capture="environment" />
      <Button
        ref={uploadButton}
        variant="secondary"
        size="small"
        icon={Upload}
        onClick={() => fileInput.current?.click()}
      >
        Upload
      </Button>
      <IconButton icon={Images} size="small" label="Add from library" onClick={onOpenLibrary} />
      <Menu
        label="More ways to add files"
        trigger={<IconButton icon={Ellipsis} size="small" label="More ways to add files" />}
      >
        {!isTouch && (
          <MenuItem icon={FolderUp} onSelect={() => folderInput.current?.click()}>
            Choose a folder
          </MenuItem>
        )}
        {(isTouch || "mediaDevices" in navigator) && (
          <MenuItem icon={Camera} onSelect={openCamera}>
            Take a photo
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem icon={Link2} onSelect={onRequestFiles}>
          Request files with a link
        </MenuItem>
      </Menu>
    </div>
  );
}
