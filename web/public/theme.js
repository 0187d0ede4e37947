// Runs before the first paint, so that the page never shows the wrong theme. A classic script, because module scripts
// run later, and a file, because the Content Security Policy forbids inline scripts. See src/layout/theme.ts.
{
  let theme;
  try {
    theme = localStorage.getItem("theme");
  } catch {
    // Without storage, the system decides.
  }
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}
