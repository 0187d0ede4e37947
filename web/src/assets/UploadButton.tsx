import { Camera, ChevronDown, FolderUp, Upload } from "lucide-react";
import { useRef } from "react";
import { Button } from "../ui/Button.tsx";
import { IconButton } from "../ui/IconButton.tsx";
import { Menu, MenuItem } from "../ui/Menu.tsx";
import { withoutSystemFiles } from "../upload/dropped-files.ts";
import { english } from "../upload/strings.ts";
import type { ChosenFile } from "../upload/upload-task.ts";

const hiddenInputProps = { type: "file", tabIndex: -1, "aria-hidden": true, className: "sr-only min-h-0" } as const;

/** Opens the browser's file dialog. A phone's file dialog also offers the camera. */
export function UploadButton({ onFiles }: { onFiles: (chosenFiles: readonly ChosenFile[]) => void }) {
  const fileInput = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);

  function addFilesFrom(input: HTMLInputElement): void {
    const files = [...(input.files ?? [])];
    input.value = ""; // so that choosing the same file again fires `change`
    onFiles(withoutSystemFiles(files.map((file) => ({ file }))));
  }

  async function takePhoto(): Promise<void> {
    const camera = await import("../upload/camera.ts");
    await camera.takePhoto(english, (file) => onFiles([{ file }]));
  }

  return (
    <span className="relative inline-flex gap-px">
      <input
        {...hiddenInputProps}
        ref={fileInput}
        multiple
        onChange={({ currentTarget }) => addFilesFrom(currentTarget)}
      />
      <Button icon={Upload} onClick={() => fileInput.current?.click()}>
        Upload files
      </Button>
      <input
        {...hiddenInputProps}
        ref={(input) => {
          folderInput.current = input;
          input?.setAttribute("webkitdirectory", "");
        }}
        multiple
        onChange={({ currentTarget }) => addFilesFrom(currentTarget)}
      />
      <Menu
        label="Other ways to upload"
        trigger={<IconButton icon={ChevronDown} label="Other ways to upload" className="pointer-coarse:hidden" />}
      >
        <MenuItem icon={FolderUp} onSelect={() => folderInput.current?.click()}>
          Upload a folder
        </MenuItem>
        {"mediaDevices" in navigator && (
          <MenuItem icon={Camera} onSelect={() => void takePhoto()}>
            Take a photo
          </MenuItem>
        )}
      </Menu>
    </span>
  );
}
