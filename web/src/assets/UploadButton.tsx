import { Camera, ChevronDown, FolderUp, Upload } from "lucide-react";
import { useRef } from "react";
import { Button } from "../ui/Button.tsx";
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
    <span className="relative inline-flex">
      <input
        {...hiddenInputProps}
        ref={fileInput}
        multiple
        onChange={({ currentTarget }) => addFilesFrom(currentTarget)}
      />
      <Button
        icon={Upload}
        className="rounded-r-none pointer-coarse:rounded-r-md"
        onClick={() => fileInput.current?.click()}
      >
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
        trigger={
          <Button
            aria-label="Other ways to upload"
            title="Other ways to upload"
            className="rounded-l-none border-l-accent-ink/40! px-2! pointer-coarse:hidden"
          >
            <ChevronDown size={16} aria-hidden="true" />
          </Button>
        }
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
