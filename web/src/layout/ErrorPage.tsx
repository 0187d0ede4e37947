import { useRouter, type ErrorComponentProps } from "@tanstack/react-router";
import { RotateCw } from "lucide-react";
import { isNotFound } from "../api/api-error.ts";
import { Button, ButtonAnchor, ButtonLink } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { useDocumentTitle } from "../ui/PageHeader.tsx";
import { CenteredActions, CenteredLayout } from "./CenteredLayout.tsx";

export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  useDocumentTitle(isNotFound(error) ? "Page not found" : "This page couldn’t be loaded");
  if (isNotFound(error)) return <NotFoundPage />;
  return (
    <CenteredLayout>
      <h1>This page couldn’t be loaded</h1>
      <ErrorMessage error={error} />
      <CenteredActions>
        <Button
          icon={RotateCw}
          onClick={() => {
            reset();
            void router.invalidate();
          }}
        >
          Try again
        </Button>
      </CenteredActions>
    </CenteredLayout>
  );
}

export function NotFoundPage() {
  useDocumentTitle("Page not found");
  const path = location.pathname + location.search;
  return (
    <CenteredLayout>
      <h1>Page not found</h1>
      <p>
        This page may have been deleted, or it may belong to a studio you aren’t a member of. Ask the person who sent
        you the link, or sign in with another account.
      </p>
      <CenteredActions>
        <ButtonLink to="/">Go to your studio</ButtonLink>
        <ButtonAnchor variant="secondary" href={`/login?${new URLSearchParams({ switch: "1", return_to: path })}`}>
          Use another account
        </ButtonAnchor>
      </CenteredActions>
    </CenteredLayout>
  );
}
