import { useLayoutEffect, useRef } from "react";
import { ChoiceField } from "../ui/Field.tsx";
import { Button } from "../ui/Button.tsx";
import { Dialog, DialogActions } from "../ui/Dialog.tsx";
import { Kbd } from "../ui/Kbd.tsx";
import { useShortcutSettings } from "../ui/Shortcuts.tsx";
import { balanceColumns } from "./balance-columns.ts";

/** Every shortcut that works on the current page. */
export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const { shortcuts, areUnmodifiedKeysOn, setUnmodifiedKeysOn } = useShortcutSettings();
  const shortcutsWithKeys = shortcuts.flatMap(({ keys, ...shortcut }) =>
    keys === undefined ? [] : { keys, ...shortcut },
  );
  const { General: general, ...others } = Object.groupBy(shortcutsWithKeys, ({ group = "General" }) => group);
  const groups = Object.entries({ General: general, ...others }).map(
    ([group, entries = []]) => [group, entries] as const,
  );
  // A dialog focuses its first control, where Space would turn the shortcuts off.
  const closeButton = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => closeButton.current?.focus({ preventScroll: true }), []);
  return (
    <Dialog title="Keyboard shortcuts" size="large" closesOnBackdropClick onClose={onClose}>
      <div className="mt-4 grid gap-x-10 sm:grid-cols-2">
        {balanceColumns(groups).map((column, index) => (
          <div key={index}>
            {column.map(([group, entries]) => (
              <section key={group} className="mb-5">
                <h3 className="mb-1 text-sm text-muted">{group}</h3>
                <dl>
                  {entries.map(({ keys, label }) => (
                    <div key={keys} className="flex min-h-8 items-center justify-between gap-4">
                      <dt>{label}</dt>
                      <dd className={areUnmodifiedKeysOn || keys.startsWith("mod+") ? "" : "opacity-50"}>
                        <Kbd keys={keys} />
                      </dd>
                    </div>
                  ))}
                </dl>
              </section>
            ))}
          </div>
        ))}
      </div>
      <ChoiceField
        className="mt-2 border-t border-rule pt-4"
        type="checkbox"
        label="Use shortcuts without Ctrl or ⌘"
        description="Turn this off if you use speech input, which can type these letters by accident."
        checked={areUnmodifiedKeysOn}
        onChange={(event) => setUnmodifiedKeysOn(event.target.checked)}
      />
      <DialogActions>
        <Button ref={closeButton} variant="secondary" onClick={onClose}>
          Close
        </Button>
      </DialogActions>
    </Dialog>
  );
}
