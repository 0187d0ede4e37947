import { Popover } from "radix-ui";
import { useId, useRef, useState, type ComponentProps, type KeyboardEvent, type RefObject } from "react";
import { isComposing } from "../ui/is-composing.ts";
import { overlayClasses, useOverlayContainer } from "../ui/overlay.ts";
import { useKnownTags } from "./use-known-tags.ts";

const maxSuggestions = 8;

interface TagInputProps extends Omit<ComponentProps<"input">, "ref" | "value"> {
  ref?: RefObject<HTMLInputElement | null>;
  value: string;
  /** Tags that need no suggestion, because they are used already. */
  excludedTags: readonly string[];
  onPick: (tag: string) => void;
}

/**
 * A field that suggests the studio's tags while the user types. While no suggestion is highlighted, all keys but the up
 * and down arrows work as in any field.
 */
export function TagInput({ ref, value, excludedTags, onPick, onFocus, onKeyDown, onChange, ...input }: TagInputProps) {
  const ownRef = useRef<HTMLInputElement>(null);
  const inputRef = ref ?? ownRef;
  const listId = useId();
  const [hasBeenFocused, setHasBeenFocused] = useState(false);
  const [isListRequested, setIsListRequested] = useState(false);
  const [highlightedTag, setHighlightedTag] = useState<string>();
  const suggestions = findSuggestions(useKnownTags(hasBeenFocused), value, excludedTags);
  const isOpen = isListRequested && suggestions.length > 0;
  const highlightedIndex = highlightedTag === undefined ? -1 : suggestions.indexOf(highlightedTag);
  const getOptionId = (index: number): string => `${listId}-${index}`;
  const container = useOverlayContainer();

  function setIsOpen(nextIsOpen: boolean): void {
    setIsListRequested(nextIsOpen);
    setHighlightedTag(undefined);
  }

  function pick(tag: string): void {
    setIsOpen(false);
    onPick(tag);
    inputRef.current?.focus();
  }

  /** The typed text is one of the positions, so that Enter can add it. */
  function moveHighlight(step: 1 | -1): void {
    const positions = suggestions.length + 1;
    setHighlightedTag(suggestions[((highlightedIndex + 1 + step + positions) % positions) - 1]);
    setIsListRequested(true);
  }

  function handleKey(event: KeyboardEvent<HTMLInputElement>): void {
    const suggestion = isOpen ? suggestions[highlightedIndex] : undefined;
    if (isComposing(event.nativeEvent)) return;
    if ((event.key === "ArrowDown" || event.key === "ArrowUp") && suggestions.length > 0) {
      event.preventDefault();
      moveHighlight(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter" && suggestion !== undefined) {
      event.preventDefault();
      pick(suggestion);
    } else {
      if (event.key === "Enter") setIsOpen(false);
      onKeyDown?.(event);
    }
  }

  return (
    <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
      <Popover.Anchor asChild>
        <input
          {...input}
          ref={inputRef}
          value={value}
          role="combobox"
          autoCapitalize="none"
          autoComplete="off"
          aria-autocomplete="list"
          aria-expanded={isOpen}
          aria-controls={isOpen ? listId : undefined}
          aria-activedescendant={isOpen && highlightedIndex >= 0 ? getOptionId(highlightedIndex) : undefined}
          onFocus={(event) => {
            setHasBeenFocused(true);
            onFocus?.(event);
          }}
          onClick={() => setIsOpen(true)}
          onChange={(event) => {
            setIsOpen(true);
            onChange?.(event);
          }}
          onKeyDown={handleKey}
        />
      </Popover.Anchor>
      <Popover.Portal container={container}>
        <Popover.Content
          id={listId}
          role="listbox"
          aria-label="Suggested tags"
          align="start"
          sideOffset={4}
          collisionPadding={8}
          // The focus stays in the field.
          onOpenAutoFocus={(event) => event.preventDefault()}
          onCloseAutoFocus={(event) => event.preventDefault()}
          onInteractOutside={(event) => event.target === inputRef.current && event.preventDefault()}
          onMouseDown={(event) => event.preventDefault()}
          className={`${overlayClasses} max-h-(--radix-popover-content-available-height) w-(--radix-popover-trigger-width) overflow-y-auto p-1`}
        >
          {suggestions.map((tag, index) => (
            <div
              key={tag}
              id={getOptionId(index)}
              role="option"
              aria-selected={index === highlightedIndex}
              className="flex min-h-8 cursor-pointer items-center rounded-md px-2.5 py-1 select-none hover:bg-hover aria-selected:bg-hover pointer-coarse:min-h-11 forced-colors:aria-selected:outline-2"
              onClick={() => pick(tag)}
            >
              <span className="min-w-0 truncate">{tag}</span>
            </div>
          ))}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function findSuggestions(tags: readonly string[], text: string, excludedTags: readonly string[]): string[] {
  const typedTag = text.trim().toLowerCase();
  return tags
    .filter((tag) => tag !== typedTag && tag.includes(typedTag) && !excludedTags.includes(tag))
    .slice(0, maxSuggestions);
}
