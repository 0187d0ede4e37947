import { Tag, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "../ui/Button.tsx";
import { useConfirm } from "../ui/Confirm.tsx";
import { Dialog, DialogActions } from "../ui/Dialog.tsx";
import { TextField } from "../ui/Field.tsx";
import { FormDialog } from "../ui/FormDialog.tsx";
import { LinkDialog } from "../ui/LinkDialog.tsx";
import { Menu, MenuItem } from "../ui/Menu.tsx";
import { Popover } from "../ui/Popover.tsx";
import { SelectionBar } from "../ui/SelectionBar.tsx";
import { SidePanel } from "../ui/SidePanel.tsx";
import { useToast } from "../ui/Toasts.tsx";
import { useShortcut } from "../ui/use-shortcut.ts";
import { Sample, SampleGroup } from "./Sample.tsx";

type Overlay = "dialog" | "form" | "link" | "panel";

export function OverlaySamples() {
  const [overlay, setOverlay] = useState<Overlay>();
  const [selectedCount, setSelectedCount] = useState(0);
  const showToast = useToast();
  const confirm = useConfirm();
  const close = (): void => setOverlay(undefined);
  useShortcut({ keys: "t", label: "Show a toast", run: () => showToast({ text: "A toast, by keyboard." }) });
  return (
    <SampleGroup title="Overlays">
      <Sample name="Dialogs">
        <Button variant="secondary" onClick={() => setOverlay("dialog")}>
          Dialog
        </Button>
        <Button variant="secondary" onClick={() => setOverlay("form")}>
          FormDialog
        </Button>
        <Button variant="secondary" onClick={() => setOverlay("link")}>
          LinkDialog
        </Button>
        <Button
          variant="dangerOutline"
          onClick={() =>
            confirm({
              title: "Delete the sample?",
              body: "This can’t be undone.",
              action: "Delete",
              busyLabel: "Deleting…",
              run: () => Promise.resolve(),
            })
          }
        >
          useConfirm
        </Button>
        <Button variant="secondary" onClick={() => setOverlay("panel")}>
          SidePanel
        </Button>
      </Sample>
      <Sample name="Popover">
        <Popover label="Filter" trigger={<Button variant="secondary">Popover</Button>}>
          <TextField label="Tag" />
        </Popover>
      </Sample>
      <Sample name="Toast, SelectionBar">
        <Button
          variant="secondary"
          onClick={() => showToast({ text: "Moved to the trash.", action: { label: "Undo", run: () => {} } })}
        >
          Toast
        </Button>
        <Button variant="secondary" onClick={() => setSelectedCount(3)}>
          SelectionBar
        </Button>
      </Sample>
      <SelectionBar count={selectedCount} onClear={() => setSelectedCount(0)}>
        <Button variant="quiet" icon={Tag}>
          Tag
        </Button>
        <Button variant="quiet" icon={Trash2}>
          Delete
        </Button>
      </SelectionBar>
      {overlay === "dialog" && (
        <Dialog title="A dialog" size="large" onClose={close}>
          <p>A large dialog. A menu inside of it opens above it.</p>
          <Menu label="In the dialog" align="start" trigger={<Button variant="quiet">Menu in a dialog</Button>}>
            <MenuItem onSelect={() => {}}>An item</MenuItem>
          </Menu>
          <DialogActions>
            <Button onClick={close}>Done</Button>
          </DialogActions>
        </Dialog>
      )}
      {overlay === "form" && (
        <FormDialog
          title="A form"
          submitLabel="Save"
          busyLabel="Saving…"
          onSubmit={() => Promise.reject(new Error("sample"))}
          onClose={close}
        >
          <TextField label="Name" />
        </FormDialog>
      )}
      {overlay === "link" && (
        <LinkDialog title="A link" label="Link" url="https://studio.example.com/join/sample" onClose={close}>
          Send this link to the person you invite.
        </LinkDialog>
      )}
      {overlay === "panel" && (
        <SidePanel title="A side panel" onClose={close}>
          Details of the selected item. In a studio, it is beside the content if there is room.
        </SidePanel>
      )}
    </SampleGroup>
  );
}
