import { useState, type ReactNode } from "react";
import { FormDialog } from "../ui/FormDialog.tsx";
import { ApprovalChoices, useApprovalSelection, type ReturnedPublication } from "./ApprovalChoices.tsx";

interface Labels {
  title: string;
  /** The label of the button that continues. */
  action: string;
}

interface Question extends Labels {
  publications: readonly ReturnedPublication[];
  onAnswer: (chosenIds: string[] | undefined) => void;
}

/**
 * Asks which publications an undo or restore schedules again, if there are any. Resolves to their ids, or to undefined
 * if the user cancels. The component has to render `dialog`.
 */
export function useApprovalDialog(): {
  chooseApprovals: (publications: readonly ReturnedPublication[], labels: Labels) => Promise<string[] | undefined>;
  dialog: ReactNode;
} {
  const [question, setQuestion] = useState<Question>();
  return {
    chooseApprovals: async (publications, labels) => {
      if (publications.length === 0) return [];
      const { promise, resolve } = Promise.withResolvers<string[] | undefined>();
      setQuestion({ ...labels, publications, onAnswer: resolve });
      return promise.finally(() => setQuestion(undefined));
    },
    dialog: question && <ApprovalDialog question={question} />,
  };
}

function ApprovalDialog({ question: { title, action, publications, onAnswer } }: { question: Question }) {
  const selection = useApprovalSelection(publications);
  return (
    <FormDialog
      title={title}
      submitLabel={action}
      busyLabel={action}
      onSubmit={async () => onAnswer(selection.chosenIds)}
      onClose={() => onAnswer(undefined)}
    >
      <ApprovalChoices publications={publications} selection={selection} />
    </FormDialog>
  );
}
