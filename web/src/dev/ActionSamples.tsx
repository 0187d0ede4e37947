import { CalendarDays, Columns3, Copy, Ellipsis, List, Plus, Save, Tag, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button, ButtonLink, TextButton } from "../ui/Button.tsx";
import { IconButton } from "../ui/IconButton.tsx";
import { Kbd } from "../ui/Kbd.tsx";
import {
  Menu,
  MenuCheckboxItem,
  MenuItem,
  MenuLabel,
  MenuLink,
  MenuRadioGroup,
  MenuRadioItem,
  MenuSeparator,
} from "../ui/Menu.tsx";
import { SegmentedControl } from "../ui/SegmentedControl.tsx";
import { Tabs } from "../ui/Tabs.tsx";
import { TagMenu } from "../tags/TagMenu.tsx";
import { Sample, SampleGroup } from "./Sample.tsx";

const variants = ["primary", "secondary", "quiet", "danger", "dangerOutline"] as const;

export function ActionSamples() {
  return (
    <SampleGroup title="Actions">
      <Sample name="Button">
        {variants.map((variant) => (
          <Button key={variant} variant={variant} icon={Plus}>
            {variant}
          </Button>
        ))}
      </Sample>
      <Sample name="Button, small">
        {variants.map((variant) => (
          <Button key={variant} variant={variant} size="small">
            {variant}
          </Button>
        ))}
        <Button icon={Save} busyLabel="Saving…">
          Save
        </Button>
        <ButtonLink variant="secondary" to="/">
          ButtonLink
        </ButtonLink>
        <TextButton icon={Plus}>TextButton</TextButton>
      </Sample>
      <Sample name="Button, disabled">
        {variants.map((variant) => (
          <Button key={variant} variant={variant} icon={Plus} disabled>
            {variant}
          </Button>
        ))}
      </Sample>
      <Sample name="FilterMenu, off and on">
        <TagMenu tag={undefined} onChange={() => {}}>
          <MenuRadioItem value="harbour">harbour</MenuRadioItem>
        </TagMenu>
        <TagMenu tag="harbour" onChange={() => {}}>
          <MenuRadioItem value="harbour">harbour</MenuRadioItem>
        </TagMenu>
      </Sample>
      <Sample name="IconButton, Kbd">
        <IconButton icon={Copy} label="Copy link" shortcut="c" />
        <IconButton icon={Trash2} label="Delete" variant="danger" />
        <IconButton icon={Ellipsis} label="More" size="small" />
        <IconButton icon={Copy} label="Copy (disabled)" disabled />
        <Kbd keys="mod+k" />
        <Kbd keys="g p" />
      </Sample>
      <Sample name="Menu">
        <SampleMenu />
        <Menu label="Actions for a row" trigger={<IconButton icon={Ellipsis} size="small" label="Actions for a row" />}>
          <MenuItem onSelect={() => {}}>An item of a row</MenuItem>
        </Menu>
      </Sample>
      <Sample name="SegmentedControl, Tabs">
        <SampleViews />
      </Sample>
    </SampleGroup>
  );
}

function SampleMenu() {
  const [showsArchived, setShowsArchived] = useState(false);
  const [density, setDensity] = useState("comfortable");
  return (
    <Menu label="Actions for the sample" align="start" trigger={<Button variant="secondary">Open menu</Button>}>
      <MenuLabel>Post</MenuLabel>
      <MenuItem icon={Copy} shortcut="c" onSelect={() => {}}>
        Copy
      </MenuItem>
      <MenuItem icon={Tag} onSelect={() => {}} disabled>
        Add a tag
      </MenuItem>
      <MenuLink icon={List} to="/">
        All posts
      </MenuLink>
      <MenuSeparator />
      <MenuCheckboxItem checked={showsArchived} onChange={setShowsArchived}>
        Show archived
      </MenuCheckboxItem>
      <MenuCheckboxItem checked="mixed" onChange={() => {}}>
        On some of the posts
      </MenuCheckboxItem>
      <MenuSeparator />
      <MenuRadioGroup label="Density" value={density} onChange={setDensity}>
        <MenuRadioItem value="comfortable">Comfortable</MenuRadioItem>
        <MenuRadioItem value="compact">Compact</MenuRadioItem>
      </MenuRadioGroup>
      <MenuSeparator />
      <MenuItem icon={Trash2} isDestructive detail="3" onSelect={() => {}}>
        Delete
      </MenuItem>
    </Menu>
  );
}

function SampleViews() {
  const [view, setView] = useState<"list" | "board" | "calendar">("list");
  const [tab, setTab] = useState<"comments" | "history">("comments");
  return (
    <div className="grid gap-4">
      <SegmentedControl
        label="View"
        value={view}
        onChange={setView}
        options={[
          { value: "list", label: "List", icon: List },
          { value: "board", label: "Board", icon: Columns3 },
          { value: "calendar", label: "Calendar", icon: CalendarDays, isLabelHidden: true },
        ]}
      />
      <Tabs
        label="Details"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: "comments", label: "Comments", detail: 3, content: "Comments on this post." },
          { value: "history", label: "History", content: "Revisions of this post." },
        ]}
      />
    </div>
  );
}
