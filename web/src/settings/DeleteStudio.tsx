import { useNavigate } from "@tanstack/react-router";
import { deleteStudio } from "../api/mutations.ts";
import { queryClient } from "../api/query-client.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { useConfirm } from "../ui/Confirm.tsx";
import { Section } from "../ui/Section.tsx";
import { useToast } from "../ui/Toasts.tsx";

export function DeleteStudio() {
  const { studio } = useStudio();
  const navigate = useNavigate();
  const confirm = useConfirm();
  const showToast = useToast();

  function confirmDelete(): void {
    confirm({
      title: `Delete ${studio.name}?`,
      body: (
        <p>
          This permanently deletes the studio and everything in it, for all members. Scheduled posts won’t be published.
          Posts already published on platforms stay there.
        </p>
      ),
      typeToConfirm: studio.name,
      action: "Delete permanently",
      busyLabel: "Deleting…",
      run: async () => {
        await deleteStudio(studio.id, studio.name);
        // Not awaited, so that the dialog closes before the next page receives the focus.
        void openStartPage();
      },
    });
  }

  async function openStartPage(): Promise<void> {
    await navigate({ to: "/" });
    queryClient.removeQueries({ queryKey: ["studio", studio.id] });
    showToast({ text: `${studio.name} was deleted.` });
  }

  return (
    <Section title="Delete studio">
      <p className="mt-0 max-w-[38rem]">
        Permanently deletes {studio.name} and all its posts, files, publications, connected accounts and activity. All
        members and AI clients lose access. This can’t be undone.
      </p>
      <p>
        <Button variant="dangerOutline" onClick={confirmDelete}>
          Delete studio…
        </Button>
      </p>
    </Section>
  );
}
