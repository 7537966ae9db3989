// What Streamlit does with the components that a script draws: mounts them, updates them, lets those go that are not
// drawn any more, and reports what they trigger. Python answers a report with what the script draws then.
(() => {
  const mounts = new Map(); // by the key of an element
  const modules = new Map(); // by the name of a component
  let drawing = Promise.resolve();

  const mount = ({ key, name, script, isolated }) => {
    if (!modules.has(name)) {
      modules.set(name, import(URL.createObjectURL(new Blob([script], { type: "text/javascript" }))));
    }
    const host = document.createElement("div");
    host.dataset.testid = "stElementContainer";
    document.querySelector("main").append(host);
    const root = isolated ? host.attachShadow({ mode: "open" }) : host;
    mounts.set(key, { host, root, module: modules.get(name), cleanup: undefined });
    return mounts.get(key);
  };

  const update = async ({ key, data }, target) => {
    const component = {
      data: Uint8Array.from(atob(data), (character) => character.charCodeAt(0)),
      parentElement: target.root,
      setTriggerValue: async (event, value) => draw(await globalThis.reportToScript(key, event, value)),
    };
    target.cleanup = await (await target.module).default(component);
  };

  const drawNow = async ({ text, elements }) => {
    document.querySelector("output").textContent = text;
    for (const [key, { host, cleanup }] of mounts) {
      if (elements.some((element) => element.key === key)) continue;
      mounts.delete(key);
      cleanup?.();
      host.remove();
    }
    for (const element of elements) await update(element, mounts.get(element.key) ?? mount(element));
  };

  const draw = (run) => (drawing = drawing.then(() => drawNow(run)));
  globalThis.drawComponents = draw;
})();
