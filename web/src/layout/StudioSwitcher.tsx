import * as Menu from "@radix-ui/react-dropdown-menu";
import { Link } from "@tanstack/react-router";
import { roleLabels } from "../ui/roles.ts";
import { useSwitchStudio } from "./use-switch-studio.ts";
import { useStudio } from "./use-studio.ts";

const itemClasses =
  "flex cursor-pointer items-baseline gap-4 rounded-sm px-3 py-1.5 text-ink no-underline focus:outline-hidden data-highlighted:bg-wash data-highlighted:shadow-[inset_2px_0_var(--accent)]";

export function StudioSwitcher({ isInTopBar = false }: { isInTopBar?: boolean }) {
  const { studio, me } = useStudio();
  const switchTo = useSwitchStudio();
  return (
    // A modal menu injects a style element to block scrolling, which our Content Security Policy forbids.
    <Menu.Root modal={false}>
      <Menu.Trigger
        className={`flex min-h-11 cursor-pointer items-center justify-between gap-3 rounded-sm border px-3 py-1.5 text-left font-serif text-[1.1rem]/[1.3] hover:border-accent data-[state=open]:border-accent ${isInTopBar ? "-ml-3 max-w-[70%] border-transparent" : "w-full border-rule bg-raised"}`}
        aria-label={`Studio: ${studio.name} (Switch studio)`}
      >
        <span className="line-clamp-2 [overflow-wrap:anywhere]">{studio.name}</span>
        <span
          aria-hidden="true"
          className="-mt-1 size-2 flex-none rotate-45 border-r-[1.5px] border-b-[1.5px] border-muted"
        />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Content
          className="z-20 w-[min(19rem,calc(100vw-1.5rem))] rounded-md border border-rule bg-raised p-2 shadow-xl"
          align="start"
          sideOffset={6}
          collisionPadding={12}
        >
          <Menu.Label className="px-3 py-1.5 text-sm text-muted">Your studios</Menu.Label>
          {me.memberships.map((membership) => (
            <Menu.Item key={membership.studioId} className={itemClasses} onSelect={() => void switchTo(membership)}>
              <span className="min-w-0 flex-1 truncate font-serif text-lg">{membership.studioName}</span>
              <span className="text-sm text-muted">
                {membership.studioId === me.activeStudioId ? "Active" : roleLabels[membership.role]}
              </span>
            </Menu.Item>
          ))}
          <Menu.Separator className="mx-3 my-1.5 h-px bg-rule" />
          <Menu.Item className={itemClasses} asChild>
            <Link to="/studios/new">New studio…</Link>
          </Menu.Item>
          <p className="m-0 px-3 py-1.5 text-sm text-muted">
            AI clients work in the studio that was active when they connected. To move them after a switch, reconnect
            them.
          </p>
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}
