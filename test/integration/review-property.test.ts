import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Caller } from "#domain/caller.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { detachAsset } from "#domain/assets/attach-asset.ts";
import { restorePost } from "#domain/history/restore-post.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { approvePublication } from "#domain/publishing/approve-publications.ts";
import { reschedulePublication } from "#domain/publishing/change-publication.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { createReviewLink, listReviewLinks, shareForReview, withdrawReviewLink } from "#domain/reviews/review-links.ts";
import { undoOwnChanges } from "#domain/undo/undo-changes.ts";
import { days, hours, seconds, toIsoTime } from "#lib/clock.ts";
import { selectForAccount } from "#portable/select-for-account.ts";
import { forEachEngine } from "../support/engines.ts";
import { fc } from "../support/fuzz.ts";
import { actThroughDrafter } from "../support/history-fixture.ts";
import { isLongRun } from "../support/long-run.ts";
import { getOutcome } from "../support/outcome.ts";
import { addImage, oneSlot, startPublishing } from "../support/publishing-fixture.ts";
import { openReview, type ReviewClient } from "../support/review-client.ts";
import { startForSuite } from "../support/start-for-suite.ts";
import { newMember } from "../support/users.ts";

const steps = [
  "owner: hold",
  "owner: share",
  "client: share",
  "owner: withdraw",
  "guest: look",
  "guest: approve",
  "guest: ask for changes",
  "guest: look and approve",
  "guest: comment",
  "member: edit",
  "client: edit",
  "owner: edit one account",
  "owner: edit back",
  "owner: attach an image",
  "owner: detach an image",
  "member: edit the alt text",
  "client: undo",
  "owner: restore",
  "owner: schedule",
  "client: propose",
  "member: approve",
  "owner: reschedule",
  "worker: publish",
] as const;

type Step = (typeof steps)[number];

/** What each account would receive. */
type Contents = Record<string, string>;

/** A link, and what its guest saw and decided. */
interface ModelLink {
  id: string;
  review: ReviewClient;
  isHolding: boolean;
  isWithdrawn: boolean;
  seen?: { digest: string; contents: Contents };
  decision?: { choice: string; contents: Contents };
}

/** Sequences in which something is held, so that later steps can release it. */
const starts: Step[][] = [
  ["owner: schedule", "owner: hold"],
  ["client: propose", "owner: hold", "guest: look and approve", "member: approve"],
  ["owner: hold", "guest: look", "member: edit", "guest: approve"],
  ["client: share", "guest: look and approve", "owner: hold", "client: propose"],
];

forEachEngine("a post under review", (fixture) => {
  const publishing = startForSuite(() => startPublishing(fixture, ["harbour", "lighthouse"], { clock: fixture.clock }));
  const counts = { published: 0, rejected: 0, covered: 0, pending: 0 };
  let member: Caller;
  let client: Caller;
  let textCount = 0;
  before(async () => {
    member = await newMember(publishing.service.deps, publishing.owner, "member");
    client = await actThroughDrafter(publishing.service.deps, publishing.owner);
  });

  async function runSteps(sequence: readonly (readonly [Step, number])[]): Promise<void> {
    const { owner, service, connectionIds } = publishing;
    const { deps } = service;
    const [first = "", second = ""] = connectionIds;
    const newText = () => `Text ${++textCount}`;
    fixture.clock.advance(seconds(1)); // so that an undo reverts only changes of this sequence
    const start = toIsoTime(fixture.clock());
    const originalText = newText();
    const { id: postId } = await createPost(deps, owner, { title: "Title", body: originalText });
    const links: ModelLink[] = [];

    const readPost = () => getPost(deps, owner, { postId });
    async function readContents(): Promise<Contents> {
      const post = await readPost();
      const read = (connectionId: string): string => {
        const { body, assets } = selectForAccount(post, connectionId);
        return JSON.stringify([body, assets.map(({ id, altText }) => [id, altText])]);
      };
      return Object.fromEntries(connectionIds.map((id) => [id, read(id)]));
    }
    const listPublications = async () => (await readPost()).publications ?? [];
    const isCurrent = (contents: Contents, current: Contents) =>
      Object.entries(contents).every(([id, content]) => current[id] === content);
    async function isHeld(): Promise<boolean> {
      const current = await readContents();
      return links.some(
        ({ isHolding, isWithdrawn, decision }) =>
          isHolding && !isWithdrawn && !(decision?.choice === "approved" && isCurrent(decision.contents, current)),
      );
    }
    async function look(link: ModelLink): Promise<void> {
      const [post] = (await link.review.read()).posts;
      const current = await readContents();
      const contents = Object.fromEntries(
        post?.accounts.map(({ connectionId }) => [connectionId, current[connectionId] ?? ""]) ?? [],
      );
      link.seen = { digest: post?.digest ?? "", contents };
    }
    async function decide(link: ModelLink, choice: string): Promise<void> {
      if (!link.seen) return;
      const { digest, contents } = link.seen;
      const isOpen = !link.isWithdrawn;
      const outcome = await link.review.decide(postId, choice, digest);
      if (outcome !== "ok") {
        counts.rejected++;
        return assert.equal(outcome, isOpen ? "revision_conflict" : "review_ended");
      }
      assert.ok(isOpen && isCurrent(contents, await readContents()), "a decision counts for what was not shown");
      link.decision = { choice, contents };
      counts.covered++;
    }
    /** Runs what would schedule a publication. */
    async function schedule(attempt: () => Promise<unknown>): Promise<void> {
      const wasHeld = await isHeld();
      const outcome = await getOutcome(attempt());
      assert.ok(wasHeld ? outcome !== "ok" : outcome !== "review_pending", `${outcome}, held: ${wasHeld}`);
      if (wasHeld) counts.pending++;
    }
    async function share(isHolding: boolean, caller = owner): Promise<void> {
      const link = caller.client
        ? { id: "", ...(await createReviewLink(deps, caller, { postId })) }
        : await shareForReview(deps, caller, { postIds: [postId], holdsPublishing: isHolding });
      links.push({ id: link.id, review: openReview(service.base, link), isHolding, isWithdrawn: false });
    }
    const edit = (caller: Caller, change: object) =>
      readPost().then(({ revision }) => updatePost(deps, caller, { postId, revision, ...change }));
    const at = () => toIsoTime(fixture.clock() + hours(1));

    const run: Record<Step, (link: ModelLink | undefined) => Promise<unknown>> = {
      "owner: hold": () => share(true),
      "owner: share": () => share(false),
      "client: share": () => share(false, client),
      "owner: withdraw": async (link) => {
        if (!link || link.id === "") return;
        await withdrawReviewLink(deps, owner, { linkId: link.id });
        link.isWithdrawn = true;
      },
      "guest: look": async (link) => link && !link.isWithdrawn && look(link),
      "guest: approve": async (link) => link && decide(link, "approved"),
      "guest: ask for changes": async (link) => link && decide(link, "changes_requested"),
      "guest: look and approve": async (link) => {
        if (!link || link.isWithdrawn) return;
        await look(link);
        await decide(link, "approved");
      },
      "guest: comment": async (link) => link?.review.call("POST", "/comments", { postId, name: "Greta", body: "Hm" }),
      "member: edit": () => edit(member, { body: newText() }),
      "client: edit": () => edit(client, { body: newText() }),
      "owner: edit one account": () => edit(owner, { variants: [{ connectionId: second, body: newText() }] }),
      "owner: edit back": () => edit(owner, { body: originalText, variants: [] }),
      "owner: attach an image": () => addImage(publishing, postId, newText()),
      "owner: detach an image": async () => {
        const [asset] = (await readPost()).assets;
        if (asset) await detachAsset(deps, owner, { postId, assetId: asset.id });
      },
      "member: edit the alt text": async () => {
        const [asset] = (await readPost()).assets;
        if (asset) await updateAsset(deps, member, { assetId: asset.id, altText: newText() });
      },
      "client: undo": () => undoOwnChanges(deps, client, { since: start }),
      "owner: restore": () => restorePost(deps, owner, { postId, revision: 1 }),
      "owner: schedule": () => schedule(() => publishPost(deps, owner, { postId, connectionIds: [first], at: at() })),
      "client: propose": () => getOutcome(publishPost(deps, client, { postId, connectionIds, at: at() })),
      "member: approve": async () => {
        for (const { id, state } of await listPublications()) {
          const { revision } = await readPost();
          if (state === "proposed")
            await schedule(() => approvePublication(deps, member, { publicationId: id, revision }));
        }
      },
      "owner: reschedule": async () => {
        for (const { id } of await listPublications())
          await getOutcome(reschedulePublication(deps, owner, { publicationId: id, at: at() }));
      },
      "worker: publish": async () => {
        const now = fixture.clock() + days(400);
        if (await isHeld())
          return assert.equal(
            await deps.publicationRuns.claimDue({ now, leaseExpiresAt: now + seconds(30), slots: oneSlot }),
            undefined,
          );
        const contents = await readContents();
        for (const { id, state, connectionId } of await listPublications()) {
          if (state !== "scheduled") continue;
          const { url } = await publishing.waitForState(id, "published");
          const post = (await publishing.listSandboxPosts()).find((each) => url?.endsWith(each.id));
          assert.equal(post?.text, (JSON.parse(contents[connectionId] ?? "[]") as string[])[0]);
          counts.published++;
        }
      },
    };

    for (const [step, chosen] of [...sequence, ["worker: publish", 0] as const]) {
      const before = { ...(await readPost()), publications: [] };
      const statesBefore = new Map((await listPublications()).map(({ id, state }) => [id, state]));
      await run[step](links.at(-1 - (chosen % Math.max(1, links.length))));
      const publications = await listPublications();
      if (step.startsWith("guest")) {
        assert.deepEqual({ ...(await readPost()), publications: [] }, before);
        for (const { id, state } of publications)
          assert.ok(state === statesBefore.get(id) || (state === "proposed" && statesBefore.get(id) === "scheduled"));
      }
      if (publications.some(({ state }) => state === "scheduled")) assert.equal(await isHeld(), false, step);
      const current = await readContents();
      const { reviewLinks } = await listReviewLinks(deps, owner, { postId });
      for (const { id, decision } of links)
        if (id !== "" && decision)
          assert.equal(
            reviewLinks.find((link) => link.id === id)?.decisions[0]?.state,
            isCurrent(decision.contents, current) ? decision.choice : "outdated",
          );
    }
  }

  test("nothing held is published, decisions cover what was shown, and guests only decide and comment (HOLD-1, HOLD-4, REV-3, REV-5, B1)", async (t) => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...starts),
        fc.array(fc.tuple(fc.constantFrom(...steps), fc.nat(2)), { maxLength: 14 }),
        (start, rest) => runSteps([...start.map((step) => [step, 0] as const), ...rest]),
      ),
      { numRuns: isLongRun ? 300 : 10, endOnFailure: true },
    );
    for (const count of Object.values(counts)) assert.ok(count > 0, JSON.stringify(counts));
    t.diagnostic(JSON.stringify(counts));
  });
});
