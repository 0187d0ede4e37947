import { getGrantId } from "#domain/caller.ts";
import { type Clock, minutes } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import { edgeError, type ErrorCode } from "#lib/errors.ts";
import type { Signer } from "#lib/signed-token.ts";
import { readClientCapabilities, toRecord } from "./protocol/client-capabilities.ts";
import type { Exchange, Result } from "./protocol/method.ts";
import { createInvalidParamsError } from "./protocol/messages.ts";

/** A page that the user has to open before the result is useful. */
export interface PageToOpen {
  url: string;
  /** What the client shows with the URL. */
  message: string;
  /** The error code if the user declines. */
  declinedCode: ErrorCode;
}

/** The key of our only input request in a call. */
const requestName = "open";

/** URL-mode elicitation (MCP spec 2026-07-28): the client asks the user to open a page, then repeats the call. */
export interface UrlElicitation {
  /** The output of the first call, if this call reports that the user accepted. Throws if the user declined. */
  findAcceptedOutput(exchange: Exchange, tool: string): object | undefined;
  /** The input request; undefined if the client does not support URL elicitation. */
  createRequest(exchange: Exchange, tool: string, page: PageToOpen, output: object): Result | undefined;
}

/** The state between the two calls is a signed token, bound to the grant, the studio, the tool and the input. */
export function createUrlElicitation(signer: Signer, clock: Clock): UrlElicitation {
  const toBindingClaims = ({ caller, params }: Exchange, tool: string): Record<string, unknown> => ({
    tool,
    grant: getGrantId(caller),
    studio: caller.studio.id,
    input: sha256(JSON.stringify(params["arguments"] ?? {})),
  });
  return {
    findAcceptedOutput(exchange, tool) {
      const { requestState, inputResponses } = exchange.params;
      if (typeof requestState !== "string") return undefined;
      const claims = signer.verify("elicitation", requestState);
      const expectedClaims = toBindingClaims(exchange, tool);
      if (!claims || Object.keys(expectedClaims).some((name) => claims[name] !== expectedClaims[name]))
        throw createInvalidParamsError("requestState does not belong to this call");
      const action = readAction(inputResponses);
      // The client has not asked the user yet: run the tool again and send a new request.
      if (action === undefined) return undefined;
      if (action === "accept") return claims["output"] as object;
      throw edgeError(
        claims["declinedCode"] as ErrorCode,
        "The user did not open the page. Nothing was changed.",
        "Ask the user whether they want to, then call the tool again.",
      );
    },
    createRequest(exchange, tool, { url, message, declinedCode }, output) {
      if (exchange.era !== "modern" || !supportsUrlElicitation(exchange)) return undefined;
      const claims = { ...toBindingClaims(exchange, tool), output, declinedCode };
      return {
        resultType: "input_required",
        inputRequests: { [requestName]: { method: "elicitation/create", params: { mode: "url", message, url } } },
        requestState: signer.sign("elicitation", claims, clock() + minutes(15)),
      };
    },
  };
}

const supportsUrlElicitation = ({ params }: Exchange): boolean =>
  "url" in toRecord(readClientCapabilities(params)["elicitation"]);

function readAction(responses: unknown): unknown {
  return toRecord(toRecord(responses)[requestName])["action"];
}
