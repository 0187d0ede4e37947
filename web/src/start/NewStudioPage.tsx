import { useRouter } from "@tanstack/react-router";
import { CenteredLayout } from "../layout/CenteredLayout.tsx";
import { useDocumentTitle } from "../ui/PageHeader.tsx";
import { Hero } from "./Hero.tsx";
import { StudioForm } from "./StudioForm.tsx";

export function NewStudioPage() {
  const router = useRouter();
  useDocumentTitle("New studio");
  return (
    <CenteredLayout>
      <Hero
        title="New studio"
        intro="You’ll be its owner, and it will become your active studio. AI clients you connect from now on will work in it; those already connected stay in their current studio until you reconnect them."
      >
        <StudioForm onCancel={() => router.history.back()} />
      </Hero>
    </CenteredLayout>
  );
}
