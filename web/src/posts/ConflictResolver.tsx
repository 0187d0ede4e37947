import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { changesSinceQuery } from "../api/history-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { formatActors } from "../ui/format-actor.ts";
import { restoreFocusSoon } from "../ui/restore-focus.ts";
import { useToast } from "../ui/Toasts.tsx";
import { getSavedValue, joinParts, listParts, type Field, type Side } from "./post-edits.ts";
import { isConflict, type ConflictPart } from "./merge-text.ts";
import type { EditorController } from "./use-editor.ts";

const fieldLabels: Partial<Record<Field, string>> = { title: "Title", body: "Text" };

/** The texts for a conflict with another user or an AI client, and for one with the user's own changes. */
const labelsByAuthor = {
  others: {
    mine: "Your version",
    theirs: "Their version",
    apply: "Use selected",
    applied: "Using their version.",
    restore: "Restore mine",
  },
  own: {
    mine: "This tab",
    theirs: "Other tab or device",
    apply: "Keep selected version",
    applied: "Using the version from the other tab or device.",
    restore: "Restore this tab’s version",
  },
};

interface Conflict {
  key: string;
  label: string;
  part: ConflictPart;
}

/** Shows both versions of each part that both sides changed, and lets the user choose. All other parts are already merged. */
export function ConflictResolver({ editor }: { editor: EditorController }) {
  const { post } = editor;
  const { studio, me } = useStudio();
  const showToast = useToast();
  const texts = editor.conflicts
    .filter(({ field }) => fieldLabels[field] !== undefined)
    .map((edit) => ({ ...edit, parts: listParts(edit.field, edit.base, edit.value, getSavedValue(post, edit.field)) }));
  const firstRevision = Math.min(...texts.map(({ revision }) => revision));
  const changes = useQuery(changesSinceQuery(studio.id, post.id, firstRevision, post.revision)).data ?? [];
  const hasOnlyOwnChanges =
    changes.length > 0 && changes.every(({ user, client }) => user?.id === me.user.id && client === null);
  const labels = labelsByAuthor[hasOnlyOwnChanges ? "own" : "others"];
  const [choices, setChoices] = useState<Partial<Record<string, Side>>>({});
  const conflicts = texts.flatMap(({ field, parts }) => listConflicts(field, parts.filter(isConflict)));
  const hasAllChoices = conflicts.every(({ key }) => choices[key] !== undefined);

  function applyChoices(): void {
    for (const { field, parts } of texts) {
      const sides = listConflicts(field, parts.filter(isConflict)).map(({ key }) => choices[key] ?? "mine");
      editor.resolve(
        field,
        joinParts(parts, (index) => sides[index] ?? "mine"),
      );
    }
    restoreFocusSoon();
    const restoreMine = (): void => {
      for (const { field, value } of texts) editor.edit(field, value);
    };
    if (conflicts.some(({ key }) => choices[key] === "theirs"))
      showToast({ text: labels.applied, action: { label: labels.restore, run: restoreMine } });
  }

  return (
    <section
      className="mb-8 rounded-lg border border-l-3 border-rule border-l-danger bg-raised p-5"
      aria-labelledby="conflict"
    >
      <h2 id="conflict" className="text-xl">
        This post was changed in two places
      </h2>
      <p className="mt-1 text-muted">
        While you were editing,{" "}
        {hasOnlyOwnChanges
          ? "you also changed this part in another tab or on another device."
          : `the same part was changed by ${changes.length === 0 ? "another member or an AI client" : formatActors(changes)}.`}{" "}
        Choose which version to keep; all other changes are merged. Your changes aren’t saved until you choose.
      </p>
      {conflicts.map(({ key, label, part }) => (
        <fieldset key={key} className="mt-4 grid grid-cols-1 gap-4 sm:grid-cols-2">
          <legend className="mb-2 text-sm text-muted">{label}</legend>
          {(["mine", "theirs"] as const).map((side) => (
            <label
              key={side}
              className="min-w-0 cursor-pointer rounded-sm border border-rule p-3 has-checked:border-accent has-checked:bg-wash"
              htmlFor={`${key}-${side}`}
            >
              <span className="flex items-center gap-2">
                <input
                  className="m-0"
                  id={`${key}-${side}`}
                  type="radio"
                  name={key}
                  checked={choices[key] === side}
                  onChange={() => setChoices({ ...choices, [key]: side })}
                />
                {labels[side]}
              </span>
              <span className="mt-3 block max-h-72 overflow-auto font-normal whitespace-pre-wrap [overflow-wrap:anywhere]">
                <DiffHighlight
                  text={part[side].join("\n")}
                  otherText={part[side === "mine" ? "theirs" : "mine"].join("\n")}
                />
              </span>
            </label>
          ))}
        </fieldset>
      ))}
      <p>
        <Button onClick={applyChoices} disabled={!hasAllChoices}>
          {labels.apply}
        </Button>
      </p>
    </section>
  );
}

/** The key contains both texts, so that a choice no longer applies when one of them changes. */
const listConflicts = (field: Field, parts: readonly ConflictPart[]): Conflict[] =>
  parts.map((part, i) => ({
    key: JSON.stringify([field, i, part]),
    label: `${fieldLabels[field] ?? ""}${parts.length === 1 ? "" : `, part ${i + 1} of ${parts.length}`}`,
    part,
  }));

/** The number of unchanged characters to show on either side of a difference. */
const contextLength = 160;

/** Highlights everything between the first and the last difference. */
function DiffHighlight({ text, otherText }: { text: string; otherText: string }) {
  if (text === "") return <i className="text-muted">Removed</i>;
  let prefixLength = 0;
  while (prefixLength < Math.min(text.length, otherText.length) && text[prefixLength] === otherText[prefixLength])
    prefixLength++;
  let suffixLength = 0;
  while (
    suffixLength < Math.min(text.length, otherText.length) - prefixLength &&
    text.at(-1 - suffixLength) === otherText.at(-1 - suffixLength)
  )
    suffixLength++;
  const before = text.slice(0, prefixLength);
  const after = suffixLength === 0 ? "" : text.slice(-suffixLength);
  return (
    <>
      {before.length > contextLength ? `… ${before.slice(-contextLength).replace(/^\S*\s/, "")}` : before}
      <mark>{text.slice(prefixLength, text.length - suffixLength)}</mark>
      {after.length > contextLength ? `${after.slice(0, contextLength).replace(/\s\S*$/, "")} …` : after}
    </>
  );
}
