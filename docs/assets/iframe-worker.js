// The search of the site runs in a worker, and a browser starts none for a page that was opened from disk.
// There the worker's script runs in a hidden frame. Material looks for the name IFrameWorker and adds a listener,
// Zensical sets onmessage.
if (location.protocol === "file:") {
  window.Worker = window.IFrameWorker = class extends EventTarget {
    constructor(script) {
      super();
      this.addEventListener("message", (event) => this.onmessage?.(event));
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.appendChild(this.frame);
      const inside = this.frame.contentWindow;
      const page = inside.document;
      page.open();
      page.write("<!doctype html><html><body></body></html>");
      page.close();
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inside.importScripts = (...names) =>
        names.reduce((before, name) => before.then(() => this.load(new URL(name, script))), Promise.resolve());
      this.load(script).then(() => {
        this.loaded = true;
        this.waiting.forEach((data) => this.postMessage(data));
      });
    }
    load(address) {
      const page = this.frame.contentWindow.document;
      return new Promise((done, failed) => {
        const element = page.createElement("script");
        element.src = address;
        element.onload = done;
        element.onerror = failed;
        page.body.appendChild(element);
      });
    }
    postMessage(data) {
      if (!this.loaded) this.waiting.push(data);
      else this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
