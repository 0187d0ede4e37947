/** The end of a name, which tells versions and types apart, is always visible if the name has at least this length. */
const minSplitLength = 20;
const endLength = 12;
const segmenter = new Intl.Segmenter();
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;

/** The name of a file in one line. A name that is too long is shortened in the middle. */
export function Filename({ name, className = "" }: { name: string; className?: string }) {
  const characters = Array.from(segmenter.segment(name), ({ segment }) => segment);
  if (characters.length < minSplitLength || rightToLeft.test(name))
    return (
      <span className={`block truncate ${className}`} title={name}>
        {name}
      </span>
    );
  return (
    <span className={`block ${className}`} title={name}>
      <span className="sr-only">{name}</span>
      <span className="flex whitespace-pre" aria-hidden="true">
        <span className="truncate">{characters.slice(0, -endLength).join("")}</span>
        <span className="flex-none">{characters.slice(-endLength).join("")}</span>
      </span>
    </span>
  );
}
