import { TriangleAlert } from "lucide-react";
import { listMarkdownForms, removeMarkdown } from "#portable/markdown.ts";
import { Button } from "../ui/Button.tsx";

/** Warns of Markdown in a text, which platforms show as it is typed, and removes it. */
export function MarkdownNotice({ text, onFix }: { text: string; onFix: ((text: string) => void) | undefined }) {
  const forms = listMarkdownForms(text);
  return (
    <div role="status" className="text-sm text-warning">
      {forms.length > 0 && (
        <p className="mt-1 mb-0 flex flex-wrap items-center gap-x-2">
          <TriangleAlert size={14} className="flex-none" aria-hidden="true" />
          <span>Readers see these characters as they are: {forms.join(", ")}</span>
          {onFix && (
            <Button variant="quiet" size="small" onClick={() => onFix(removeMarkdown(text))}>
              Remove formatting
            </Button>
          )}
        </p>
      )}
    </div>
  );
}
