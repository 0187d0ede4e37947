import { useRouter, type ErrorComponentProps } from "@tanstack/react-router";
import { isNotFound } from "../api/api-error.ts";
import { ButtonLink } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { useDocumentTitle } from "../ui/PageHeader.tsx";
import { CenteredLayout } from "./CenteredLayout.tsx";

export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  useDocumentTitle("This page couldn’t be loaded");
  if (isNotFound(error)) return <NotFoundPage />;
  return (
    <CenteredLayout>
      <h1>This page couldn’t be loaded</h1>
      <ErrorMessage
        error={error}
        onRetry={() => {
          reset();
          void router.invalidate();
        }}
      />
    </CenteredLayout>
  );
}

export function NotFoundPage() {
  useDocumentTitle("Page not found");
  return (
    <CenteredLayout>
      <h1>Page not found</h1>
      <p className="max-w-[60ch] text-muted">
        This page may have been deleted, or it may belong to a studio you aren’t a member of. Ask the person who sent
        you the link, or sign in with another account.
      </p>
      <p>
        <ButtonLink to="/">Go to your studio</ButtonLink>
      </p>
    </CenteredLayout>
  );
}
