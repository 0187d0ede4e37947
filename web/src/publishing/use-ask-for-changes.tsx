import { useState, type ReactNode } from "react";
import { AskForChangesDialog, type ReviewedProposal } from "./AskForChangesDialog.tsx";

/** For the page of a proposal: `changesDialog` stays open, with its text, when someone else decides meanwhile. */
export function useAskForChanges(): {
  askForChanges: (proposal: ReviewedProposal) => void;
  changesDialog: ReactNode;
} {
  const [proposal, setProposal] = useState<ReviewedProposal>();
  return {
    askForChanges: setProposal,
    changesDialog: proposal && <AskForChangesDialog {...proposal} onClose={() => setProposal(undefined)} />,
  };
}
