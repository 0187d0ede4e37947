/** Text that wraps at spaces, not at hyphens, as in a flag or a name. Only a word that is longer than a line is broken. */
export const WholeWords = ({ text }: { text: string }) =>
  text.split(/( +)/).map((part, i) =>
    i % 2 === 1 ? (
      part
    ) : (
      <span key={i} className="inline-block max-w-full indent-0">
        {part}
      </span>
    ),
  );
