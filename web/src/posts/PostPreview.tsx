import { Fragment } from "react";
import { useStudio } from "../layout/use-studio.ts";
import { bodyHeightClasses } from "./field-classes.ts";

/** The text of the post, with paragraphs and clickable URLs. */
export function PostPreview({ text }: { text: string }) {
  const { may } = useStudio();
  const paragraphs = text.split(/\n{2,}/).filter((paragraph) => paragraph.trim() !== "");
  return (
    // As large as the field that it replaces, so that the page stays in place.
    <div
      className={`rounded-md border border-rule bg-raised px-4 py-3 text-lg/7 [overflow-wrap:anywhere] *:first:mt-0 ${may("posts.write") ? bodyHeightClasses : ""}`}
    >
      {paragraphs.length === 0 && <p className="text-muted">No text yet.</p>}
      {paragraphs.map((paragraph, i) => (
        <p key={i} className="whitespace-pre-line">
          <LinkifiedText text={paragraph} />
        </p>
      ))}
    </div>
  );
}

/** Punctuation at the end of a URL usually belongs to the sentence. */
const urlPattern = /(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]])/i;

function LinkifiedText({ text }: { text: string }) {
  return text.split(urlPattern).map((part, i) =>
    i % 2 === 1 && URL.canParse(part) ? (
      <a key={i} href={part} target="_blank" rel="noopener noreferrer nofollow">
        {part}
      </a>
    ) : (
      <Fragment key={i}>{part}</Fragment>
    ),
  );
}
