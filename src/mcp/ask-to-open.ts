import { CLIENT_CAPABILITIES_META_KEY, ProtocolError } from "@modelcontextprotocol/server";
import type { Clock } from "#lib/clock.ts";
import { minutes } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import { type ErrorCode, edgeError } from "#lib/errors.ts";
import type { Signer } from "#lib/signed-token.ts";
import type { Exchange, Result } from "./exchange.ts";
import { errorCodes } from "./messages.ts";

/** A page that the person has to open before a result is of use. */
export interface ToOpen {
  url: string;
  /** What the client shows beside it. */
  message: string;
  /** The error in place of the result where the person does not want to. */
  declined: ErrorCode;
}

/** The name of our one question within a call. */
const question = "open";

/** URL-mode elicitation (2026-07-28): the client itself asks the person to open a page, then repeats the call. */
export interface AskToOpen {
  /** What the tool answered the first time, where this call brings the answer; throws where the person said no. */
  answered(exchange: Exchange, tool: string): object | undefined;
  /** The question, where the client can put it; undefined where the result has to do. */
  ask(exchange: Exchange, tool: string, page: ToOpen, output: object): Result | undefined;
}

/** The state between the two rounds travels signed, good for the approval, the tool and the input it was made with. */
export function createAskToOpen(signer: Signer, clock: Clock): AskToOpen {
  const boundTo = ({ caller, params }: Exchange, tool: string): Record<string, unknown> => ({
    asked: tool,
    grant: caller.grantId,
    studio: caller.studio.id,
    input: sha256(JSON.stringify(params["arguments"] ?? {})),
  });
  return {
    answered(exchange, tool) {
      const { requestState, inputResponses } = exchange.params;
      if (typeof requestState !== "string") return undefined;
      const claims = signer.verify("question", requestState);
      const wanted = boundTo(exchange, tool);
      if (!claims || Object.keys(wanted).some((name) => claims[name] !== wanted[name]))
        throw new ProtocolError(errorCodes.invalidParams, "Invalid params: requestState is not one of this call");
      const answer = actionIn(inputResponses);
      // A state without an answer is a question that was not put: it is asked again, with a fresh page.
      if (answer === undefined) return undefined;
      if (answer === "accept") return claims["output"] as object;
      throw edgeError(
        claims["declined"] as ErrorCode,
        "The person did not open the page. Nothing was changed.",
        "Ask whether they want to, then call the tool again.",
      );
    },
    ask(exchange, tool, { url, message, declined }, output) {
      if (exchange.era !== "modern" || !canOpenPages(exchange)) return undefined;
      const claims = { ...boundTo(exchange, tool), output, declined };
      return {
        resultType: "input_required",
        inputRequests: { [question]: { method: "elicitation/create", params: { mode: "url", message, url } } },
        requestState: signer.sign("question", claims, clock() + minutes(15)),
      };
    },
  };
}

function canOpenPages({ params }: Exchange): boolean {
  const capabilities = fieldsIn(fieldsIn(params["_meta"])[CLIENT_CAPABILITIES_META_KEY]);
  return "url" in fieldsIn(capabilities["elicitation"]);
}

function actionIn(responses: unknown): unknown {
  return fieldsIn(fieldsIn(responses)[question])["action"];
}

function fieldsIn(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
