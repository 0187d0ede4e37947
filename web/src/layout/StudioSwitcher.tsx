import { ChevronsUpDown, Plus } from "lucide-react";
import { getFirstCharacter } from "../ui/first-character.ts";
import { Menu, MenuLabel, MenuLink, MenuRadioGroup, MenuRadioItem, MenuSeparator } from "../ui/Menu.tsx";
import { roleLabels } from "../ui/roles.ts";
import { useSwitchStudio } from "./use-switch-studio.ts";
import { useStudio } from "./use-studio.ts";

export function StudioSwitcher() {
  const { studio, me } = useStudio();
  const switchTo = useSwitchStudio();
  return (
    <Menu
      label="Your studios"
      align="start"
      className="w-80"
      trigger={
        <button
          type="button"
          className="flex min-h-10 w-full min-w-0 cursor-pointer items-center gap-2.5 rounded-md px-2 text-left font-semibold hover:bg-hover data-[state=open]:bg-hover pointer-coarse:min-h-11"
        >
          <StudioMark name={studio.name} />
          <span className="sr-only">Studio: </span>
          <span className="min-w-0 flex-1 truncate" title={studio.name}>
            {studio.name}
          </span>
          <span className="sr-only"> (Switch studio)</span>
          <ChevronsUpDown size={16} className="flex-none text-muted" aria-hidden="true" />
        </button>
      }
    >
      <MenuLabel>Your studios</MenuLabel>
      <MenuRadioGroup
        label="Your studios"
        value={studio.id}
        onChange={(studioId) => {
          const membership = me.memberships.find((candidate) => candidate.studioId === studioId);
          if (membership) void switchTo(membership);
        }}
      >
        {me.memberships.map((membership) => (
          <MenuRadioItem
            key={membership.studioId}
            value={membership.studioId}
            detail={`${roleLabels[membership.role]}${membership.studioId === me.activeStudioId ? ", active" : ""}`}
          >
            <span className="line-clamp-2 [overflow-wrap:anywhere] whitespace-normal" title={membership.studioName}>
              {membership.studioName}
            </span>
          </MenuRadioItem>
        ))}
      </MenuRadioGroup>
      <MenuSeparator />
      <MenuLink icon={Plus} to="/studios/new">
        New studio…
      </MenuLink>
      <p className="m-0 px-2.5 pt-1 pb-2 text-xs text-muted">
        AI clients work in the studio that was active when they connected. To move them after a switch, reconnect them.
      </p>
    </Menu>
  );
}

/** The first letter of a studio's name on a tile, so that users recognize a studio at a glance. */
const StudioMark = ({ name }: { name: string }) => (
  <span
    aria-hidden="true"
    className="grid size-6 flex-none place-items-center rounded-md bg-accent text-sm font-semibold leading-none text-accent-ink"
  >
    {/* Centers the letter itself. Fonts differ in the space that they reserve below the baseline. */}
    <span className="[text-box:trim-both_cap_alphabetic]">{getFirstCharacter(name)}</span>
  </span>
);
