import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Archive, UserRound } from "lucide-react";
import type { ReactNode } from "react";
import { membersQuery } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import type { PostSearch } from "../search-params.ts";
import { useKnownPostTags } from "../tags/use-known-tags.ts";
import { listMenuTags, TagMenu } from "../tags/TagMenu.tsx";
import { Button } from "../ui/Button.tsx";
import { FilterBar } from "../ui/FilterBar.tsx";
import { activeFilterClasses, filterButtonClasses, FilterRadioMenu } from "../ui/FilterMenu.tsx";
import { MenuLabel, MenuRadioItem } from "../ui/Menu.tsx";
import { SearchField } from "../ui/SearchField.tsx";

/** The filters that all views share. They are in the URL, so that they can be bookmarked and shared. */
export function PostFilters({
  search,
  hasArchivedFilter,
  tabs,
  children,
}: {
  search: PostSearch;
  hasArchivedFilter: boolean;
  /** Tabs of the view, in a row of their own. */
  tabs?: ReactNode;
  /** Filters of the view. */
  children?: ReactNode;
}) {
  const navigate = useNavigate({ from: "/studios/$studioId/posts" });
  const setSearch = (change: (current: PostSearch) => PostSearch) => void navigate({ search: change, replace: true });
  const hasActiveFilter = [search.tag, search.author, search.accounts, search.review, search.archived].some(
    (value) => value !== undefined,
  );
  return (
    <FilterBar
      tabs={tabs}
      hasActiveFilter={hasActiveFilter}
      search={
        <SearchField
          label="Search posts"
          query={search.q ?? ""}
          onSearch={(q) => setSearch(({ q: _, ...others }) => ({ ...others, ...(q && { q }) }))}
        />
      }
    >
      {children}
      <TagMenu
        tag={search.tag}
        onChange={(tag) => setSearch(({ tag: _, ...others }) => (tag === undefined ? others : { ...others, tag }))}
      >
        <TagItems chosenTag={search.tag} />
      </TagMenu>
      <AuthorFilter
        author={search.author}
        onChange={(author) =>
          setSearch(({ author: _, ...others }) => (author === undefined ? others : { ...others, author }))
        }
      />
      {hasArchivedFilter && (
        <Button
          variant="quiet"
          size="small"
          icon={Archive}
          className={`${filterButtonClasses} ${search.archived ? activeFilterClasses : ""}`}
          aria-pressed={search.archived === true}
          onClick={() => setSearch(({ archived, ...others }) => (archived ? others : { ...others, archived: true }))}
        >
          Include archived
        </Button>
      )}
    </FilterBar>
  );
}

/** Rendered when the menu opens, so that the posts for the list of tags are only loaded then. */
function TagItems({ chosenTag }: { chosenTag: string | undefined }) {
  const { studio } = useStudio();
  const { tags, query } = useKnownPostTags(studio.id);
  return (
    <>
      {listMenuTags(tags, chosenTag).map((tag) => (
        <MenuRadioItem key={tag} value={tag}>
          {tag}
        </MenuRadioItem>
      ))}
      {tags.length === 0 && <MenuLabel>{describeNoTags(query)}</MenuLabel>}
    </>
  );
}

function describeNoTags({ isPending, isError }: { isPending: boolean; isError: boolean }): string {
  if (isPending) return "Loading tags…";
  return isError ? "The tags couldn’t be loaded." : "No recent post has a tag.";
}

function AuthorFilter({
  author,
  onChange,
}: {
  author: string | undefined;
  onChange: (author: string | undefined) => void;
}) {
  const { studio } = useStudio();
  const members = useQuery(membersQuery(studio.id)).data?.members ?? [];
  if (members.length < 2 && author === undefined) return null;
  const name = members.find((member) => member.userId === author)?.name ?? "Former member";
  return (
    <FilterRadioMenu
      name="Author"
      icon={UserRound}
      value={author}
      valueLabel={author === undefined ? undefined : name}
      anyLabel="Anyone"
      onChange={onChange}
    >
      {members.map((member) => (
        <MenuRadioItem key={member.userId} value={member.userId}>
          {member.name}
        </MenuRadioItem>
      ))}
    </FilterRadioMenu>
  );
}
