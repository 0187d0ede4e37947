import { createContext, use } from "react";

interface Commands {
  openPalette: () => void;
  openShortcutHelp: () => void;
}

export const CommandContext = createContext<Commands>({ openPalette: () => {}, openShortcutHelp: () => {} });

/** Opens the command palette and the help sheet, from anywhere in a studio. */
export const useCommands = (): Commands => use(CommandContext);
