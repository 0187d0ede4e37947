import { X } from "lucide-react";
import { useEffect, useRef, useState, type FocusEvent, type KeyboardEvent, type ReactNode } from "react";
import { parseNewTags, maxTags } from "./parse-new-tags.ts";
import { Field } from "../ui/Field.tsx";
import { isComposing } from "../ui/is-composing.ts";
import { TagInput } from "./TagInput.tsx";

/** A list of tags. Enter and comma add the typed text; Backspace in the empty field removes the last tag. */
export function TagField({
  label = "Tags",
  tags,
  isReadOnly,
  renderTag,
  onChange,
}: {
  label?: ReactNode;
  tags: readonly string[];
  isReadOnly: boolean;
  /** Renders a tag as something other than text, such as a link. */
  renderTag?: (tag: string) => ReactNode;
  onChange: (tags: readonly string[]) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [tagText, setTagText] = useState("");
  const [error, setError] = useState("");
  const [announcement, setAnnouncement] = useState("");

  function add(text: string, rest = ""): void {
    const result = parseNewTags(tags, text);
    setError(result.error);
    setTagText([...result.rejectedTexts, rest].filter((part) => part !== "").join(", "));
    if (result.addedTags.length === 0) return;
    setAnnouncement(`Added: ${result.addedTags.join(", ")}`);
    onChange([...tags, ...result.addedTags]);
  }

  function remove(tag: string): void {
    setError("");
    setAnnouncement(`Removed: ${tag}`);
    onChange(tags.filter((other) => other !== tag));
    input.current?.focus(); // the focused button no longer exists
  }

  function edit(text: string, isUnfinished: boolean): void {
    const lastComma = isUnfinished ? -1 : text.lastIndexOf(",");
    if (lastComma >= 0) {
      add(text.slice(0, lastComma), text.slice(lastComma + 1).trimStart());
      return;
    }
    setError("");
    setTagText(text);
  }

  function handleKey(event: KeyboardEvent<HTMLInputElement>): void {
    if (isComposing(event.nativeEvent)) return;
    const lastTag = tags.at(-1);
    if (event.key === "Enter") {
      event.preventDefault(); // in a form, Enter would submit it
      add(tagText);
    } else if (event.key === "Backspace" && tagText === "" && lastTag !== undefined) {
      event.preventDefault();
      remove(lastTag);
    }
  }

  // A form must not be saved without the typed text. Adding it on blur would move the button that is being clicked.
  useEffect(() => {
    const hasTextToAdd = tagText.trim() !== "";
    input.current?.setCustomValidity(hasTextToAdd ? "Press Enter to add this tag, or clear the field." : "");
  }, [tagText]);

  /** Outside a form, adds the typed text when the focus moves on, but not when the user switches to another window. */
  function handleBlur({ currentTarget }: FocusEvent<HTMLInputElement>): void {
    if (currentTarget.form === null && document.activeElement !== currentTarget && tagText !== "") add(tagText);
  }

  if (isReadOnly) {
    return (
      <div className="not-first:mt-4">
        <p className="m-0 mb-1.5 font-medium">{label}</p>
        {tags.length === 0 ? <p className="m-0 text-muted">No tags</p> : <Chips tags={tags} renderTag={renderTag} />}
      </div>
    );
  }
  const countText = tags.length === 0 ? "" : ` ${tags.length} of ${maxTags} used.`;
  return (
    <Field label={label} hint={error === "" ? `Press Enter or comma after each tag.${countText}` : undefined}>
      {(control) => (
        <>
          <TagInput
            {...control}
            ref={input}
            enterKeyHint="enter"
            placeholder="Add a tag"
            value={tagText}
            excludedTags={tags}
            onPick={add}
            aria-invalid={error !== ""}
            aria-describedby={error === "" ? control["aria-describedby"] : `${control.id}-error`}
            onChange={(event) =>
              edit(event.target.value, event.nativeEvent instanceof InputEvent && event.nativeEvent.isComposing)
            }
            onKeyDown={handleKey}
            onBlur={handleBlur}
          />
          <p id={`${control.id}-error`} className="m-0 text-sm text-danger" role="status">
            {error === "" ? <span className="sr-only">{announcement}</span> : error}
          </p>
          {/* Below the field, so that it stays under the pointer when the first tag is added. */}
          <Chips tags={tags} renderTag={renderTag} onRemove={remove} className="mt-2" />
        </>
      )}
    </Field>
  );
}

function Chips({
  tags,
  renderTag = (tag) => tag,
  onRemove,
  className = "",
}: {
  tags: readonly string[];
  renderTag?: ((tag: string) => ReactNode) | undefined;
  onRemove?: (tag: string) => void;
  className?: string;
}) {
  return (
    <ul aria-label="Tags" className={`flex flex-wrap gap-1.5 empty:hidden ${className}`}>
      {tags.map((tag) => (
        <li
          key={tag}
          className={`flex max-w-full items-center rounded-full bg-hover pl-2.5 text-sm/7 ${onRemove ? "" : "pr-2.5"}`}
        >
          <span className="min-w-0 truncate" title={tag}>
            {renderTag(tag)}
          </span>
          {onRemove && (
            <button
              type="button"
              className="grid min-h-7 min-w-7 cursor-pointer place-items-center rounded-full text-muted hover:text-danger pointer-coarse:min-h-11 pointer-coarse:min-w-11"
              aria-label={`Remove tag ${tag}`}
              onClick={() => onRemove(tag)}
            >
              <X size={14} aria-hidden="true" />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
