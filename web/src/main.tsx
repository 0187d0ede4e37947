import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/query-client.ts";
import { loadFirstPage } from "./load-first-page.ts";
import { createAppRouter } from "./router.tsx";
import { ConfirmProvider } from "./ui/Confirm.tsx";
import { ShortcutProvider } from "./ui/Shortcuts.tsx";
import { loadMenu } from "./ui/load-menu.ts";
import { loadToasts, ToastProvider } from "./ui/Toasts.tsx";
import { UploaderRegistryProvider } from "./upload/uploader-registry.tsx";
import "./app.css";

const router = createAppRouter();

const rootElement = document.querySelector("#app");
if (!rootElement) throw new Error("index.html has no #app");
const root = createRoot(rootElement);

/** If the first page takes longer, the app renders without it and shows a loading state. */
const firstPageTimeoutMs = 1000;
const timeout = new Promise((resolve) => setTimeout(resolve, firstPageTimeoutMs));
void Promise.race([loadFirstPage(router), timeout]).then(() =>
  root.render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <ShortcutProvider>
          <ToastProvider>
            <UploaderRegistryProvider>
              <RouterProvider router={router} InnerWrap={ConfirmProvider} />
            </UploaderRegistryProvider>
          </ToastProvider>
        </ShortcutProvider>
      </QueryClientProvider>
    </StrictMode>,
  ),
);

/** Long enough for the first page to load, even on slow networks. */
const preloadDelayMs = 3000;
// Menus and toasts must also work if the connection is lost later. If this fails, they load when they are needed.
setTimeout(() => void Promise.allSettled([loadMenu(), loadToasts()]), preloadDelayMs);
