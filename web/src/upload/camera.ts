import { openDialog } from "./dialog.ts";
import { el } from "./dom.ts";
import type { Strings } from "./strings.ts";

/** Takes a picture with the computer's camera; phones have a better way of their own. */
export async function takePicture(strings: Strings, onTaken: (file: File) => void): Promise<void> {
  let stream: MediaStream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { width: { ideal: 3840 }, height: { ideal: 2160 } } });
  } catch {
    openDialog(strings.takePicture, strings.close, [el("p", { textContent: strings.noCameraTitle })]);
    return;
  }
  const video = el("video", { autoplay: true, muted: true, playsInline: true, className: "viewfinder" });
  video.srcObject = stream;
  const canvas = el("canvas", { className: "viewfinder", hidden: true });
  const take = el("button", { type: "button", textContent: strings.takePicture });
  const use = el("button", { type: "button", textContent: strings.use, hidden: true });
  const again = el("button", { type: "button", className: "quiet", textContent: strings.again, hidden: true });
  const flip = (taken: boolean) => {
    for (const one of [canvas, use, again]) one.hidden = !taken;
    for (const one of [video, take]) one.hidden = taken;
    (taken ? use : take).focus();
  };
  take.addEventListener("click", () => {
    canvas.width = video.videoWidth;
    canvas.height = video.videoHeight;
    canvas.getContext("2d")?.drawImage(video, 0, 0);
    flip(true);
  });
  again.addEventListener("click", () => flip(false));
  use.addEventListener("click", () =>
    canvas.toBlob(
      (blob) => {
        const name = `photo-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}.jpg`;
        if (blob) onTaken(new File([blob], name, { type: "image/jpeg" }));
        dialog.close();
      },
      "image/jpeg",
      0.92,
    ),
  );
  const stop = () => stream.getTracks().forEach((track) => track.stop());
  const dialog = openDialog(
    strings.takePicture,
    strings.close,
    [video, canvas, el("div", { className: "acts" }, take, use, again)],
    stop,
  );
}
