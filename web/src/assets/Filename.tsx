import { splitFilename } from "./split-filename.ts";

/** The name of a file in one line. A name that is too long is shortened in the middle. */
export function Filename({ name, className = "" }: { name: string; className?: string }) {
  const parts = splitFilename(name);
  if (!parts)
    return (
      <span className={`block truncate ${className}`} title={name}>
        {name}
      </span>
    );
  const [start, end] = parts;
  return (
    <span className={`block ${className}`} title={name}>
      <span className="sr-only">{name}</span>
      <span className="flex whitespace-pre" aria-hidden="true">
        <span className="truncate">{start}</span>
        <span className="flex-none">{end}</span>
      </span>
    </span>
  );
}
