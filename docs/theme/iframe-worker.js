// Browsers give pages of the file system no workers. There the script of the search runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(address) {
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.document.open();
      inside.postMessage = (data) => setTimeout(() => this.onmessage?.({ data }));
      this.loaded = new Promise((done) => this.frame.addEventListener("load", done, { once: true }));
      inside.document.write(`<!doctype html><script src="${new URL(address, document.baseURI)}"></` + "script>");
      inside.document.close();
    }
    postMessage(data) {
      const message = { data: structuredClone(data) };
      this.loaded
        .then(() => this.frame.contentWindow.onmessage(message))
        .catch(() => this.onerror?.(new Event("error", { cancelable: true })));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
