import { setImmediate } from "node:timers/promises";
import type { RequestAuthority } from "../transport/request-authority.ts";
import { toErrorJson, type ResponseWriter } from "../transport/response.ts";
import type { Dispatcher, MessageContext } from "./dispatcher.ts";
import { errorCodes, type RequestMessage } from "./messages.ts";

/** Maximum length of a batch's responses; the calls after that are not run. */
const maxResponseLength = 8 * 1024 * 1024;

/** Runs the requests of a batch one after the other, and writes their responses as one array. */
export async function dispatchBatch(
  dispatcher: Dispatcher,
  requests: readonly RequestMessage[],
  context: MessageContext,
  writer: ResponseWriter,
  readAuthorityAgain: () => Promise<RequestAuthority | undefined>,
): Promise<void> {
  const responses: string[] = [];
  for (const [i, request] of requests.entries()) {
    if (responses.reduce((sum, { length }) => sum + length, 0) > maxResponseLength) {
      const notRun = "The responses of this batch are too long, so this call was not run: send it again, alone.";
      responses.push(toErrorJson({ code: errorCodes.invalidRequest, message: notRun, id: request.id }));
      continue;
    }
    // The access may end, and other users wait, between two calls.
    if (i > 0) await setImmediate();
    const authority = i === 0 ? context : await readAuthorityAgain();
    if (!authority) return;
    await dispatcher.dispatch(request, { ...context, ...authority }, createBatchWriter(responses, writer));
  }
  writer.end(200, `[${responses.join(",")}]`);
}

/** Collects the responses of a batch; messages before a result are dropped. */
function createBatchWriter(responses: string[], parent: ResponseWriter): ResponseWriter {
  return {
    setHeader: () => {},
    sendEvent: () => {},
    end: (_, json) => void responses.push(json),
    onDisconnect: (handler) => parent.onDisconnect(handler),
  };
}
