import type { RemoteFile } from "./client.ts";
import { createGate } from "./gate.ts";
import { explain, type Work } from "./item.ts";
import type { Keeper } from "./keeper.ts";
import type { Links } from "./links.ts";
import type { Pace } from "./pace.ts";
import type { Patience } from "./patience.ts";
import { transfer } from "./transfer.ts";

/** Parts on their way at once, and files: a browser opens six connections to a host, and some are for asking. */
const partsAtOnce = 4;
const filesAtOnce = 3;

export interface SenderParts {
  /** The list of the page. */
  works: Work[];
  links: Links;
  keeper: Keeper;
  patience: Patience;
  /** How fast all files together go. */
  total: Pace;
  /** Something in the list has changed. */
  tell: () => void;
  onArrived: ((file: RemoteFile) => void) | undefined;
}

/** Takes one file of the list from wherever it is to the post, or to the reason why not. */
export type SendFile = (work: Work, file: File) => Promise<void>;

export function createSender({ works, links, keeper, patience, total, tell, onArrived }: SenderParts): SendFile {
  const connections = createGate(partsAtOnce);
  const files = createGate(filesAtOnce);
  const sum = () => works.reduce((bytes, { sent }) => bytes + sent, 0);

  return async (work, file) => {
    const control = new AbortController();
    work.control = control;
    work.status = "waiting";
    work.error = undefined;
    work.pace.reset();
    tell();
    let leave = () => {};
    try {
      leave = await files.enter(control.signal);
      // Time in which nothing was to be sent says nothing of the line.
      if (!works.some(({ status }) => status === "sending")) total.reset();
      work.status = "sending";
      tell();
      work.token ??= await links.current();
      const { token } = work;
      const client = links.client(token);
      const arrived = await transfer(file, { client, patience, connections, parallel: partsAtOnce }, control.signal, {
        onStarted({ file: remote }) {
          const unsaid = work.altText !== "" && work.altText !== remote.altText && work.id === undefined;
          work.id = remote.id;
          work.type = remote.mimeType; // of the bytes, which the name may contradict
          // The server knows it from before, under a row of its own: this one takes its place.
          const twin = works.findIndex((one) => one !== work && one.id === remote.id);
          if (twin >= 0) works.splice(twin, 1);
          if (unsaid) void client.setAltText(remote.id, work.altText).catch(() => {});
          else work.altText = remote.altText;
          void keeper.keep(token, file, work.kept?.handle);
          tell();
        },
        onProgress(sent) {
          work.sent = sent;
          work.pace.note(sent, performance.now());
          total.note(sum(), performance.now());
        },
        onChecking() {
          work.status = "checking";
          tell();
        },
      });
      settle(work, arrived);
      void keeper.forget(token, file);
      onArrived?.(arrived);
    } catch (error) {
      if (control.signal.aborted) return;
      work.status = "failed";
      work.error = explain(error);
    } finally {
      leave();
      tell();
    }
  };
}

function settle(work: Work, remote: RemoteFile): void {
  work.status = "done";
  work.id = remote.id;
  work.name = remote.filename;
  work.sent = work.size;
  work.thumbnailUrl = remote.thumbnailUrl;
}
