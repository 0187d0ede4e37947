import { Link, useRouter, type ErrorComponentProps } from "@tanstack/react-router";
import { isNotFound } from "../api/api-error.ts";
import { Brand } from "./Brand.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { useDocumentTitle } from "../ui/PageHeader.tsx";

export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  useDocumentTitle("This page couldn’t be loaded");
  if (isNotFound(error)) return <NotFoundPage />;
  return (
    <main id="main" className="alone">
      <Brand />
      <h1>This page couldn’t be loaded</h1>
      <ErrorMessage
        error={error}
        onRetry={() => {
          reset();
          void router.invalidate();
        }}
      />
    </main>
  );
}

export function NotFoundPage() {
  useDocumentTitle("Page not found");
  return (
    <main id="main" className="alone">
      <Brand />
      <h1>Page not found</h1>
      <p className="text-muted">
        It may have been deleted, or it belongs to a studio you aren’t a member of. Ask the person who sent you the
        link, or sign in with another account.
      </p>
      <p className="flex flex-wrap gap-3">
        <Link className="button" to="/">
          Go to your studio
        </Link>
      </p>
    </main>
  );
}
