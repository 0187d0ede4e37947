import { Tag } from "lucide-react";
import type { ReactNode } from "react";
import { FilterRadioMenu } from "../ui/FilterMenu.tsx";

const maxMenuTags = 30;

/** The tags of the menu. A chosen tag keeps its position. */
export function listMenuTags(tags: readonly string[], chosenTag: string | undefined): string[] {
  const listedTags = tags.slice(0, maxMenuTags);
  return chosenTag === undefined || listedTags.includes(chosenTag) ? listedTags : [...listedTags, chosenTag];
}

/** Filters a list by tag. Its children are `MenuRadioItem`s of the tags from `listMenuTags`. */
export const TagMenu = ({
  tag,
  onChange,
  children,
}: {
  tag: string | undefined;
  onChange: (tag: string | undefined) => void;
  children: ReactNode;
}) => (
  <FilterRadioMenu name="Tag" icon={Tag} value={tag} valueLabel={tag} anyLabel="All tags" onChange={onChange}>
    {children}
  </FilterRadioMenu>
);
