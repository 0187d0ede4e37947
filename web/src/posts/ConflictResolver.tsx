import { useState } from "react";
import type { Post } from "../api/queries.ts";
import { Button } from "../ui/Button.tsx";
import { useToast } from "../ui/Toasts.tsx";
import type { DraftField } from "./merge-drafts.ts";
import type { DraftController } from "./use-draft.ts";

const fieldLabels: Record<DraftField, string> = { title: "Title", body: "Text" };

/** Shows both versions of each conflicting field side by side, and lets the user choose. */
export function ConflictResolver({ controller, theirs }: { controller: DraftController; theirs: Post }) {
  const { draft, conflicts } = controller;
  const [choices, setChoices] = useState<Partial<Record<DraftField, "mine" | "theirs">>>({});
  const showToast = useToast();
  const isComplete = conflicts.every((field) => choices[field] !== undefined);

  function applyChoices(): void {
    const resolveField = (field: DraftField): string => {
      if (conflicts.includes(field)) return choices[field] === "theirs" ? theirs[field] : draft[field];
      return draft[field] === controller.base[field] ? theirs[field] : draft[field];
    };
    controller.resolveConflict({ title: resolveField("title"), body: resolveField("body") });
    if (Object.values(choices).includes("theirs"))
      showToast({
        text: "Using their version.",
        undo: { label: "Restore mine", run: () => controller.edit(draft) },
      });
  }

  return (
    <section className="mb-8 border-l-3 border-danger bg-raised p-5" aria-labelledby="conflict">
      <h2 id="conflict" className="text-xl">
        This post was changed in two places
      </h2>
      <p className="mt-1 text-muted">
        While you were editing, another member or an AI client saved a different version. Choose which version to keep.
        Your changes aren’t saved until you do.
      </p>
      {conflicts.map((field) => (
        <fieldset key={field} className="mt-4 grid grid-cols-1 gap-4 sm:grid-cols-2">
          <legend className="mb-2 text-sm text-muted">{fieldLabels[field]}</legend>
          {(["mine", "theirs"] as const).map((side) => (
            <label
              key={side}
              className="min-w-0 cursor-pointer rounded-sm border border-rule p-3 has-checked:border-accent has-checked:bg-wash"
              htmlFor={`${field}-${side}`}
            >
              <span className="flex items-center gap-2">
                <input
                  className="m-0"
                  id={`${field}-${side}`}
                  type="radio"
                  name={field}
                  checked={choices[field] === side}
                  onChange={() => setChoices({ ...choices, [field]: side })}
                />
                {side === "mine" ? "Your version" : "Their version"}
              </span>
              <span className="mt-3 block max-h-72 overflow-auto font-normal whitespace-pre-wrap [overflow-wrap:anywhere]">
                <DiffHighlight
                  text={side === "mine" ? draft[field] : theirs[field]}
                  comparedText={side === "mine" ? theirs[field] : draft[field]}
                />
              </span>
            </label>
          ))}
        </fieldset>
      ))}
      <p>
        <Button onClick={applyChoices} disabled={!isComplete}>
          Use selected
        </Button>
      </p>
    </section>
  );
}

/** The number of unchanged characters to show on either side of a difference. */
const contextLength = 160;

/** Highlights everything between the first and the last difference. */
function DiffHighlight({ text, comparedText }: { text: string; comparedText: string }) {
  let start = 0;
  while (start < Math.min(text.length, comparedText.length) && text[start] === comparedText[start]) start++;
  let end = 0;
  while (end < Math.min(text.length, comparedText.length) - start && text.at(-1 - end) === comparedText.at(-1 - end))
    end++;
  const before = text.slice(0, start);
  const after = end === 0 ? "" : text.slice(-end);
  return (
    <>
      {before.length > contextLength ? `… ${before.slice(-contextLength).replace(/^\S*\s/, "")}` : before}
      <mark>{text.slice(start, text.length - end)}</mark>
      {after.length > contextLength ? `${after.slice(0, contextLength).replace(/\s\S*$/, "")} …` : after}
    </>
  );
}
