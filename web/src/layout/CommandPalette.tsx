import { Command } from "cmdk";
import { Search, X } from "lucide-react";
import { useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { Dialog } from "../ui/Dialog.tsx";
import { IconButton } from "../ui/IconButton.tsx";
import { Kbd } from "../ui/Kbd.tsx";
import { getTypedText, stopCollecting } from "./collect-typing.ts";
import { PaletteGroup, PaletteItem } from "./PaletteItem.tsx";
import { PaletteResults } from "./PaletteResults.tsx";
import { studiosGroup, usePaletteCommands, type PaletteCommand } from "./use-palette-commands.ts";

/** The typed text no longer changes once the field has the focus. */
const subscribe = () => () => {};

/** Searches posts, the library and every command by text. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  // What the user typed while the palette was loading, also between this render and the effect below.
  const typedText = useSyncExternalStore(subscribe, getTypedText);
  const [editedText, setText] = useState<string>();
  const text = editedText ?? typedText;
  const query = text.trim();
  const isStudio = ({ group }: PaletteCommand): boolean => query !== "" && group === studiosGroup;
  const commands = usePaletteCommands().filter((command) => matches(command, query));
  // Studios follow the results, so that a search for a post does not preselect a studio with the word in its name.
  const [firstCommands, studioCommands] = [commands.filter((command) => !isStudio(command)), commands.filter(isStudio)];
  // A dialog focuses its first focusable element, which is the root of the list. The field gets the focus before the
  // browser paints, so that no letter is lost.
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    input.current?.focus();
    stopCollecting();
  }, []);
  const [statusSlot, setStatusSlot] = useState<HTMLElement | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const [selectedValue, setSelectedValue] = useState("");
  // New results may have replaced the selected one, and Enter needs a selection.
  const selectFirstIfNone = (): void => {
    if (list.current?.querySelector("[aria-selected=true]")) return;
    setSelectedValue(list.current?.querySelector<HTMLElement>("[role=option]")?.dataset["value"] ?? "");
  };
  const closeAndRun = (run: () => void) => () => {
    // In this order, because the dialog returns the focus when it closes, and the command may move it.
    onClose();
    run();
  };
  return (
    <Dialog title="Search and commands" placement="top" onClose={onClose}>
      <Command
        shouldFilter={false}
        loop
        value={selectedValue}
        onValueChange={setSelectedValue}
        label="Search and commands"
        className="flex max-h-[clamp(min(32rem,80dvh),65dvh,44rem)] flex-col outline-none"
      >
        <div className="flex items-center gap-2.5 border-b border-rule pr-1 pl-4">
          <Search size={18} className="flex-none text-muted" aria-hidden="true" />
          <Command.Input
            ref={input}
            value={text}
            onValueChange={setText}
            maxLength={200}
            placeholder="Search or type a command"
            className="min-h-13 border-0 bg-transparent px-0 outline-none"
          />
          <IconButton
            icon={X}
            label="Close"
            className="size-11 sm:pointer-fine:hidden"
            onClick={onClose}
            // Otherwise, Enter would also run the selected command.
            onKeyDown={(event) => event.stopPropagation()}
          />
        </div>
        {/* The end of the list fades out, which shows that it continues. At its end, only the padding does. */}
        <Command.List
          ref={list}
          className="order-2 min-h-0 flex-1 scroll-pb-6 overflow-y-auto p-1.5 pb-6 mask-b-from-[calc(100%-1.5rem)]"
          label="Results"
        >
          <CommandGroups commands={firstCommands} closeAndRun={closeAndRun} />
          {query !== "" && (
            <PaletteResults
              query={query}
              closeAndRun={closeAndRun}
              onRender={selectFirstIfNone}
              statusSlot={statusSlot}
            >
              <CommandGroups commands={studioCommands} closeAndRun={closeAndRun} />
            </PaletteResults>
          )}
        </Command.List>
        {/* Before an offer to create what was not found, and below commands, which must not move. */}
        <p
          ref={setStatusSlot}
          role="status"
          className={`mx-4 text-sm text-muted empty:hidden ${commands.length === 0 ? "order-1 mt-3" : "order-3 mt-0 mb-3"}`}
        />
      </Command>
    </Dialog>
  );
}

function CommandGroups({
  commands,
  closeAndRun,
}: {
  commands: PaletteCommand[];
  closeAndRun: (run: () => void) => () => void;
}) {
  return Object.entries(Object.groupBy(commands, ({ group }) => group)).map(([group, entries = []]) => (
    <PaletteGroup key={group} heading={group}>
      {entries.map(({ label, icon: Icon, detail, keys, run }) => (
        <PaletteItem key={label} value={`${group} ${label}`} onSelect={closeAndRun(run)}>
          <Icon size={16} className="flex-none text-muted" aria-hidden="true" />
          <span className="min-w-0 flex-1 truncate">{label}</span>
          {detail !== undefined && <span className="text-sm text-muted">{detail}</span>}
          {keys !== undefined && (
            <span className="text-muted pointer-coarse:hidden">
              <Kbd keys={keys} />
            </span>
          )}
        </PaletteItem>
      ))}
    </PaletteGroup>
  ));
}

/** Every word of the query has to start a word of the command. */
function matches({ label, group, keywords = "" }: PaletteCommand, query: string): boolean {
  const words = `${group} ${label} ${keywords}`.toLowerCase().split(/\s+/);
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((part) => words.some((word) => word.startsWith(part)));
}
