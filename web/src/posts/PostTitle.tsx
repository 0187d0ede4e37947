import { useStudio } from "../layout/use-studio.ts";
import { isComposing } from "../ui/is-composing.ts";
import { getHighlightClasses } from "./field-classes.ts";
import { TextArea } from "./TextArea.tsx";
import type { EditorController } from "./use-editor.ts";

export function PostTitle({ editor }: { editor: EditorController }) {
  const { may } = useStudio();
  const { title, updatedFields } = editor;
  const isBlank = title.trim() === "";
  return (
    <>
      <h1 className="m-0">
        <label htmlFor="post-title" className="sr-only">
          Title
        </label>
        <TextArea
          id="post-title"
          className={`block min-h-0 resize-none overflow-hidden rounded-md border-transparent bg-transparent px-2 py-1 text-2xl/8 font-semibold tracking-tight [field-sizing:content] read-only:text-muted not-read-only:hover:border-rule focus-visible:border-accent aria-invalid:border-danger! -ml-2 w-[calc(100%+1rem)] ${getHighlightClasses(updatedFields.includes("title"))}`}
          rows={1}
          value={title}
          readOnly={!may("posts.write")}
          maxLength={300}
          aria-invalid={isBlank}
          aria-describedby="title-error"
          // A title is a single line, even if the pasted text is not.
          onEdit={(text) => editor.edit("title", text.replace(/(?<!\s)\s*\n\s*/g, " "))}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || isComposing(event.nativeEvent)) return;
            event.preventDefault();
            document.querySelector<HTMLElement>("#post-body")?.focus();
          }}
        />
      </h1>
      <p id="title-error" className="m-0 text-sm text-danger" role="status">
        {isBlank && "Enter a title. The previous title is kept until you do."}
      </p>
    </>
  );
}
