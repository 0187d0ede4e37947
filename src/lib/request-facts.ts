/** Who sent a request and what it is for, as far as its route knows: our ids and names, nothing secret. */
export interface RequestAbout {
  userId?: string;
  studioId?: string;
  clientId?: string;
  /** The method of the MCP message; `method` is the one of HTTP. */
  rpcMethod?: string;
  tool?: string;
}

export interface RequestFacts {
  requestId: string;
  method: string;
  path: string;
  status: number;
  ms: number;
  /** The client disconnected before the response was sent. */
  cut: boolean;
  about: RequestAbout | undefined;
  /** It was answered with a file of the web app. */
  isStaticFile?: boolean | undefined;
}
