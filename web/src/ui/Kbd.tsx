import { formatKeys } from "./shortcut-keys.ts";

/** The keys of a shortcut, in the notation of `useShortcut`: "mod+k", "g p". */
export function Kbd({ keys }: { keys: string }) {
  return (
    <span className="inline-flex flex-none items-center gap-1">
      {formatKeys(keys).map((key, index) => (
        <kbd
          key={index}
          className="min-w-[1.4em] rounded-sm border border-current/25 px-1 text-center font-sans text-[0.7rem]/4"
        >
          {key}
        </kbd>
      ))}
    </span>
  );
}
