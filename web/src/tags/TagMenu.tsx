import { createLink } from "@tanstack/react-router";
import { ChevronDown, Tag, X } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { Button } from "../ui/Button.tsx";
import { Menu, MenuRadioGroup, MenuRadioItem } from "../ui/Menu.tsx";

/** The menu value for no filter. No tag starts with a space. */
const allTagsValue = " ";

const maxMenuTags = 30;

/** The tags of the menu. A chosen tag keeps its position. */
export function listMenuTags(tags: readonly string[], chosenTag: string | undefined): string[] {
  const listedTags = tags.slice(0, maxMenuTags);
  return chosenTag === undefined || listedTags.includes(chosenTag) ? listedTags : [...listedTags, chosenTag];
}

/** Filters a list by tag. Its children are `MenuRadioItem`s of the tags from `listMenuTags`. */
export function TagMenu({
  tag,
  onChange,
  children,
}: {
  tag: string | undefined;
  onChange: (tag: string | undefined) => void;
  children: ReactNode;
}) {
  return (
    <Menu
      label="Filter by tag"
      align="start"
      trigger={
        <Button
          variant={tag === undefined ? "quiet" : "secondary"}
          size="small"
          icon={Tag}
          aria-label={tag && `Tag: ${tag}`}
          className="max-w-56"
        >
          <span className="min-w-0 truncate">{tag ?? "Tag"}</span>
          <ChevronDown size={14} className="flex-none text-muted" aria-hidden="true" />
        </Button>
      }
    >
      <MenuRadioGroup
        label="Tag"
        value={tag ?? allTagsValue}
        onChange={(value) => onChange(value === allTagsValue ? undefined : value)}
      >
        <MenuRadioItem value={allTagsValue}>All tags</MenuRadioItem>
        {children}
      </MenuRadioGroup>
    </Menu>
  );
}

function ClearTagAnchor(anchor: ComponentProps<"a">) {
  return (
    <a
      {...anchor}
      title="Clear tag filter"
      className="-ml-1 grid size-control-small flex-none place-items-center rounded-md text-muted hover:bg-hover hover:text-ink"
    >
      <X size={16} aria-hidden="true" />
    </a>
  );
}

/** Shown after a `TagMenu` while a tag is chosen. */
export const ClearTagLink = createLink(ClearTagAnchor);
