import { createRootRoute, createRoute, createRouter, notFound, redirect } from "@tanstack/react-router";
import { isMarkedSignedOut } from "./api/client.ts";
import { instanceQuery, meQuery, studioQuery } from "./api/queries.ts";
import { queryClient } from "./api/query-client.ts";
import { RootLayout } from "./layout/RootLayout.tsx";
import { ErrorPage, NotFoundPage } from "./layout/ErrorPage.tsx";
import { StudioLayout } from "./layout/StudioLayout.tsx";
import { lazyPage } from "./lazy-page.ts";
import { prefetchPosts } from "./load-first-page.ts";
import { PostsPage } from "./posts/PostsPage.tsx";
import { redirectToStudio, requireSignedIn } from "./route-guards.ts";
import {
  parseActivitySearch,
  parseApprovalSearch,
  parseAssetSearch,
  parsePlatformSearch,
  parsePostPageSearch,
  parsePostSearch,
  parsePublicationSearch,
  parseResultSearch,
} from "./search-params.ts";
import { restoreFocus } from "./ui/restore-focus.ts";
import { Loading } from "./ui/Loading.tsx";

const root = createRootRoute({ component: RootLayout, notFoundComponent: NotFoundPage });

const start = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: async () => {
    const me = await queryClient.query(meQuery);
    if (me?.activeStudioId) redirectToStudio(me.activeStudioId);
  },
  component: lazyPage(() => import("./start/StartPage.tsx"), "StartPage"),
});

const newStudio = createRoute({
  getParentRoute: () => root,
  path: "/studios/new",
  beforeLoad: () => requireSignedIn(),
  component: lazyPage(() => import("./start/NewStudioPage.tsx"), "NewStudioPage"),
});

/** Every component on one page, in development only. */
const devUi = createRoute({
  getParentRoute: () => root,
  path: "/dev/ui",
  beforeLoad: async () => {
    await requireSignedIn();
    const { development } = await queryClient.query(instanceQuery);
    if (!development) notFound({ throw: true });
  },
  component: lazyPage(() => import("./dev/UiPage.tsx"), "UiPage"),
});

/**
 * Redirects to a page of the active studio. Pages that don't know the studio link here: the consent page, and the page
 * about a failed connection.
 */
const activeStudioRedirects = (["clients", "connect", "platforms"] as const).map((page) =>
  createRoute({
    getParentRoute: () => root,
    path: `/${page}`,
    beforeLoad: async () => {
      const { activeStudioId: studioId } = await requireSignedIn();
      if (studioId === null) redirect({ to: "/", throw: true });
      else redirect({ to: `/studios/$studioId/${page}`, params: { studioId }, throw: true });
    },
  }),
);

const studio = createRoute({
  getParentRoute: () => root,
  path: "/studios/$studioId",
  beforeLoad: async ({ params, cause }) => {
    // Requests the studio in parallel with the user.
    if (!isMarkedSignedOut()) queryClient.query(studioQuery(params.studioId)).catch(() => {});
    const sessionCheck = requireSignedIn();
    // Navigation between pages does not wait for the check. If the session has ended, it leads to the sign-in page.
    if (cause === "stay") sessionCheck.catch(() => {});
    else await sessionCheck;
  },
  loader: async ({ params }) => {
    await queryClient.query({ ...studioQuery(params.studioId), staleTime: "static" });
  },
  component: StudioLayout,
});

const studioIndex = createRoute({
  getParentRoute: () => studio,
  path: "/",
  beforeLoad: ({ params }) => redirectToStudio(params.studioId),
});

const posts = createRoute({
  getParentRoute: () => studio,
  path: "/posts",
  validateSearch: parsePostSearch,
  beforeLoad: ({ params, search }) => void prefetchPosts(params.studioId, search).catch(() => {}),
  // Not lazy: most visits start with this page.
  component: PostsPage,
});

const newPost = createRoute({
  getParentRoute: () => studio,
  path: "/posts/new",
  component: lazyPage(() => import("./posts/NewPostPage.tsx"), "NewPostPage"),
});

const post = createRoute({
  getParentRoute: () => studio,
  path: "/posts/$postId",
  validateSearch: parsePostPageSearch,
  component: lazyPage(() => import("./posts/PostPage.tsx"), "PostPage"),
});

const publications = createRoute({
  getParentRoute: () => studio,
  path: "/publications",
  validateSearch: parsePublicationSearch,
  component: lazyPage(() => import("./publishing/PublicationsPage.tsx"), "PublicationsPage"),
});

const approvals = createRoute({
  getParentRoute: () => studio,
  path: "/publications/approvals",
  validateSearch: parseApprovalSearch,
  component: lazyPage(() => import("./publishing/ApprovalsPage.tsx"), "ApprovalsPage"),
});

const upcoming = createRoute({
  getParentRoute: () => studio,
  path: "/publications/upcoming",
  component: lazyPage(() => import("./publishing/UpcomingPage.tsx"), "UpcomingPage"),
});

const publication = createRoute({
  getParentRoute: () => studio,
  path: "/publications/$publicationId",
  component: lazyPage(() => import("./publishing/PublicationPage.tsx"), "PublicationPage"),
});

const results = createRoute({
  getParentRoute: () => studio,
  path: "/results",
  validateSearch: parseResultSearch,
  component: lazyPage(() => import("./publishing/ResultsPage.tsx"), "ResultsPage"),
});

const assets = createRoute({
  getParentRoute: () => studio,
  path: "/assets",
  validateSearch: parseAssetSearch,
  component: lazyPage(() => import("./assets/LibraryPage.tsx"), "LibraryPage"),
});

const members = createRoute({
  getParentRoute: () => studio,
  path: "/members",
  component: lazyPage(() => import("./members/MembersPage.tsx"), "MembersPage"),
});

const platforms = createRoute({
  getParentRoute: () => studio,
  path: "/platforms",
  validateSearch: parsePlatformSearch,
  component: lazyPage(() => import("./platforms/PlatformsPage.tsx"), "PlatformsPage"),
});

const clients = createRoute({
  getParentRoute: () => studio,
  path: "/clients",
  component: lazyPage(() => import("./clients/ClientsPage.tsx"), "ClientsPage"),
});

const undo = createRoute({
  getParentRoute: () => studio,
  path: "/clients/$grantId/undo",
  component: lazyPage(() => import("./undo/UndoPage.tsx"), "UndoPage"),
});

/** Older links point here. */
const connect = createRoute({
  getParentRoute: () => studio,
  path: "/connect",
  beforeLoad: ({ params }) =>
    redirect({ to: "/studios/$studioId/clients", params, hash: "connect", replace: true, throw: true }),
});

const activity = createRoute({
  getParentRoute: () => studio,
  path: "/activity",
  validateSearch: parseActivitySearch,
  component: lazyPage(() => import("./activity/ActivityPage.tsx"), "ActivityPage"),
});

const trash = createRoute({
  getParentRoute: () => studio,
  path: "/trash",
  component: lazyPage(() => import("./trash/TrashPage.tsx"), "TrashPage"),
});

const settings = createRoute({
  getParentRoute: () => studio,
  path: "/settings",
  component: lazyPage(() => import("./settings/SettingsPage.tsx"), "SettingsPage"),
});

const webhooks = createRoute({
  getParentRoute: () => studio,
  path: "/settings/webhooks",
  component: lazyPage(() => import("./webhooks/WebhooksPage.tsx"), "WebhooksPage"),
});

const routeTree = root.addChildren([
  start,
  newStudio,
  devUi,
  ...activeStudioRedirects,
  studio.addChildren([
    studioIndex,
    posts,
    newPost,
    post,
    publications,
    approvals,
    upcoming,
    publication,
    results,
    assets,
    members,
    platforms,
    clients,
    undo,
    connect,
    activity,
    trash,
    settings,
    webhooks,
  ]),
]);

export function createAppRouter() {
  const router = createRouter({
    routeTree,
    defaultPreload: "intent",
    defaultErrorComponent: ErrorPage,
    defaultPendingComponent: Loading,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
  });
  // On the first page, focus stays where the browser puts it: before the skip link.
  router.subscribe("onRendered", ({ fromLocation, toLocation }) => {
    if (fromLocation && fromLocation !== toLocation) restoreFocus();
  });
  return router;
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
