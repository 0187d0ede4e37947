import { useState } from "react";
import { resendDelivery, resendFailed } from "../api/mutations.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { deliveriesQuery, type Delivery } from "../api/webhook-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Badge, type Tone } from "../ui/Badge.tsx";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { List, ListRow, PagedList, RowActions } from "../ui/List.tsx";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { SegmentedControl } from "../ui/SegmentedControl.tsx";
import { useAction } from "../ui/use-action.ts";
import { describeResponse } from "./describe-response.ts";

const states = [
  { value: "all", label: "All" },
  { value: "failed", label: "Failed" },
  { value: "waiting", label: "Waiting" },
  { value: "delivered", label: "Delivered" },
] as const;

const stateTones: Record<Delivery["state"], Tone> = { waiting: "info", delivered: "success", failed: "danger" };
const dayMs = 86_400_000;

/** What was sent to an endpoint in the last 30 days, and what came of it. */
export function DeliveryLog({ webhookId }: { webhookId: string }) {
  const { studio } = useStudio();
  const [state, setState] = useState<(typeof states)[number]["value"]>("all");
  const list = usePagedList(deliveriesQuery(studio.id, webhookId, state === "all" ? {} : { state }));
  const { isRunning, error, run } = useAction();
  const [status, setStatus] = useState("");

  async function resendAll(): Promise<void> {
    const since = new Date(Date.now() - 30 * dayMs).toISOString();
    const { resent } = await resendFailed({ studioId: studio.id, webhookId }, { since });
    setStatus(resent === 1 ? "1 delivery is sent again." : `${resent} deliveries are sent again.`);
  }

  return (
    <div className="mt-2">
      <div className="flex flex-wrap items-center gap-3">
        <SegmentedControl label="State" value={state} options={states} onChange={setState} />
        {state === "failed" && list.items.length > 0 && (
          <Button variant="quiet" busyLabel={isRunning && "Resending…"} onClick={() => void run(resendAll)}>
            Resend all that failed
          </Button>
        )}
        <span role="status" className="text-sm text-accent">
          {status}
        </span>
      </div>
      {error !== undefined && <ErrorMessage error={error} />}
      <PagedList list={list} empty={<p className="mt-3 text-muted">No deliveries.</p>}>
        {(deliveries) => (
          <List aria-label="Deliveries" className="mt-3">
            {deliveries.map((delivery) => (
              <DeliveryRow key={delivery.id} webhookId={webhookId} delivery={delivery} />
            ))}
          </List>
        )}
      </PagedList>
    </div>
  );
}

function DeliveryRow({ webhookId, delivery }: { webhookId: string; delivery: Delivery }) {
  const { studio } = useStudio();
  const { timezone } = studio;
  const { isRunning, error, run } = useAction();
  const { id: deliveryId, type, at, state, attempts, nextAttemptAt } = delivery;
  return (
    <ListRow isActionBeside>
      <div className="min-w-0">
        <p className="m-0">
          <code>{type}</code>
          <Badge tone={stateTones[state]}>{state}</Badge>
        </p>
        <p className="mt-0 text-sm text-muted">
          <RelativeTime at={at} timezone={timezone} />. {describeResponse(delivery)}
          {attempts > 1 && `, ${attempts} attempts`}
          {nextAttemptAt !== null && attempts > 0 && (
            <>
              , next <RelativeTime at={nextAttemptAt} timezone={timezone} />
            </>
          )}
        </p>
      </div>
      <RowActions>
        <Button
          variant="quiet"
          busyLabel={isRunning && "Resending…"}
          aria-label={`Resend ${type}`}
          onClick={() => void run(() => resendDelivery({ studioId: studio.id, webhookId, deliveryId }))}
        >
          Resend
        </Button>
      </RowActions>
      {error !== undefined && <ErrorMessage error={error} />}
    </ListRow>
  );
}
