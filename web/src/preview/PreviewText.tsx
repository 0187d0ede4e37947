import { useLayoutEffect, useMemo, useRef, useState, type CSSProperties } from "react";
import type { PlatformDisplay } from "./platform-displays.ts";
import { splitText, type TextPart } from "./split-text.ts";

/** The text of a post with its links, mentions and tags, collapsed after as many lines as on the platform. */
export function PreviewText({
  title,
  text,
  display: { features, collapsedLines },
}: {
  title: string;
  text: string;
  display: PlatformDisplay;
}) {
  const parts = useMemo(() => splitText(text, features), [text, features]);
  const textElement = useRef<HTMLParagraphElement>(null);
  const [isClipped, setIsClipped] = useState(false);
  const [isExpanded, setIsExpanded] = useState(false);
  const isCollapsed = collapsedLines !== undefined && !isExpanded;

  useLayoutEffect(() => {
    const paragraph = textElement.current;
    if (!paragraph || !isCollapsed) return undefined;
    const measure = (): void => setIsClipped(paragraph.scrollHeight > paragraph.clientHeight + 1);
    const observer = new ResizeObserver(measure);
    observer.observe(paragraph);
    measure();
    return () => observer.disconnect();
  }); // whenever it renders, because the size of collapsed text does not change with the text

  if (text === "" && title === "") return null;
  return (
    <div className="px-4 py-3">
      {title !== "" && <p className="m-0 mb-1 font-semibold [overflow-wrap:anywhere]">{title}</p>}
      {text !== "" && (
        <p
          ref={textElement}
          className={`m-0 whitespace-pre-wrap [overflow-wrap:anywhere] ${isCollapsed ? "line-clamp-(--collapsed-lines)" : ""}`}
          style={{ "--collapsed-lines": collapsedLines } as CSSProperties}
        >
          {parts.map((part, i) => (
            <Part key={i} {...part} />
          ))}
        </p>
      )}
      {collapsedLines !== undefined && isClipped && (
        <button
          type="button"
          className="mt-1 min-h-8 cursor-pointer text-accent underline"
          aria-expanded={isExpanded}
          onClick={() => setIsExpanded(!isExpanded)}
        >
          {isExpanded ? "See less" : "See more"}
        </button>
      )}
    </div>
  );
}

function Part({ text, kind }: TextPart) {
  if (kind === "text") return text;
  if (kind === "link" && URL.canParse(text))
    return (
      <a href={text} target="_blank" rel="noopener noreferrer nofollow">
        {text}
      </a>
    );
  return (
    <span className="text-accent" data-kind={kind}>
      {text}
    </span>
  );
}
