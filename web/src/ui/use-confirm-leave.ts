import { useRouter, type BlockerFn } from "@tanstack/react-router";
import { useEffect, useEffectEvent } from "react";
import { useConfirm } from "./Confirm.tsx";
import { hasOpenDialog } from "./use-close-on-back.ts";

interface LeaveQuestion {
  title: string;
  /** Explains the consequences. */
  body: string;
}

/**
 * While `isEnabled`, runs `findQuestion` before the user opens another page of the web app. If it returns a question, the
 * user stays until they confirm it.
 */
export function useConfirmLeave(isEnabled: boolean, findQuestion: () => Promise<LeaveQuestion | undefined>): void {
  const { history } = useRouter();
  const confirm = useConfirm();
  const shouldBlock = useEffectEvent(async ({ currentLocation, nextLocation, action }: Parameters<BlockerFn>[0]) => {
    // Panels and filters are other URLs of the same page.
    if (nextLocation.pathname === currentLocation.pathname) return false;
    // Going back closes the dialog instead.
    if (action === "BACK" && hasOpenDialog()) return false;
    const question = await findQuestion();
    if (!question) return false;
    confirm({
      ...question,
      action: "Leave",
      dismiss: "Stay",
      busyLabel: "Leaving…",
      run: async () => {
        const options = { ignoreBlocker: true };
        if (action === "PUSH") history.push(nextLocation.href, nextLocation.state, options);
        else if (action === "REPLACE") history.replace(nextLocation.href, nextLocation.state, options);
        else history.go(nextLocation.state.__TSR_index - currentLocation.state.__TSR_index, options);
      },
    });
    return true;
  });

  useEffect(
    () =>
      isEnabled
        ? history.block({ blockerFn: (navigation) => shouldBlock(navigation), enableBeforeUnload: false })
        : undefined,
    [history, isEnabled],
  );
}
