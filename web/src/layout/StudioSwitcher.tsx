import * as Menu from "@radix-ui/react-dropdown-menu";
import { Link } from "@tanstack/react-router";
import { useSwitchStudio } from "./use-switch-studio.ts";
import { useStudio } from "./use-studio.ts";

export function StudioSwitcher() {
  const { studio, me } = useStudio();
  const switchTo = useSwitchStudio();
  return (
    // A modal menu injects a style element to block scrolling, which our Content Security Policy forbids.
    <Menu.Root modal={false}>
      <Menu.Trigger className="bare switcher" aria-label={`Studio: ${studio.name} (Switch studio)`}>
        <span className="line-clamp-2 [overflow-wrap:anywhere]">{studio.name}</span>
        <span aria-hidden="true" className="chevron" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Content className="menu" align="start" sideOffset={6} collisionPadding={12}>
          <Menu.Label className="menu-label">Your studios</Menu.Label>
          {me.memberships.map((membership) => (
            <Menu.Item key={membership.studioId} className="menu-item" onSelect={() => void switchTo(membership)}>
              <span className="min-w-0 flex-1 truncate font-serif text-lg">{membership.studioName}</span>
              <span className="text-sm text-muted">
                {membership.studioId === me.activeStudioId ? "active" : membership.role}
              </span>
            </Menu.Item>
          ))}
          <Menu.Separator className="menu-rule" />
          <Menu.Item className="menu-item" asChild>
            <Link to="/studios/new">New studio…</Link>
          </Menu.Item>
          <p className="menu-note">
            AI clients work in the studio that was active when they connected. To move them after a switch, reconnect
            them.
          </p>
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}
