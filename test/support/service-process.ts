import { after, before } from "node:test";
import {
  createTemporaryDatabase,
  getDatabaseSettings,
  type DatabaseLocation,
  type EngineName,
  type TemporaryDatabase,
} from "./engines.ts";
import { startMain, type MainProcess } from "./main-process.ts";
import { findFreeBaseUrl } from "./service.ts";
import { newStudioClient, type StudioClient } from "./studio-client.ts";

/** The service in its own process, and a user with a studio. Set before the first test of a suite. */
export interface ServiceProcess {
  base: string;
  location: DatabaseLocation;
  main: MainProcess;
  studio: StudioClient;
  /** False since the process was started or restarted, until it exits. */
  hasExited: boolean;
  /** Starts the service again after it has exited. */
  start(): Promise<void>;
}

interface ServiceProcessOptions {
  env?: Record<string, string>;
  /** A command that runs the service. */
  wrapper?: readonly string[];
}

/** Starts the service before the tests of a suite, on a new database, without rate limits. Kills it after them. */
export function useServiceProcess(
  getOptions: (base: string) => ServiceProcessOptions | Promise<ServiceProcessOptions> = () => ({}),
  engine: EngineName = "sqlite",
): ServiceProcess {
  const service = {} as ServiceProcess;
  let location: TemporaryDatabase;
  before(async () => {
    location = await createTemporaryDatabase(engine);
    const base = await findFreeBaseUrl();
    const { env, wrapper } = await getOptions(base);
    const settings = { PORT: new URL(base).port, BASE_URL: base, DATA_DIR: location.dataDir, RATE_LIMITS: "off" };
    const start = async (): Promise<void> => {
      service.main = await startMain({ ...settings, ...getDatabaseSettings(location), ...env }, wrapper);
      service.hasExited = false;
      void service.main.exited.then(() => (service.hasExited = true));
    };
    Object.assign(service, { base, location, start });
    await start();
    service.studio = await newStudioClient(base);
  });
  after(async () => {
    await service.main?.kill();
    await location?.remove();
  });
  return service;
}
