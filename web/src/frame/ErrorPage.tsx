import { Link, useRouter, type ErrorComponentProps } from "@tanstack/react-router";
import { isNotFound } from "../api/api-error.ts";
import { Brand } from "./Brand.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { useDocumentTitle } from "../ui/PageHeader.tsx";

/** A page that could not be shown. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  useDocumentTitle("Something is in the way");
  if (isNotFound(error)) return <NotFoundPage />;
  return (
    <main id="main" className="alone">
      <Brand />
      <h1>Something is in the way</h1>
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
  useDocumentTitle("Not found");
  return (
    <main id="main" className="alone">
      <Brand />
      <h1>There is nothing at this address</h1>
      <p className="text-muted">
        It may have been deleted, or it belongs to a studio you are not a member of. Ask whoever gave you the link, or
        sign in with another account.
      </p>
      <p className="flex flex-wrap gap-3">
        <Link className="button" to="/">
          Go to your studio
        </Link>
      </p>
    </main>
  );
}
