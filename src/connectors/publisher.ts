import { PlatformError } from "#domain/model/platform-error.ts";
import { withDefaults } from "#domain/model/post-options.ts";
import type { PlatformProgress } from "#domain/model/publication-progress.ts";
import type { ContentAsset } from "#domain/model/publication-content.ts";
import {
  completeMetrics,
  missing,
  resultAges,
  type Metric,
  type Metrics,
  type MissingReason,
} from "#domain/model/results.ts";
import type {
  AccountRequest,
  FailedOutcome,
  PrepareRequest,
  Publisher,
  ReadResultsOutcome,
  ReadResultsRequest,
} from "#domain/ports/publisher.ts";
import { createBoundCallSender } from "./atproto/proofs.ts";
import { readObject, sendCall } from "./call-api.ts";
import type { PlatformSetup } from "./connectors.ts";
import { getEndpoints, type JsonObject } from "./platform.ts";
import { StepFailure, classifyStatus, orIfRejected } from "./publishing/step-failure.ts";
import type {
  ErrorResponse,
  ModuleProgress,
  PublishCall,
  PublishModule,
  ResultsModule,
} from "./publishing/publish-module.ts";
import { createUploadBody, type OpenFile } from "./publishing/upload-body.ts";

export interface PublisherOptions {
  setups: readonly PlatformSetup[];
  /** Signs a public URL from which a platform can fetch this file, and no other, for an hour. */
  createMediaUrl: (asset: ContentAsset) => string;
  openFile: OpenFile;
  sleep: (ms: number) => Promise<void>;
}

/** Publishes with the module of each platform. */
export function createPublisher({ setups, createMediaUrl, openFile, sleep }: PublisherOptions): Publisher {
  const setupById = new Map(setups.map((setup) => [setup.platform.id, setup]));
  const sendBoundCall = createBoundCallSender();

  function getSetup(platformId: string): { setup: PlatformSetup; module: PublishModule } {
    const setup = setupById.get(platformId);
    const module = setup?.platform.publishing;
    if (!setup || !module) throw new Error(`publishing to ${platformId} is not supported`);
    return { setup, module };
  }

  /** Fails only with a `StepFailure`. A response that can't be parsed leaves the outcome unknown. */
  async function send<T>(
    request: AccountRequest,
    { path, url, isAuthorized = path !== undefined, file, expectedStatuses = [], ...call }: PublishCall,
    signal: AbortSignal | undefined,
    parse: (response: Response) => T | Promise<T>,
  ): Promise<T> {
    const { setup, module } = getSetup(request.connection.platform);
    const options = { ...(file && createUploadBody(file, openFile)), signal };
    const { accessToken, binding } = request;
    const apiCall = { ...call, url: url ?? `${getApi(setup, request)}${path}` };
    let failure: FailedOutcome;
    let errorResponse: ErrorResponse | undefined;
    try {
      const response = await (isAuthorized && binding
        ? sendBoundCall(setup.publicFetch, apiCall, { accessToken, key: binding.key }, options)
        : sendCall(setup.publicFetch, { ...apiCall, ...(isAuthorized ? { bearer: accessToken } : {}) }, options));
      if (response.ok || expectedStatuses.includes(response.status)) return await parse(response);
      errorResponse = await readError(response);
      failure = module.classifyError?.(errorResponse) ?? classifyStatus(response);
    } catch (error) {
      const message = error instanceof PlatformError ? error.message : "the platform sent an unexpected response";
      failure = { kind: "unknown", message };
    }
    throw new StepFailure(failure, errorResponse);
  }

  function createCaller(request: AccountRequest, signal?: AbortSignal) {
    const { account, platform } = request.connection;
    return {
      account,
      api: getApi(getSetup(platform).setup, request),
      call: <T>(call: PublishCall, parse: (body: JsonObject, response: Response) => T): Promise<T> =>
        send(request, call, signal, async (response) => parse(await readObject(response), response)),
      send: <T>(call: PublishCall, parse: (response: Response) => T): Promise<T> => send(request, call, signal, parse),
    };
  }

  const createContext = <Request extends PrepareRequest>(request: Request, signal?: AbortSignal) => ({
    ...request,
    ...createCaller(request, signal),
    options: withDefaults(getSetup(request.connection.platform).setup.platform.options ?? [], request.content.options),
    progress: toModuleProgress(request.progress),
    createMediaUrl,
  });

  async function readResults(
    module: ResultsModule | undefined,
    request: ReadResultsRequest,
  ): Promise<ReadResultsOutcome> {
    const { definition = 0, sources = {} } = module ?? {};
    const posts = await (module &&
      orIfRejected(module.read(createCaller(request, request.signal), request.remoteIds), undefined));
    const toPostMetrics = (id: string): Metrics => {
      if (!posts) return completeMetrics({}, module ? "not_permitted" : "not_offered");
      return toMetrics(posts.get(id), sources);
    };
    return { kind: "read", definition, metrics: new Map(request.remoteIds.map((id) => [id, toPostMetrics(id)])) };
  }

  return {
    listPostHosts(connection) {
      const setup = setupById.get(connection.platform);
      return setup?.platform.publishing?.listPostHosts(getApi(setup, { connection })) ?? [];
    },
    canCheckCommit: (platform, progress) =>
      getSetup(platform).module.canCheckCommit?.(toModuleProgress(progress)) ?? false,
    prepare: (request, saveProgress, signal) =>
      endWithFailure(async () => {
        const context = createContext(request, signal);
        const { progress } = context;
        const save = async (change: Partial<ModuleProgress>): Promise<void> => {
          Object.assign(progress, change);
          await saveProgress(progress);
        };
        const { module } = getSetup(request.connection.platform);
        const kind = await module.prepare({ ...context, signal, sleep, save });
        return kind === "expired" ? { kind } : { kind, progress };
      }),
    commit: (request) =>
      endWithFailure(() => getSetup(request.connection.platform).module.commit(createContext(request))),
    async lookUp(request) {
      const { module } = getSetup(request.connection.platform);
      return endWithFailure(() => module.lookUp(createContext(request)), toInconclusive);
    },
    readChoices: (request) =>
      endWithFailure(async () => {
        const { module } = getSetup(request.connection.platform);
        return { kind: "read", choices: (await module.readChoices?.(createCaller(request))) ?? {} };
      }),
    getResultAges: (platform) => setupById.get(platform)?.platform.publishing?.results?.ages ?? resultAges,
    getResultBatchSize: (platform) => setupById.get(platform)?.platform.publishing?.results?.batchSize ?? 0,
    readResults: (request) =>
      endWithFailure(() =>
        readResults(setupById.get(request.connection.platform)?.platform.publishing?.results, request),
      ),
  };
}

/** A number that a response lacks is not known. */
function toMetrics(post: JsonObject | MissingReason | undefined, sources: ResultsModule["sources"]): Metrics {
  const toMetric = (source: string): Metric => {
    if (post === undefined || typeof post === "string") return missing(post ?? "deleted", source);
    const value = post[source];
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return { source, value };
    return missing(value === undefined ? "not_offered" : "error", source);
  };
  return completeMetrics(Object.fromEntries(Object.entries(sources).map(([name, source]) => [name, toMetric(source)])));
}

const toModuleProgress = (progress: PlatformProgress): ModuleProgress => ({ mediaIds: {}, ...progress });

/** Returns the outcome of the step, or of the call that failed. */
async function endWithFailure<Outcome>(
  step: () => Promise<Outcome>,
  convert: (outcome: FailedOutcome) => FailedOutcome = (outcome) => outcome,
): Promise<Outcome | FailedOutcome> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof StepFailure) return convert(error.outcome);
    throw error;
  }
}

/** A read that fails proves nothing about the post, unless the credentials are no longer valid. */
function toInconclusive(outcome: FailedOutcome): FailedOutcome {
  if (outcome.kind === "reconnect" || outcome.kind === "unknown") return outcome;
  const { kind, message } = outcome;
  return { kind: "unknown", message, retryAfterMs: kind === "retry_later" ? outcome.retryAfterMs : undefined };
}

function getApi(
  { platform }: PlatformSetup,
  { connection: { instance }, binding }: Pick<PrepareRequest, "binding"> & { connection: { instance: string } },
): string {
  if (platform.protocol === "atproto") return binding?.serverUrl ?? instance;
  return getEndpoints(platform, instance).api;
}

/** Error responses are not always JSON. */
async function readError(response: Response): Promise<ErrorResponse> {
  const { status, headers } = response;
  return { status, headers, body: await readObject(response).catch(() => ({})) };
}
