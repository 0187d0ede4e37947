import { CircleAlert, RotateCw } from "lucide-react";
import { describeError } from "../api/api-error.ts";
import { Button } from "./Button.tsx";

/** Shows what happened and what to do next, with a retry button if `onRetry` is set. */
export function ErrorMessage({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const { message, hint } = describeError(error);
  return (
    <div
      className="my-4 flex max-w-[42em] gap-2.5 rounded-lg bg-danger-wash px-3.5 py-3 forced-colors:border"
      role="alert"
    >
      <CircleAlert size={18} className="mt-0.5 flex-none text-danger" aria-hidden="true" />
      <div className="min-w-0">
        <p className="m-0 font-semibold text-danger">{message}</p>
        {hint !== "" && <p className="mt-0">{hint}</p>}
        {onRetry && (
          <p className="mt-2.5">
            <Button variant="secondary" size="small" icon={RotateCw} onClick={onRetry}>
              Try again
            </Button>
          </p>
        )}
      </div>
    </div>
  );
}
