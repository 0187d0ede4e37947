import { after, before } from "node:test";
import { forOneEngine, type Fixture } from "./engines.ts";
import {
  connectClient,
  createStudio,
  refreshTokens,
  registerClient,
  listTools,
  type ConnectOptions,
  type OAuthClient,
  type OAuthResponse,
} from "./oauth-client.ts";
import { startService, type RunningService, type ServiceOptions } from "./service.ts";

export const withoutRateLimits = { env: { RATE_LIMITS: "off" } };

/** Starts a service before the tests of a suite and closes it after them. Its fields are set before the first test. */
export function useService(fixture: Fixture, options: ServiceOptions = withoutRateLimits): RunningService {
  const service = {} as RunningService;
  before(async () => void Object.assign(service, await startService(fixture.deps, options)));
  after(() => service.close());
  return service;
}

export interface OAuthFixture extends Fixture {
  service: RunningService;
  client: OAuthClient;
  /** The client, and a browser whose user approved it and has a studio. Set before the first test. */
  connectOptions: Required<Pick<ConnectOptions, "client" | "browser">>;
  /** Returns the status of a request to `/mcp` with this token. */
  getMcpStatus(token: string, base?: string): Promise<number>;
  refresh(token: string, overrides?: Record<string, string | undefined>): Promise<OAuthResponse>;
}

/** Like `forOneEngine`, with a service, a client, and a signed-in user with a studio. */
export function forOneEngineWithClient(name: string, define: (fixture: OAuthFixture) => void): void {
  forOneEngine(name, (baseFixture) => {
    const service = useService(baseFixture);
    const client = {} as OAuthClient;
    const connectOptions = { client } as OAuthFixture["connectOptions"];
    before(async () => {
      Object.assign(client, await registerClient(service.base));
      const { browser } = await connectClient(service.base, { client });
      await createStudio(service.base, browser);
      connectOptions.browser = browser;
    });
    const fixture: OAuthFixture = Object.assign(baseFixture, {
      service,
      client,
      connectOptions,
      getMcpStatus: async (token: string, base = service.base) => (await listTools(base, token)).status,
      refresh: (token: string, overrides?: Record<string, string | undefined>) =>
        refreshTokens(service.base, client, token, overrides),
    });
    define(fixture);
  });
}
