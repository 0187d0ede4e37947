import { describeError } from "../api/api-error.ts";
import { Button } from "./Button.tsx";

/** Says what happened and what to do next, with a retry button if `onRetry` is set. */
export function ErrorMessage({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const { message, hint } = describeError(error);
  return (
    <div className="my-6 max-w-[38em] border-l-3 border-danger py-0.5 pl-4" role="alert">
      <p className="m-0 font-semibold text-danger">{message}</p>
      {hint !== "" && <p className="mt-0">{hint}</p>}
      {onRetry && (
        <p className="mt-3">
          <Button variant="quiet" onClick={onRetry}>
            Try again
          </Button>
        </p>
      )}
    </div>
  );
}
