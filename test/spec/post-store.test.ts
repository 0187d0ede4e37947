import assert from "node:assert/strict";
import { describe, mock, test, type TestContext } from "node:test";
import { moveCaret } from "../../web/src/posts/merge-text.ts";
import {
  getTextField,
  joinParts,
  listParts,
  listUnsaved,
  type EditedPost,
  type Edits,
} from "../../web/src/posts/post-edits.ts";
import { createPostStore, getShownValue } from "../../web/src/posts/post-store.ts";
import { fc } from "../support/fuzz.ts";

interface Post extends EditedPost {
  status: string;
}
const savedPost = (change: Partial<Post> = {}): Post => ({
  title: "Title",
  body: "One\n\nTwo\n\nThree",
  tags: ["sea"],
  variants: [],
  status: "draft",
  revision: 1,
  ...change,
});
const harbour = "con_harbour";
const harbourText = getTextField(harbour);

class RevisionConflict extends Error {}

/** A server with one post. `respond` decides what happens to the next requests. */
function createServer(post = savedPost()) {
  const server = {
    post,
    saves: 0,
    respond: (handle: () => Post): Promise<Post> => Promise.resolve().then(handle),
    /** A change by someone else. */
    update: (change: Partial<Post>): Post =>
      (server.post = { ...server.post, ...change, revision: server.post.revision + 1 }),
    save: ({ revision, keepsPreviousRevision: _, ...change }: Partial<Post> & { keepsPreviousRevision?: boolean }) =>
      server.respond(() => {
        server.saves++;
        if (revision !== undefined && revision !== server.post.revision) throw new RevisionConflict();
        return server.update({ ...change, ...(change.title !== undefined && { title: change.title.trim() }) });
      }),
    read: () => server.respond(() => server.post),
    isConflict: (error: unknown) => error instanceof RevisionConflict,
  };
  return server;
}

function openStore(t: TestContext, server = createServer(), keptEdits: Edits = {}) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const kept: { edits: Edits | undefined } = { edits: undefined };
  const merges: [before: number, after: number][] = [];
  const store = createPostStore(server.post, keptEdits, server, {
    onPost: () => {},
    onMerge: (before, after) => merges.push([before.revision, after.revision]),
    keepEdits: (edits) => (kept.edits = edits),
  });
  const close = store.subscribe(() => {});
  t.after(close);
  return { server, store, kept, merges, close, shown: () => getShownValue(store.getState(), "body") };
}

/** Lets everything happen that waits for promises, and not for timers. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

async function tick(t: TestContext, ms: number): Promise<void> {
  t.mock.timers.tick(ms);
  await settle();
}

describe("the store of an open post", () => {
  test("saves what was typed 700 ms after the last letter, all fields in one request (WEB-6)", async (t) => {
    const { server, store, kept } = openStore(t);
    store.edit("body", "A");
    await tick(t, 699);
    store.edit("title", "B");
    store.edit(harbourText, "C");
    store.edit("tags", ["sea", "boats"]);
    await tick(t, 699);
    assert.equal(server.saves, 0);
    assert.ok(kept.edits, "unsaved edits are kept on the device");
    await tick(t, 1);
    assert.equal(server.saves, 1);
    assert.partialDeepStrictEqual(server.post, { title: "B", body: "A", tags: ["sea", "boats"] });
    assert.deepEqual(server.post.variants, [{ connectionId: harbour, body: "C" }]);
    assert.deepEqual([store.getState().edits, kept.edits], [{}, undefined]);
  });

  test("never sends a blank title, and keeps it in the field (WEB-6)", async (t) => {
    const { server, store } = openStore(t);
    store.edit("title", " ");
    await tick(t, 700);
    assert.deepEqual([server.saves, await store.save()], [0, "saved"]);
    assert.equal(getShownValue(store.getState(), "title"), " ");
  });

  test("sends one request at a time, with the letters typed meanwhile after it (WEB-6)", async (t) => {
    const { server, store, shown } = openStore(t);
    const gate = Promise.withResolvers<void>();
    const { respond } = server;
    server.respond = async (handle) => {
      await gate.promise;
      return respond(handle);
    };
    store.edit("body", "A");
    await tick(t, 700);
    store.edit("body", "AB");
    store.receive({ ...server.post, body: "A", revision: 2 });
    await tick(t, 5000);
    assert.deepEqual([store.getState().isSaving, shown()], [true, "AB"]);
    gate.resolve();
    await settle();
    assert.deepEqual([server.post.body, shown()], ["A", "AB"]);
    await tick(t, 700);
    assert.equal(server.post.body, "AB");
  });

  test("compares what was typed during a request with what the request saved (WEB-6)", async (t) => {
    const { server, store, shown } = openStore(t);
    const gate = Promise.withResolvers<void>();
    const { respond } = server;
    server.respond = async (handle) => {
      const post = await respond(handle);
      await gate.promise;
      return post;
    };
    store.edit("body", "One, m\n\nTwo\n\nThree");
    store.edit("title", "Mine ");
    await tick(t, 700);
    store.edit("body", "One, mine\n\nTwo\n\nThree");
    store.receive(server.update({ body: "One, m\n\nTwo\n\nThree, theirs" }));
    gate.resolve();
    await settle();
    assert.equal(shown(), "One, mine\n\nTwo\n\nThree, theirs");
    assert.equal(await store.save(), "saved");
    assert.partialDeepStrictEqual(server.post, { title: "Mine", body: shown() });
  });

  test("what was saved by a request whose response was lost is no conflict (WEB-6)", async (t) => {
    const { server, store, shown } = openStore(t);
    const { respond } = server;
    server.respond = async (handle) => {
      server.respond = respond;
      await respond(handle);
      store.edit("body", "AB");
      throw new TypeError("connection lost");
    };
    store.edit("body", "A");
    store.edit("title", "Mine ");
    assert.equal(await store.save(), "failed");
    store.receive(server.post);
    assert.equal(await store.save(), "saved");
    assert.partialDeepStrictEqual(server.post, { title: "Mine", body: "AB" });
    assert.equal(shown(), "AB");
  });

  test("retries after an error, and recognizes a save whose response was lost (WEB-6)", async (t) => {
    const { server, store, shown } = openStore(t);
    const { respond } = server;
    server.respond = async (handle) => {
      server.respond = respond;
      await respond(handle);
      throw new TypeError("connection lost");
    };
    store.edit("body", "A");
    assert.equal(await store.save(), "failed");
    assert.ok(store.getState().error);
    await tick(t, 4000);
    assert.deepEqual([server.post.revision, server.post.body, shown()], [2, "A", "A"]);
    assert.deepEqual([store.getState().error, store.getState().edits], [undefined, {}]);
  });

  test("accepts a field that only someone else changed, and ignores versions that arrive late (WEB-6)", async (t) => {
    const { server, store, merges } = openStore(t);
    const oldPost = server.post;
    store.edit("title", "Mine");
    store.receive(server.update({ body: "Theirs" }));
    store.receive(oldPost);
    assert.deepEqual(merges, [[1, 2]]);
    assert.deepEqual(store.getState().updatedFields, ["body"]);
    await tick(t, 700);
    assert.partialDeepStrictEqual(server.post, { title: "Mine", body: "Theirs" });
  });

  test("merges changes to different lines of a text, and to tags (WEB-6)", async (t) => {
    const { server, store, shown } = openStore(t);
    store.edit("body", "One, mine\n\nTwo\n\nThree");
    store.edit("tags", ["boats"]);
    server.update({ body: "One\n\nTwo\n\nThree, theirs", tags: ["sea", "sky"] });
    assert.equal(await store.save(), "saved");
    assert.equal(shown(), "One, mine\n\nTwo\n\nThree, theirs");
    assert.partialDeepStrictEqual(server.post, { body: shown(), tags: ["sky", "boats"] });
  });

  test("saves the rest of a post with a conflict, and the chosen version once the user has chosen (WEB-6)", async (t) => {
    const { server, store } = openStore(t);
    store.edit("body", "Mine\n\nTwo\n\nThree");
    store.edit("title", "New title");
    store.receive(server.update({ body: "Theirs\n\nTwo\n\nThree\n\nFour" }));
    assert.equal(await store.save(), "conflict");
    assert.partialDeepStrictEqual(server.post, { title: "New title", body: "Theirs\n\nTwo\n\nThree\n\nFour" });
    const [conflict] = listUnsaved(store.getState().post, store.getState().edits);
    assert.ok(conflict?.hasConflict);
    const parts = listParts("body", conflict.base, conflict.value, server.post.body);
    assert.deepEqual(parts[0], { mine: ["Mine"], theirs: ["Theirs"] });
    assert.equal(
      joinParts(parts, () => "theirs"),
      "Theirs\n\nTwo\n\nThree\n\nFour",
    );
    store.resolve(
      "body",
      joinParts(parts, () => "mine"),
    );
    assert.equal(await store.save(), "saved");
    assert.equal(server.post.body, "Mine\n\nTwo\n\nThree\n\nFour");
  });

  test("applies a separate choice to each conflict; a title is one conflict (WEB-6)", () => {
    const parts = listParts("body", "One\n\nTwo\n\nThree", "A\n\nTwo\n\nB", "C\n\nTwo\n\nD");
    assert.equal(
      joinParts(parts, (i) => (i === 0 ? "mine" : "theirs")),
      "A\n\nTwo\n\nD",
    );
    assert.deepEqual(listParts("title", "Title", "Mine", "Theirs"), [{ mine: ["Mine"], theirs: ["Theirs"] }]);
    const deletion = listParts("body", "One\n\nTwo\n\nThree", "One\n\nTwo, mine\n\nThree", "One\n\nThree");
    assert.equal(
      joinParts(deletion, () => "theirs"),
      "One\n\nThree",
    );
  });

  test("the text of an account conflicts if someone else removed it (WEB-6)", async (t) => {
    const { server, store } = openStore(
      t,
      createServer(savedPost({ variants: [{ connectionId: harbour, body: "Own" }] })),
    );
    store.edit(harbourText, "Own, mine");
    store.receive(server.update({ variants: [] }));
    assert.equal(await store.save(), "conflict");
    store.resolve(harbourText, undefined);
    assert.deepEqual(store.getState().edits, {});
  });

  test("sends other changes after the edits before them, and reports their errors to the caller (WEB-6)", async (t) => {
    const { server, store } = openStore(t);
    store.edit("body", "A");
    const saved = store.save();
    const changed = store.change(() => server.save({ status: "ready" }));
    assert.deepEqual([await saved, await changed, server.post.body], ["saved", undefined, "A"]);
    assert.deepEqual([store.getState().post.status, store.getState().post.revision], ["ready", 3]);
    await assert.rejects(
      store.change(() => Promise.reject(new RangeError("too late"))),
      /too late/,
    );
    assert.equal(store.getState().isSaving, false);
  });

  test("sends the last edits when the page is left, and continues with those kept on the device (WEB-6)", async (t) => {
    const { server, store, kept, close } = openStore(t);
    store.edit("body", "Mine\n\nTwo\n\nThree");
    const { edits } = kept;
    assert.ok(edits);
    close();
    await settle();
    assert.equal(server.post.body, "Mine\n\nTwo\n\nThree");
    const other = createServer(savedPost({ body: "One\n\nTwo\n\nThree, theirs", revision: 7 }));
    t.mock.timers.reset();
    assert.equal(openStore(t, other, edits).shown(), "Mine\n\nTwo\n\nThree, theirs");
  });
});

describe("an open post while everything goes wrong", () => {
  const line = fc.nat(5);
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("type" as const), line }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("others" as const), line }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("wait", "read", "retry", "reopen", "restore") }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom("deliver", "deliverLast", "lose", "fail") }) },
  );

  test("loses no typed letter, and ends with what the server has (WEB-6)", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 60 }), runSteps), { numRuns: 150 });
    mock.timers.reset();
  });

  async function runSteps(steps: readonly { kind: string; line?: number }[]): Promise<void> {
    const server = createServer(savedPost({ body: "a\n\nb\n\nc" }));
    const firstBody = server.post.body;
    /** Requests whose outcome is not decided yet. They are decided in any order. */
    const open: ((outcome: string) => void)[] = [];
    server.respond = async (handle) => {
      const { promise, resolve } = Promise.withResolvers<string>();
      open.push(resolve);
      const outcome = await promise;
      if (outcome === "fail") throw new TypeError("not sent");
      const post = handle();
      if (outcome === "lose") throw new TypeError("no response");
      return post;
    };
    const kept: { edits: Edits | undefined } = { edits: undefined };
    const openKept = () => {
      const newStore = createPostStore(server.post, kept.edits ?? {}, server, {
        onPost: () => {},
        onMerge: () => {},
        keepEdits: (edits) => (kept.edits = edits),
      });
      return { ...newStore, close: newStore.subscribe(() => {}) };
    };
    let store = openKept();
    let letters = 0;
    /** Letters that the user typed and that no version of the server has contained yet. */
    let unsaved: string[] = [];
    const shown = (): string => getShownValue(store.getState(), "body") as string;
    const chooseBoth = (): void => {
      for (const { field, base, value, hasConflict } of listUnsaved(store.getState().post, store.getState().edits))
        if (hasConflict) {
          const parts = listParts(field, base, value, store.getState().post.body);
          store.resolve(
            field,
            joinParts(parts, () => "mine"),
          );
        }
    };
    const check = (): void => {
      unsaved = unsaved.filter((letter) => !server.post.body.includes(letter));
      for (const letter of unsaved) assert.ok(shown().includes(letter), `${letter} is lost: ${shown()}`);
    };
    for (const { kind, line: at = 0 } of steps) {
      if (kind === "type") {
        const letter = `<${letters++}>`;
        const lines = shown().split("\n");
        const index = Math.min(at, lines.length - 1);
        store.edit("body", lines.with(index, `${lines[index]}${letter}`).join("\n"));
        unsaved.push(letter);
      } else if (kind === "others") {
        const lines = server.post.body.split("\n");
        const index = Math.min(at, lines.length - 1);
        server.update({ body: lines.with(index, `${lines[index]}(${letters++})`).join("\n") });
      } else if (kind === "restore") server.update({ body: firstBody });
      else if (kind === "read") store.receive(server.post);
      else if (kind === "wait") mock.timers.tick(700);
      else if (kind === "retry") mock.timers.tick(4000);
      else if (kind === "reopen") {
        store.close();
        await settle();
        store = openKept();
      } else {
        const index = kind === "deliverLast" ? open.length - 1 : 0;
        const [decide] = open.splice(index, 1);
        decide?.(kind);
      }
      await settle();
      check();
    }
    for (let round = 0; round < 20; round++) {
      chooseBoth();
      for (const decide of open.splice(0)) decide("deliver");
      await settle();
      mock.timers.tick(4000);
      await settle();
      store.receive(server.post);
      check();
    }
    assert.equal(shown(), server.post.body, "everything is saved");
    assert.deepEqual(store.getState().edits, {});
    store.close();
  }
});

describe("the caret during a merge", () => {
  const text = "One\n\nTwo\n\nThree";
  const caret = text.indexOf("o\n\nThree");

  test("stays in its line when lines before and after change (WEB-6)", () => {
    const merged = "Zero\nOne\n\nTwo\n\nThree, theirs";
    assert.equal(moveCaret(text, merged, caret), merged.indexOf("o\n\nThree"));
    assert.equal(moveCaret(text, "Two\n\nThree", caret), 2);
    assert.equal(moveCaret(text, text, caret), caret);
  });

  test("stays within the text when its own line changes (WEB-6)", () => {
    assert.equal(moveCaret(text, "One\n\n2\n\nThree", caret), "One\n\n2".length);
    assert.equal(moveCaret(text, "", caret), 0);
  });
});
