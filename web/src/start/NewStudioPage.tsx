import { useRouter } from "@tanstack/react-router";
import { Brand } from "../frame/Brand.tsx";
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
        <h1>A new studio</h1>
        <p className="intro">
          You will be its owner, and it becomes your active studio: assistants you connect from then on work in it.
          Those already connected stay where they are until they reconnect.
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
