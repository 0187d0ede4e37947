import { ChevronsUpDown, Keyboard, LogOut } from "lucide-react";
import { redirectTo, signOut } from "../api/client.ts";
import { Avatar } from "../ui/Avatar.tsx";
import { Menu, MenuItem, MenuLabel, MenuRadioGroup, MenuRadioItem, MenuSeparator } from "../ui/Menu.tsx";
import { roleLabels } from "../ui/roles.ts";
import { useToast } from "../ui/Toasts.tsx";
import { useMediaQuery } from "../ui/use-media-query.ts";
import { useCommands } from "./commands.ts";
import { setTheme, themes, useTheme } from "./theme.ts";
import { useStudio } from "./use-studio.ts";

export function AccountMenu() {
  const { me, studio } = useStudio();
  const theme = useTheme();
  const { openShortcutHelp } = useCommands();
  const handleSignOut = useSignOut();
  const isTouch = useMediaQuery("(pointer: coarse)");
  return (
    <Menu
      label="Account"
      align="start"
      side="top"
      className="w-60"
      trigger={
        <button
          type="button"
          className="flex min-h-11 w-full min-w-0 cursor-pointer items-center gap-2.5 rounded-md px-2 text-left hover:bg-hover data-[state=open]:bg-hover"
        >
          <Avatar name={me.user.name} />
          <span className="sr-only">Account: </span>
          <span className="min-w-0 flex-1 leading-tight">
            <span className="block truncate font-medium" title={me.user.name}>
              {me.user.name}
            </span>
            <span className="block text-xs text-muted">{roleLabels[studio.role]}</span>
          </span>
          <ChevronsUpDown size={16} className="flex-none text-muted" aria-hidden="true" />
        </button>
      }
    >
      {me.user.email !== null && (
        <>
          <MenuLabel>{me.user.email}</MenuLabel>
          <MenuSeparator />
        </>
      )}
      <MenuLabel>Theme</MenuLabel>
      <MenuRadioGroup label="Theme" value={theme} onChange={setTheme}>
        {themes.map((option) => (
          <MenuRadioItem key={option.theme} value={option.theme} icon={option.icon}>
            {option.label}
          </MenuRadioItem>
        ))}
      </MenuRadioGroup>
      {!isTouch && (
        <>
          <MenuSeparator />
          <MenuItem icon={Keyboard} shortcut="?" onSelect={openShortcutHelp}>
            Keyboard shortcuts
          </MenuItem>
        </>
      )}
      <MenuSeparator />
      <MenuItem icon={LogOut} onSelect={() => void handleSignOut()}>
        Sign out
      </MenuItem>
    </Menu>
  );
}

export function useSignOut(): () => Promise<void> {
  const showToast = useToast();
  return async () => {
    try {
      await signOut();
    } catch {
      showToast({ text: "Couldn’t sign out. Try again." });
      return;
    }
    await redirectTo("/");
  };
}
