import { Fragment, type ReactNode } from "react";

/** Parts of a line of text with dots between them. If the line wraps, no dot is at the start or end of a line. */
export function DotSeparated({ parts }: { parts: readonly ReactNode[] }) {
  return (
    // Every part starts with a dot. Those at the start of a line are outside of the clip path.
    <span className="-ml-4 flex flex-wrap [clip-path:inset(-0.5rem_-0.5rem_-0.5rem_0.75rem)]">
      {parts.map((part, index) => (
        // The parts of a line keep their order.
        <Fragment key={index}>
          {/* Separates the parts in copied text and for screen readers. */}
          {index > 0 && " "}
          <span className="relative min-w-0 pl-4 before:absolute before:left-1.5 before:content-['·'/'']">{part}</span>
        </Fragment>
      ))}
    </span>
  );
}
