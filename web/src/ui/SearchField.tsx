import { Search } from "lucide-react";
import { useEffect, useEffectEvent, useId, useRef, useState } from "react";

/** Calls `onSearch` with the trimmed text when the user pauses typing. */
export function SearchField({
  label,
  query,
  onSearch,
  isWide = false,
}: {
  label: string;
  query: string;
  onSearch: (query: string) => void;
  /** Whether the field fills its row, for example in a dialog. */
  isWide?: boolean;
}) {
  const id = useId();
  const [searchText, setSearchText] = useState(query);
  // The query this field last passed to `onSearch`; any other value came from navigation and replaces the text.
  const appliedQuery = useRef(query);

  useEffect(() => {
    if (query === appliedQuery.current) return;
    appliedQuery.current = query;
    setSearchText(query);
  }, [query]);

  const applyText = useEffectEvent((text: string) => {
    const nextQuery = text.trim();
    if (nextQuery === appliedQuery.current) return;
    appliedQuery.current = nextQuery;
    onSearch(nextQuery);
  });

  useEffect(() => {
    const timer = setTimeout(() => applyText(searchText), 250);
    return () => clearTimeout(timer);
  }, [searchText]);

  return (
    <div
      className={`relative max-sm:max-w-none max-sm:flex-[1_1_100%] ${isWide ? "flex-[1_1_16rem]" : "max-w-64 flex-[1_1_10rem]"}`}
    >
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <Search
        size={16}
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-muted"
        aria-hidden="true"
      />
      <input
        id={id}
        type="search"
        className="pl-8"
        placeholder={label}
        maxLength={200}
        value={searchText}
        onChange={(event) => setSearchText(event.target.value)}
        // In a form, Enter would submit it.
        onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
      />
    </div>
  );
}
