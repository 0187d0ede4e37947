import { getRouteApi } from "@tanstack/react-router";
import { SlidersHorizontal } from "lucide-react";
import { useId, useRef, useState } from "react";
import type { ListedPublication } from "../api/publication-queries.ts";
import { publicationStates, type PublicationSearch } from "../search-params.ts";
import { Button } from "../ui/Button.tsx";
import { ChoiceField, SelectField, TextField } from "../ui/Field.tsx";
import { activeFilterClasses } from "../ui/FilterMenu.tsx";
import { getPostTitle, stateLabels } from "./publication-states.ts";
import { useRecentPosts } from "./use-post-title.ts";

const route = getRouteApi("/studios/$studioId/publications");

/** Filters by state, post and days, and hides earlier attempts; all in the URL. On a phone, a button shows them. */
export function PublicationFilters({
  search,
  firstPublication,
  hasClearButton,
}: {
  search: PublicationSearch;
  /** The first one that matches the filters. */
  firstPublication: ListedPublication | undefined;
  /** An empty list has its own. */
  hasClearButton: boolean;
}) {
  const navigate = route.useNavigate();
  const { items: posts } = useRecentPosts();
  const { postId } = search;
  const isSelectedPostListed = postId === undefined || posts.some(({ id }) => id === postId);
  const setFilter = (name: keyof PublicationSearch, value: string): void =>
    void navigate({
      search: ({ [name]: _, ...others }) => (value === "" ? others : { ...others, [name]: value }),
    });

  const activeCount = Object.keys(search).length;
  const [isOpen, setIsOpen] = useState(false);
  const fieldsId = useId();
  const stateField = useRef<HTMLSelectElement>(null);
  const getFieldClasses = (name: keyof PublicationSearch): string =>
    search[name] === undefined ? "" : activeFilterClasses;

  function clear(): void {
    // The pressed button disappears.
    stateField.current?.focus();
    void navigate({ search: {} });
  }

  return (
    <>
      <Button
        variant="secondary"
        icon={SlidersHorizontal}
        className={`mb-4 sm:hidden ${activeCount > 0 ? activeFilterClasses : ""}`}
        aria-expanded={isOpen}
        aria-controls={fieldsId}
        onClick={() => setIsOpen(!isOpen)}
      >
        Filters{activeCount > 0 && ` (${activeCount} active)`}
      </Button>
      <div id={fieldsId} className={`mb-8 grid grid-cols-2 gap-4 lg:grid-cols-4 ${isOpen ? "" : "max-sm:hidden"}`}>
        <div className="min-w-0">
          <SelectField
            ref={stateField}
            className={getFieldClasses("state")}
            label={<FilterLabel text="Status" />}
            value={search.state ?? ""}
            options={[["", "Any"], ...publicationStates.map((state) => [state, stateLabels[state]] as const)]}
            onChange={({ target }) => setFilter("state", target.value)}
          />
        </div>
        <div className="min-w-0">
          <SelectField
            className={getFieldClasses("postId")}
            label={<FilterLabel text="Post" />}
            value={postId ?? ""}
            options={[
              ["", "Any"],
              ...(isSelectedPostListed ? [] : [[postId, getPostTitle(firstPublication)] as const]),
              ...posts.map(({ id, title }) => [id, title] as const),
            ]}
            onChange={({ target }) => setFilter("postId", target.value)}
          />
        </div>
        {(["from", "to"] as const).map((name) => (
          <div key={name} className="min-w-0">
            <TextField
              className={getFieldClasses(name)}
              label={<FilterLabel text={name === "from" ? "From" : "To"} />}
              type="date"
              value={search[name] ?? ""}
              onChange={({ target }) => setFilter(name, target.value)}
            />
          </div>
        ))}
        <div className="col-span-full flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
          <ChoiceField
            type="checkbox"
            label="Hide earlier attempts"
            description="Shows only the newest publication of each post and account."
            checked={search.latest === true}
            onChange={({ target: { checked } }) =>
              void navigate({ search: ({ latest: _, ...others }) => (checked ? { ...others, latest: true } : others) })
            }
          />
          {hasClearButton && (
            <Button variant="quiet" size="small" onClick={clear}>
              Clear filters
            </Button>
          )}
        </div>
      </div>
    </>
  );
}

function FilterLabel({ text }: { text: string }) {
  return <span className="text-sm font-normal text-muted">{text}</span>;
}
