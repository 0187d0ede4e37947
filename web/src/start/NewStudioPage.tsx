import { useRouter } from "@tanstack/react-router";
import { Brand } from "../layout/Brand.tsx";
import { Button } from "../ui/Button.tsx";
import { useDocumentTitle } from "../ui/PageHeader.tsx";
import { StudioForm } from "./StudioForm.tsx";

export function NewStudioPage() {
  const router = useRouter();
  useDocumentTitle("New studio");
  return (
    <main id="main" className="catalogue">
      <Brand />
      <section className="lead">
        <h1>New studio</h1>
        <p className="intro">
          You’ll be its owner, and it becomes your active studio: AI clients you connect from now on work in it.
          Connected AI clients stay in their current studio until they reconnect.
        </p>
        <StudioForm />
        <p>
          <Button variant="quiet" onClick={() => router.history.back()}>
            Back
          </Button>
        </p>
      </section>
    </main>
  );
}
