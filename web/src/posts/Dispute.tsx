import { useState } from "react";
import type { Post } from "../api/queries.ts";
import { Button } from "../ui/Button.tsx";
import { useToast } from "../ui/Toasts.tsx";
import type { DraftField } from "./merge.ts";
import type { DraftKeeper } from "./use-draft.ts";

const names: Record<DraftField, string> = { title: "Title", body: "Text" };

/** The same field was changed here and elsewhere: both, side by side, and a choice for each. */
export function Dispute({ keeper, theirs }: { keeper: DraftKeeper; theirs: Post }) {
  const { draft, disputed } = keeper;
  const [chosen, setChosen] = useState<Partial<Record<DraftField, "mine" | "theirs">>>({});
  const say = useToast();
  const isDecided = disputed.every((field) => chosen[field] !== undefined);

  function settle(): void {
    const pick = (field: DraftField): string => {
      if (disputed.includes(field)) return chosen[field] === "theirs" ? theirs[field] : draft[field];
      return draft[field] === keeper.base[field] ? theirs[field] : draft[field];
    };
    keeper.settle({ title: pick("title"), body: pick("body") });
    if (Object.values(chosen).includes("theirs"))
      say({ text: "Took the other version.", undo: { label: "Bring mine back", run: () => keeper.edit(draft) } });
  }

  return (
    <section className="dispute" aria-labelledby="dispute">
      <h2 id="dispute" className="text-xl">
        This post was changed in two places
      </h2>
      <p className="mt-1 text-muted">
        While you were writing, someone else or an assistant saved another version. Choose which one stays; nothing is
        saved until you do.
      </p>
      {disputed.map((field) => (
        <fieldset key={field} className="sides">
          <legend>{names[field]}</legend>
          {(["mine", "theirs"] as const).map((side) => (
            <label key={side} className="side" htmlFor={`${field}-${side}`}>
              <span className="flex items-center gap-2">
                <input
                  id={`${field}-${side}`}
                  type="radio"
                  name={field}
                  checked={chosen[field] === side}
                  onChange={() => setChosen({ ...chosen, [field]: side })}
                />
                {side === "mine" ? "Yours" : "Saved meanwhile"}
              </span>
              <span className="side-text">
                <Differing
                  text={side === "mine" ? draft[field] : theirs[field]}
                  than={side === "mine" ? theirs[field] : draft[field]}
                />
              </span>
            </label>
          ))}
        </fieldset>
      ))}
      <p>
        <Button onClick={settle} disabled={!isDecided}>
          Keep what I chose
        </Button>
      </p>
    </section>
  );
}

/** So many characters of what both have in common are shown on either side of a difference, so that it is in sight. */
const around = 160;

/** Text with the part that the other does not have marked: what lies between the first and the last difference. */
function Differing({ text, than }: { text: string; than: string }) {
  let start = 0;
  while (start < Math.min(text.length, than.length) && text[start] === than[start]) start++;
  let end = 0;
  while (end < Math.min(text.length, than.length) - start && text.at(-1 - end) === than.at(-1 - end)) end++;
  const before = text.slice(0, start);
  const after = end === 0 ? "" : text.slice(-end);
  return (
    <>
      {before.length > around ? `… ${before.slice(-around).replace(/^\S*\s/, "")}` : before}
      <mark>{text.slice(start, text.length - end)}</mark>
      {after.length > around ? `${after.slice(0, around).replace(/\s\S*$/, "")} …` : after}
    </>
  );
}
