import { Bot } from "lucide-react";
import { getFirstCharacter } from "./first-character.ts";
import { formatActor } from "./format-actor.ts";

const sizeClasses = { small: "size-5 text-[0.625rem]", medium: "size-7 text-xs" };

/** The initials of a person, or an icon for an AI client. Screen readers get the name from the text beside it. */
export function Avatar({
  name,
  client,
  size = "medium",
}: {
  name: string;
  /** The AI client that acted for this person. */
  client?: { name: string } | null | undefined;
  size?: keyof typeof sizeClasses;
}) {
  return (
    <span
      aria-hidden="true"
      title={formatActor({ name }, client)}
      className={`inline-grid flex-none place-items-center rounded-full font-semibold select-none ${sizeClasses[size]} ${client ? "bg-info-wash text-info" : "bg-wash text-ink"}`}
    >
      {client ? <Bot size={size === "small" ? 12 : 16} /> : getInitials(name)}
    </span>
  );
}

/** The first letters of the first and last word: "Ada Lovelace" becomes "AL". */
function getInitials(name: string): string {
  const words = name.split(/\s+/).filter((word) => /\p{L}|\p{N}/u.test(word));
  return [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => getFirstCharacter(word ?? "")).join("");
}
