import { getFirstCharacter } from "../ui/first-character.ts";

/** The first letter of a studio's name on a tile, so that users recognize a studio at a glance. */
export const StudioMark = ({ name }: { name: string }) => (
  <span
    aria-hidden="true"
    className="grid size-6 flex-none place-items-center rounded-md bg-accent font-serif text-sm text-accent-ink"
  >
    {getFirstCharacter(name)}
  </span>
);
