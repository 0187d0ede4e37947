import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Archive, ChevronDown, UserRound } from "lucide-react";
import type { ReactNode } from "react";
import { membersQuery } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import type { PostSearch } from "../search-params.ts";
import { useKnownPostTags } from "../tags/use-known-tags.ts";
import { ClearTagLink, listMenuTags, TagMenu } from "../tags/TagMenu.tsx";
import { Button } from "../ui/Button.tsx";
import { FilterBar } from "../ui/FilterBar.tsx";
import { Menu, MenuLabel, MenuRadioGroup, MenuRadioItem } from "../ui/Menu.tsx";
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
  const hasActiveFilter = [search.tag, search.author, search.accounts, search.archived].some(
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
      {search.tag !== undefined && (
        <ClearTagLink
          from="/studios/$studioId/posts"
          to="."
          search={({ tag: _, ...others }) => others}
          aria-label={`Clear tag filter: ${search.tag}`}
        />
      )}
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
          className="aria-pressed:border-accent aria-pressed:bg-wash aria-pressed:text-accent"
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
  return isError ? "The tags could not be loaded." : "No recent post has a tag.";
}

const anyAuthor = "";

function AuthorFilter({
  author,
  onChange,
}: {
  author: string | undefined;
  onChange: (author: string | undefined) => void;
}) {
  const { studio } = useStudio();
  const members = useQuery({ ...membersQuery(studio.id), refetchInterval: false }).data?.members ?? [];
  if (members.length < 2 && author === undefined) return null;
  const name = members.find((member) => member.userId === author)?.name ?? "Former member";
  return (
    <Menu
      label="Filter by author"
      align="start"
      trigger={
        <Button variant="quiet" size="small" icon={UserRound} className="max-w-56">
          <span className="min-w-0 truncate">{author === undefined ? "Author" : name}</span>
          <ChevronDown size={14} className="flex-none text-muted" aria-hidden="true" />
        </Button>
      }
    >
      <MenuRadioGroup
        label="Author"
        value={author ?? anyAuthor}
        onChange={(value) => onChange(value === anyAuthor ? undefined : value)}
      >
        <MenuRadioItem value={anyAuthor}>Anyone</MenuRadioItem>
        {members.map((member) => (
          <MenuRadioItem key={member.userId} value={member.userId}>
            {member.name}
          </MenuRadioItem>
        ))}
      </MenuRadioGroup>
    </Menu>
  );
}
