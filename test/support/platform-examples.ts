import {
  getEndpoints,
  type ApiCall,
  type Endpoints,
  type JsonObject,
  type OAuthPlatform,
  type PlatformAccount,
} from "#connectors/platform.ts";

/**
 * Responses of each platform, in the shape that its documentation shows, and what the connector must read from them.
 * The values are made up; the field names and the nesting are the platform's.
 */
export interface PlatformExample {
  /** The response that identifies the token's account. */
  account: JsonObject;
  accounts: readonly PlatformAccount[];
  /** The response to the exchange of the authorization code. */
  token: JsonObject;
  /** The response to the exchange for a long-lived token. */
  extended?: JsonObject;
  /** The tokens that the connector returns for storage. */
  storedTokens: { accessToken: string; refreshToken?: string; expiresInMs?: number };
  /** The expected calls outside the OAuth standard, with `sampleCredential`. */
  calls: { account: ApiCall; extend?: ApiCall; refresh?: ApiCall; revoke?: ApiCall };
}

export const sampleCredential = { accessToken: "the-token", clientId: "our-id", clientSecret: "-our_secret" };

export const exampleInstance = "https://instance.example";

export const resolveEndpoints = (platform: OAuthPlatform): Endpoints => getEndpoints(platform, exampleInstance);

/** Drops undefined values, which mean the same as missing ones. */
export const omitUndefined = <T extends object>(value: T): Partial<T> =>
  Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as Partial<T>;

const bearer = sampleCredential.accessToken;

export const platformExamples: Readonly<Record<string, PlatformExample>> = {
  linkedin: {
    account: {
      sub: "782bbtaQ",
      name: "Ada Lovelace",
      given_name: "Ada",
      family_name: "Lovelace",
      picture: "https://media.licdn-ei.example/ada.jpg",
      locale: "en-US",
    },
    accounts: [{ id: "782bbtaQ", name: "Ada Lovelace", avatarUrl: "https://media.licdn-ei.example/ada.jpg" }],
    token: { access_token: "the-token", expires_in: 5_184_000, scope: "openid,profile", id_token: "e30.e30.c2ln" },
    storedTokens: { accessToken: "the-token", expiresInMs: 5_184_000_000 },
    calls: { account: { method: "GET", url: "https://api.linkedin.com/v2/userinfo", bearer } },
  },
  x: {
    account: {
      data: { id: "2244994945", name: "Ada", username: "ada", profile_image_url: "https://pbs.twimg.example/a.jpg" },
    },
    accounts: [
      {
        id: "2244994945",
        handle: "ada",
        name: "Ada",
        avatarUrl: "https://pbs.twimg.example/a.jpg",
        profileUrl: "https://x.com/ada",
      },
    ],
    token: {
      token_type: "bearer",
      expires_in: 7200,
      access_token: "the-token",
      scope: "tweet.read users.read offline.access",
      refresh_token: "the-refresh-token",
    },
    storedTokens: { accessToken: "the-token", refreshToken: "the-refresh-token", expiresInMs: 7_200_000 },
    calls: {
      account: {
        method: "GET",
        url: "https://api.x.com/2/users/me",
        query: { "user.fields": "profile_image_url" },
        bearer,
      },
    },
  },
  facebook: {
    account: {
      data: [
        {
          id: "1353269864728879",
          name: "Ada's Engines",
          username: "adasengines",
          access_token: "page-token-1",
          tasks: ["ANALYZE", "CREATE_CONTENT", "MANAGE"],
          picture: { data: { url: "https://scontent.example/p.jpg" } },
        },
        { id: "42", name: "Read-only page", access_token: "page-token-2", tasks: ["ANALYZE"] },
      ],
      paging: { cursors: { before: "a", after: "b" } },
    },
    accounts: [
      {
        id: "1353269864728879",
        handle: "adasengines",
        name: "Ada's Engines",
        avatarUrl: "https://scontent.example/p.jpg",
        profileUrl: "https://www.facebook.com/1353269864728879",
        accessToken: "page-token-1",
      },
    ],
    token: { access_token: "short", token_type: "bearer", expires_in: 5400 },
    extended: { access_token: "long", token_type: "bearer", expires_in: 5_183_944 },
    // The page's token, which stays valid after the user's token expires.
    storedTokens: { accessToken: "page-token-1" },
    calls: {
      extend: {
        method: "GET",
        url: "https://graph.facebook.com/v25.0/oauth/access_token",
        query: {
          grant_type: "fb_exchange_token",
          client_id: sampleCredential.clientId,
          client_secret: sampleCredential.clientSecret,
          fb_exchange_token: sampleCredential.accessToken,
        },
      },
      account: {
        method: "GET",
        url: "https://graph.facebook.com/v25.0/me/accounts",
        query: { fields: "id,name,username,access_token,tasks,picture{url}", limit: "50" },
        bearer,
      },
    },
  },
  instagram: {
    account: {
      user_id: "17841405793187218",
      username: "ada.engines",
      name: "Ada",
      profile_picture_url: "https://cdn.example/i.jpg",
      id: "9912",
    },
    accounts: [
      {
        id: "17841405793187218",
        handle: "ada.engines",
        name: "Ada",
        avatarUrl: "https://cdn.example/i.jpg",
        profileUrl: "https://www.instagram.com/ada.engines/",
      },
    ],
    token: { data: [{ access_token: "short", user_id: "1020", permissions: "instagram_business_basic" }] },
    extended: { access_token: "long", token_type: "bearer", expires_in: 5_183_944 },
    storedTokens: { accessToken: "long", expiresInMs: 5_183_944_000 },
    calls: {
      extend: {
        method: "GET",
        url: "https://graph.instagram.com/access_token",
        query: {
          grant_type: "ig_exchange_token",
          client_secret: sampleCredential.clientSecret,
          access_token: sampleCredential.accessToken,
        },
      },
      refresh: {
        method: "GET",
        url: "https://graph.instagram.com/refresh_access_token",
        query: { grant_type: "ig_refresh_token", access_token: sampleCredential.accessToken },
      },
      account: {
        method: "GET",
        url: "https://graph.instagram.com/v25.0/me",
        query: { fields: "user_id,username,name,profile_picture_url" },
        bearer,
      },
    },
  },
  threads: {
    account: { id: "1234567", username: "ada", name: "Ada", threads_profile_picture_url: "https://cdn.example/t.jpg" },
    accounts: [
      {
        id: "1234567",
        handle: "ada",
        name: "Ada",
        avatarUrl: "https://cdn.example/t.jpg",
        profileUrl: "https://www.threads.com/@ada",
      },
    ],
    token: { access_token: "short", user_id: 1234567 },
    extended: { access_token: "long", token_type: "bearer", expires_in: 5_183_944 },
    storedTokens: { accessToken: "long", expiresInMs: 5_183_944_000 },
    calls: {
      extend: {
        method: "GET",
        url: "https://graph.threads.net/access_token",
        query: {
          grant_type: "th_exchange_token",
          client_secret: sampleCredential.clientSecret,
          access_token: sampleCredential.accessToken,
        },
      },
      refresh: {
        method: "GET",
        url: "https://graph.threads.net/refresh_access_token",
        query: { grant_type: "th_refresh_token", access_token: sampleCredential.accessToken },
      },
      account: {
        method: "GET",
        url: "https://graph.threads.net/v1.0/me",
        query: { fields: "id,username,name,threads_profile_picture_url" },
        bearer,
      },
    },
  },
  tiktok: {
    account: {
      data: {
        user: {
          open_id: "723f24d7-e717-40f8-a2b6-cb8464cd23b4",
          username: "ada",
          display_name: "Ada",
          avatar_url: "https://p19.example/a.jpeg",
          profile_deep_link: "https://vm.tiktok.com/ABcdEfghi/",
        },
      },
      error: { code: "ok", message: "", log_id: "2022" },
    },
    accounts: [
      {
        id: "723f24d7-e717-40f8-a2b6-cb8464cd23b4",
        handle: "ada",
        name: "Ada",
        avatarUrl: "https://p19.example/a.jpeg",
        profileUrl: "https://vm.tiktok.com/ABcdEfghi/",
      },
    ],
    token: {
      access_token: "the-token",
      expires_in: 86_400,
      open_id: "723f24d7-e717-40f8-a2b6-cb8464cd23b4",
      refresh_expires_in: 31_536_000,
      refresh_token: "the-refresh-token",
      scope: "user.info.basic,video.publish",
      token_type: "Bearer",
    },
    storedTokens: { accessToken: "the-token", refreshToken: "the-refresh-token", expiresInMs: 86_400_000 },
    calls: {
      account: {
        method: "GET",
        url: "https://open.tiktokapis.com/v2/user/info/",
        query: { fields: "open_id,username,display_name,avatar_url,profile_deep_link" },
        bearer,
      },
      revoke: {
        method: "POST",
        url: "https://open.tiktokapis.com/v2/oauth/revoke/",
        form: {
          client_key: sampleCredential.clientId,
          client_secret: sampleCredential.clientSecret,
          token: sampleCredential.accessToken,
        },
      },
    },
  },
  youtube: {
    account: {
      kind: "youtube#channelListResponse",
      pageInfo: { totalResults: 1, resultsPerPage: 5 },
      items: [
        {
          kind: "youtube#channel",
          id: "UC_x5XG1OV2P6uZZ5FSM9Ttw",
          snippet: {
            title: "Ada's Engines",
            customUrl: "@adasengines",
            thumbnails: { default: { url: "https://yt3.example/d.jpg", width: 88, height: 88 } },
          },
        },
      ],
    },
    accounts: [
      {
        id: "UC_x5XG1OV2P6uZZ5FSM9Ttw",
        handle: "adasengines",
        name: "Ada's Engines",
        avatarUrl: "https://yt3.example/d.jpg",
        profileUrl: "https://www.youtube.com/channel/UC_x5XG1OV2P6uZZ5FSM9Ttw",
      },
    ],
    token: {
      access_token: "the-token",
      expires_in: 3920,
      token_type: "Bearer",
      scope: "https://www.googleapis.com/auth/youtube.upload",
      refresh_token: "the-refresh-token",
    },
    storedTokens: { accessToken: "the-token", refreshToken: "the-refresh-token", expiresInMs: 3_920_000 },
    calls: {
      account: {
        method: "GET",
        url: "https://www.googleapis.com/youtube/v3/channels",
        query: { part: "snippet", mine: "true" },
        bearer,
      },
    },
  },
  pinterest: {
    account: {
      account_type: "BUSINESS",
      id: "2783136121146311751",
      profile_image: "https://i.pinimg.example/p.jpg",
      username: "ada",
      business_name: "Ada's Engines",
    },
    accounts: [
      {
        id: "2783136121146311751",
        handle: "ada",
        name: "Ada's Engines",
        avatarUrl: "https://i.pinimg.example/p.jpg",
        profileUrl: "https://www.pinterest.com/ada/",
      },
    ],
    token: {
      access_token: "the-token",
      refresh_token: "the-refresh-token",
      response_type: "authorization_code",
      token_type: "bearer",
      expires_in: 2_592_000,
      refresh_token_expires_in: 5_184_000,
      scope: "boards:read pins:read",
    },
    storedTokens: { accessToken: "the-token", refreshToken: "the-refresh-token", expiresInMs: 2_592_000_000 },
    calls: { account: { method: "GET", url: "https://api.pinterest.com/v5/user_account", bearer } },
  },
  mastodon: {
    account: {
      id: "14715",
      username: "ada",
      acct: "ada",
      display_name: "Ada",
      url: "https://instance.example/@ada",
      avatar: "https://files.instance.example/a.png",
    },
    accounts: [
      {
        id: "14715",
        handle: "ada",
        name: "Ada",
        avatarUrl: "https://files.instance.example/a.png",
        profileUrl: "https://instance.example/@ada",
      },
    ],
    token: { access_token: "the-token", token_type: "Bearer", scope: "read:accounts", created_at: 1573979017 },
    storedTokens: { accessToken: "the-token" },
    calls: {
      account: { method: "GET", url: "https://instance.example/api/v1/accounts/verify_credentials", bearer },
    },
  },
};
