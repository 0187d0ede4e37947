import type { Delivery, DeliveryEvent, DeliveryResult, DeliveryState, Webhook } from "../model/webhook.ts";

export interface WebhookStore {
  /** Returns false if the studio already has `limit` webhooks; parallel calls count one after the other. */
  insert(webhook: Webhook, limit: number): Promise<boolean>;
  find(studioId: string, id: string): Promise<Webhook | undefined>;
  /** Locks the webhook until the transaction ends. */
  lock(studioId: string, id: string): Promise<Webhook | undefined>;
  /** Oldest first. */
  list(studioId: string): Promise<Webhook[]>;
  /** Webhooks, which then can't be deleted until the transaction ends. */
  listByStudios(studioIds: readonly string[]): Promise<Pick<Webhook, "id" | "studioId" | "events">[]>;
  update(id: string, change: Partial<Omit<Webhook, "id" | "studioId" | "createdAt">>): Promise<void>;
  delete(id: string): Promise<void>;

  /** Stores deliveries, of which the first is due at `dueAt`; null if none is. */
  addDeliveries(deliveries: readonly Delivery[], dueAt: number | null): Promise<void>;
  findDelivery(webhookId: string, id: string): Promise<DeliveryEvent | undefined>;
  /** Newest first. */
  listDeliveries(webhookId: string, filter: DeliveryFilter): Promise<DeliveryEvent[]>;
  /** Makes failed deliveries due again, at most `limit` of those from this id on; or this one, in any state. */
  requeue(webhookId: string, selection: { from: string; limit: number } | { id: string }, now: number): Promise<number>;
  deleteDeliveries(webhookId: string, limit: number): Promise<number>;

  /** Whether `claimDue` may find something. */
  hasDue(now: number): Promise<boolean>;
  /**
   * Claims webhooks with deliveries that may be due, until `lockedUntil`: the longest waiting of each studio, then the
   * second of each studio and so on.
   */
  claimDue(now: number, lockedUntil: number, limit: number): Promise<Webhook[]>;
  /** The longest waiting first. */
  listDue(webhookId: string, now: number, limit: number): Promise<DeliveryEvent[]>;
  /** Stores the result of an attempt, unless the delivery has changed since it was read. */
  saveResult(delivery: Delivery, result: DeliveryResult): Promise<void>;
  /** Ends a claim, and stores when the next delivery is due. The transaction must have locked the webhook. */
  release(webhookId: string, lockedUntil: number): Promise<void>;
}

export interface DeliveryFilter {
  state?: DeliveryState | undefined;
  /** Only deliveries before this id. */
  before?: string | undefined;
  limit: number;
}
